import type { UserRecord } from '../../store/users.ts'

/** The authenticated user of a request. */
export interface Caller {
  readonly id: string
  readonly username: string
  readonly isSuperuser: boolean
  /** The credential that identified the caller: access token, API key, cookie, host, or auto login. */
  readonly via: 'token' | 'key' | 'cookie' | 'host' | 'auto'
  /** The sign-in of an access token; absent for other credentials. */
  readonly signInId?: string | null
  /** The hash of a stored API key; absent for other credentials. */
  readonly keyHash?: string | null
  /** The user record when the request began. */
  readonly record: UserRecord
}

/** Creates the caller for a user record. */
export function callerOf(
  record: UserRecord,
  via: Caller['via'],
  {
    isSuperuser,
    signInId = null,
    keyHash = null,
  }: { isSuperuser?: boolean; signInId?: string | null; keyHash?: string | null } = {},
): Caller {
  return {
    id: record.id,
    username: record.username,
    isSuperuser: isSuperuser ?? record.isSuperuser,
    via,
    signInId,
    keyHash,
    record,
  }
}
