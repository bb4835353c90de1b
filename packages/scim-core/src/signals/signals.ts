import type { JSONWebKeySet } from '../base/signing-key.ts'

/** Who is meant (RFC 9493). */
export type SignalSubject =
  | { readonly format: 'email'; readonly email: string }
  | { readonly format: 'iss_sub'; readonly iss: string; readonly sub: string }
  | { readonly format: 'opaque'; readonly id: string }

/** Who sends signals, and how that is known. */
export interface SignalTransmitter {
  readonly issuer: string
  /** The keys, or the URL where they are published. */
  readonly jwks: URL | string | JSONWebKeySet
  readonly audience: string
  /** The expected `authorization` header, such as `Bearer …`. Default: none is asked for. */
  readonly authorization?: string
}

/** What a transmitter says of a person of this directory. */
export interface SecuritySignal {
  readonly tenant: string
  readonly userId: string
  readonly issuer: string
  readonly event: 'session-revoked' | 'credential-change' | 'account-disabled' | 'account-purged'
  readonly subject: SignalSubject
}
