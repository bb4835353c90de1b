import type { OutboxRow } from '../store/outbox.ts'
import { personOf, sessionEvents } from './session-events.ts'
import { payloadOfRow, setEvents, type SetMode, type SetProfile } from './set-events.ts'

export interface SetClaimsOptions {
  readonly issuer: string
  readonly mode: SetMode
  readonly profile: SetProfile
  /** Endpoint below the base URL, by type name: `/Users`. */
  readonly endpointOf: (resourceType: string) => string
}

/**
 * The claims of the token of one set; null if the stream subscribes to none of its events.
 * @param stream.events URIs; null: all
 */
export function setClaims(
  rows: readonly OutboxRow[],
  {
    audience,
    events: wanted,
    now,
  }: {
    readonly audience: string
    readonly events: readonly string[] | null
    readonly now: Date
  },
  { issuer, mode, profile, endpointOf }: SetClaimsOptions,
): Readonly<Record<string, unknown>> | null {
  const [first] = rows
  if (first === undefined) return null
  const events = Object.fromEntries(
    Object.entries(profile === 'caep' ? sessionEvents(rows) : setEvents(rows, mode)).filter(
      ([uri]) => wanted === null || wanted.includes(uri),
    ),
  )
  if (Object.keys(events).length === 0) return null
  return {
    iss: issuer,
    iat: Math.floor(now.getTime() / 1_000),
    jti: first.setId,
    aud: audience,
    txn: first.requestId,
    sub_id:
      profile === 'caep' ? personOf(rows, first.resourceId) : resourceOf(rows, first, endpointOf),
    events,
  }
}

function resourceOf(
  rows: readonly OutboxRow[],
  { resourceType, resourceId }: OutboxRow,
  endpointOf: SetClaimsOptions['endpointOf'],
): object {
  const uri = `${endpointOf(resourceType)}/${encodeURIComponent(resourceId)}`
  const externalId = externalIdOf(rows)
  return { format: 'scim', uri, ...(externalId !== null && { externalId }) }
}

function externalIdOf(rows: readonly OutboxRow[]): string | null {
  for (const row of rows) {
    const { after, before } = payloadOfRow(row)
    for (const document of [after, before]) {
      const id: unknown =
        typeof document === 'object' && document && Reflect.get(document, 'externalId')
      if (typeof id === 'string') return id
    }
  }
  return null
}
