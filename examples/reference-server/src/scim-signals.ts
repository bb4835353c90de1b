import type { OAuthFetch } from '@x/scim-core/oauth'
import { createSignalReceiver, type SignalTransmitter } from '@x/scim-core/signals'
import type { LinkedStores } from '@x/store-kysely/link'
import { SettingsError } from './settings/read-settings.ts'

const NAMES = ['ISSUER', 'JWKS', 'AUDIENCE', 'TOKEN'] as const

/** The transmitter of `SCIM_SIGNALS_*`; undefined: none. @throws SettingsError if some of them are missing */
export function readTransmitter(
  environment: Readonly<Record<string, string | undefined>>,
): SignalTransmitter | undefined {
  const [issuer, jwks, audience, token] = NAMES.map((name) =>
    environment[`SCIM_SIGNALS_${name}`]?.trim(),
  )
  if (!issuer && !jwks && !audience && !token) return undefined
  if (!issuer || !jwks || !audience || !token)
    throw new SettingsError('SCIM_SIGNALS_ISSUER, _JWKS, _AUDIENCE and _TOKEN must be set together')
  return { issuer, jwks, audience, authorization: token }
}

/** Ends the sessions of people whom their identity provider has signed out; null while nobody sends signals. */
export function createScimSignals(
  transmitter: SignalTransmitter | undefined,
  {
    stores,
    ...options
  }: {
    readonly stores: Pick<LinkedStores, 'scim' | 'endSessions'>
    readonly fetch: OAuthFetch
    readonly onError: (error: unknown) => void
  },
): (request: Request) => Promise<Response | null> {
  if (transmitter === undefined) return async () => null
  const receiver = createSignalReceiver({
    ...options,
    transmitters: [transmitter],
    tenant: 'default',
    store: stores.scim,
    onSessionsEnd: stores.endSessions,
  })
  return (request) => receiver.handle(request)
}
