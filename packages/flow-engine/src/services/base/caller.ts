import type { UserRecord } from '../../store/users.ts'

/** The authenticated user of a request. */
export interface Caller {
  readonly id: string
  readonly username: string
  readonly isSuperuser: boolean
  /**
   * The credential that identified the caller: an access token, an API key, the cookie, the host, or
   * auto login.
   */
  readonly via: 'token' | 'key' | 'cookie' | 'host' | 'auto'
  /** The sign-in of an access token; none for every other credential. */
  readonly signInId?: string | null
  /** As it was when the request began. */
  readonly record: UserRecord
}

/** The caller for a user record. */
export function callerOf(
  record: UserRecord,
  via: Caller['via'],
  { isSuperuser, signInId = null }: { isSuperuser?: boolean; signInId?: string | null } = {},
): Caller {
  return {
    id: record.id,
    username: record.username,
    isSuperuser: isSuperuser ?? record.isSuperuser,
    via,
    signInId,
    record,
  }
}
