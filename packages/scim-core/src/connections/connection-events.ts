/** Facts that every alarm has. */
interface AlarmBase {
  /** RFC 3339, UTC with milliseconds. */
  readonly at: string
  readonly tenant: string
  /** The id of the connection, or of the credential of the host's settings. */
  readonly connectionId: string
  readonly provider: string
}

interface CredentialEnd extends AlarmBase {
  readonly credentialId: string
  readonly kind: 'token' | 'client-secret'
  readonly expiresAt: string
}

/** What an administrator should know about connections. */
export interface ConnectionEvents {
  /** No request for longer than `silenceAfter`; told once until the next request. */
  'connection.silent': AlarmBase & {
    readonly lastRequestAt: string
    readonly silentSeconds: number
  }
  /** The first request after a silence. */
  'connection.heard': AlarmBase & { readonly lastRequestAt: string }
  /** 20 requests in a row with an expired or revoked credential. */
  'connection.refused': AlarmBase & { readonly refusals: number }
  /** 30, 7 and 1 days before the end. */
  'credential.expiring': CredentialEnd & { readonly days: number }
  'credential.expired': CredentialEnd
}

export const CONNECTION_EVENTS: Readonly<Record<keyof ConnectionEvents, true>> = {
  'connection.silent': true,
  'connection.heard': true,
  'connection.refused': true,
  'credential.expiring': true,
  'credential.expired': true,
}
