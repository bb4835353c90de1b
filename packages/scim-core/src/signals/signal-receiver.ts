import {
  constantTimeEqual,
  createSystemRuntime,
  isBodyTooLarge,
  readText,
  type Runtime,
} from '@x/wire'
import { createKeySource, type KeySource, type OAuthFetch } from '../oauth/key-source.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { OnSessionsEnd } from '../store/sessions-end.ts'
import { findSubject } from './find-subject.ts'
import { SignalError } from './signal-error.ts'
import { signalOf } from './signal-of.ts'
import type { SecuritySignal, SignalSubject, SignalTransmitter } from './signals.ts'

export interface SignalReceiverOptions {
  readonly transmitters: readonly SignalTransmitter[]
  /** One tenant for all signals, or that of an issuer; null: its signals are acknowledged and ignored. */
  readonly tenant: string | ((issuer: string) => string | null)
  /** The directory. */
  readonly store: ScimStore
  /** Ends the sessions of the person, with the reason `signal`; the same as of the store. */
  readonly onSessionsEnd?: OnSessionsEnd<never>
  /**
   * The id of the user that a subject means; null: nobody. Default: an e-mail address is a userName, `sub` of an
   * issuer an externalId, an opaque id that of the user.
   */
  readonly resolve?: (
    subject: SignalSubject,
    tenant: string,
  ) => string | null | Promise<string | null>
  /** Called in the same transaction after `onSessionsEnd`; throwing rolls back and refuses the signal. */
  readonly onSignal?: (signal: SecuritySignal, transaction: unknown) => void | Promise<void>
  readonly fetch?: OAuthFetch
  readonly runtime?: Runtime
  /** Called with errors that result in a 500 response. */
  readonly onError?: (error: unknown) => void
}

/** Receives pushed Security Event Tokens (RFC 8935). */
export interface SignalReceiver {
  /** 202, or 400 with `err` and `description`. Never rejects. */
  handle(request: Request): Promise<Response>
}

const BODY_BYTES = 65_536
/** Ids of signals are known for longer than a signal is accepted. */
const KEPT_MS = 8 * 86_400_000
const MAX_KEPT = 100_000

/** @throws TypeError without transmitters */
export function createSignalReceiver(options: SignalReceiverOptions): SignalReceiver {
  const { runtime = createSystemRuntime(), fetch: ask = fetch, onError = () => undefined } = options
  if (options.transmitters.length === 0) throw new TypeError('transmitters must not be empty')
  const sources = new Map<SignalTransmitter, KeySource>()
  for (const one of options.transmitters)
    sources.set(one, createKeySource(one.jwks, { fetch: ask, runtime }))
  /** When each signal arrived, oldest first; the promise of one that is under way. */
  const seen = new Map<string, { readonly at: number; readonly done: Promise<void> }>()

  const receive = async (request: Request): Promise<void> => {
    const token = await readText(request, BODY_BYTES).catch((error: unknown) => {
      if (!isBodyTooLarge(error)) throw error
      throw new SignalError('invalid_request', `The body has more than ${BODY_BYTES} bytes.`)
    })
    const { verifySignal } = await import('./verify-signal.ts')
    const { transmitter, claims } = await verifySignal(token.trim(), { sources, runtime })
    const { authorization } = transmitter
    const given = request.headers.get('authorization') ?? ''
    const encoder = new TextEncoder()
    if (
      authorization !== undefined &&
      !constantTimeEqual(encoder.encode(given), encoder.encode(authorization))
    )
      throw new SignalError('authentication_failed', 'The authorization header is not accepted.')
    const now = runtime.now().getTime()
    for (const [key, { at }] of seen) {
      if (seen.size <= MAX_KEPT && now - at < KEPT_MS) break
      seen.delete(key)
    }
    const key = JSON.stringify([transmitter.issuer, claims.jti])
    const known = seen.get(key)
    if (known !== undefined) return known.done
    const done = act(transmitter.issuer, claims)
    seen.set(key, { at: now, done })
    // A transmitter sends again what could not be done.
    await done.catch((error: unknown) => {
      seen.delete(key)
      throw error
    })
  }

  const act = async (issuer: string, claims: Readonly<Record<string, unknown>>): Promise<void> => {
    const tenant = typeof options.tenant === 'string' ? options.tenant : options.tenant(issuer)
    const found = signalOf(claims)
    if (tenant === null || found === null) return
    const { event, subject } = found
    const { store, onSessionsEnd, onSignal, resolve } = options
    await store.transaction(
      tenant,
      async (tx) => {
        const named =
          resolve === undefined
            ? await findSubject(tx, tenant, subject)
            : await resolve(subject, tenant)
        const user = named === null ? null : await tx.users.get(tenant, named, { forUpdate: true })
        if (user === null) return
        const userId = user.id
        const handle = tx.handle as never
        await onSessionsEnd?.({ tenant, userId, reason: 'signal' }, handle)
        await onSignal?.({ tenant, userId, issuer, event, subject }, handle)
      },
      { awaitsHook: true },
    )
  }

  return {
    async handle(request) {
      if (request.method !== 'POST')
        return new Response(null, { status: 405, headers: { allow: 'POST' } })
      try {
        await receive(request)
        return new Response(null, { status: 202 })
      } catch (error) {
        if (error instanceof SignalError)
          return Response.json({ err: error.code, description: error.message }, { status: 400 })
        onError(error)
        return new Response(null, { status: 500 })
      }
    },
  }
}
