import type { TokenInfo } from '@x/scim-core'
import type { Connection } from '@x/scim-core/connections'
import { missing } from '../http/portal-error.ts'
import { alarmsOf, type Alarm } from '../log/alarms.ts'
import type { ConnectionMetadata } from '../store/portal-store.ts'
import type { ApiCall, PortalParts } from './call.ts'

export type ConnectionState = 'waiting' | 'received' | 'connected' | 'paused' | 'silent' | 'failing'

/** A secret of a connection, without its value. */
export interface SecretInfo {
  readonly id: string
  readonly kind: 'token'
  readonly label: string | null
  readonly created: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** When it stops working. */
  readonly endsAt: string | null
}

/** The connection that a path names. @throws PortalError not_found */
export async function connectionOf({ parts, caller, params }: ApiCall): Promise<Connection> {
  const connection = await parts.connections.get(caller.tenant, params['id'] ?? '')
  if (connection === null) throw missing('The connection')
  return connection
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null

export function secretInfo(token: TokenInfo): SecretInfo {
  const ends = [token.revokedAt, token.expiresAt].filter((at) => at !== null)
  return {
    id: token.id,
    kind: 'token',
    label: token.label,
    created: token.created.toISOString(),
    expiresAt: text(token.expiresAt),
    revokedAt: text(token.revokedAt),
    lastUsedAt: text(token.lastUsedAt),
    endsAt: text(ends.toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null),
  }
}

/** Entries that alarms look at. */
const RECENT = 100

/** What a connection is in, and what is wrong with it. */
export async function stateOf(
  { store, connections, runtime, log }: PortalParts,
  connection: Connection,
): Promise<{
  readonly state: ConnectionState
  readonly facts: ConnectionMetadata
  readonly alarms: readonly Alarm[]
  readonly tokens: readonly TokenInfo[]
}> {
  const { tenant, id } = connection
  await log.flush()
  const facts = await store.log.facts(tenant, id)
  const tokens = await connections.listTokens(tenant, id)
  const recent = await store.log.list(tenant, id, { limit: RECENT })
  const entries = recent.map(({ entry }) => entry)
  const alarms = alarmsOf({ tokens, entries, now: runtime.now() })
  const isFailing = alarms.some(({ name }) => name === 'failing')
  const state = (): ConnectionState => {
    if (connection.settings.paused === true) return 'paused'
    if (isFailing) return 'failing'
    if (facts.firstUser !== null) return 'connected'
    return facts.requests > 0 ? 'received' : 'waiting'
  }
  return { state: state(), facts, alarms, tokens }
}

/** How many people and groups the tenant has. */
export async function countDirectory({ service }: PortalParts, tenant: string) {
  // Those who are out are few, and found by an index.
  const filter = 'active ne true'
  const inactive = (await service.users.list(tenant, { filter, count: 0 })).totalResults
  const all = (await service.users.list(tenant, { count: 0 })).totalResults
  const groups = (await service.groups.list(tenant, { count: 0 })).totalResults
  return { users: { active: Math.max(0, all - inactive), inactive }, groups }
}

/** A connection as the API shows it. */
export async function connectionView(
  parts: PortalParts,
  connection: Connection,
  counts: Awaited<ReturnType<typeof countDirectory>>,
): Promise<object> {
  const { state, facts, alarms, tokens } = await stateOf(parts, connection)
  const { id, name, provider, created, settings } = connection
  return {
    id,
    name,
    provider,
    created: created.toISOString(),
    paused: settings.paused === true,
    state,
    lastRequestAt: text(facts.lastRequestAt),
    ...counts,
    alarms,
    secrets: tokens.map(secretInfo),
  }
}
