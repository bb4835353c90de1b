import {
  invalidOutboxCursor,
  readDeliveryCursor,
  type DeliveryResult,
  type DeliveryState,
  type EndpointRecord,
  type OutboxEvent,
  type OutboxRow,
  type OutboxStore,
  type ReplayQuery,
} from '../store/outbox.ts'
import type { UndoLog } from './table.ts'

interface StoredEvent {
  readonly seq: number
  readonly row: OutboxRow
}

interface StoredEndpoint {
  readonly record: EndpointRecord
  /** The last event for which deliveries were created. */
  readonly position: number
}

interface StoredDelivery {
  readonly endpointId: string
  readonly event: StoredEvent
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAt: number
  readonly lockedUntil: number
  readonly lastAt: number | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** The outbox of all tenants. */
export interface OutboxState {
  seq: number
  readonly events: Map<number, StoredEvent>
  readonly endpoints: Map<string, StoredEndpoint>
  readonly deliveries: Map<string, Map<number, StoredDelivery>>
}

export function createOutboxState(): OutboxState {
  return { seq: 0, events: new Map(), endpoints: new Map(), deliveries: new Map() }
}

/** The in-memory outbox within a transaction. */
export function createMemoryOutbox(state: OutboxState, undo: UndoLog): OutboxStore {
  const { events, endpoints, deliveries } = state

  const put = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void => {
    const before = map.get(key)
    if (value === undefined) map.delete(key)
    else map.set(key, value)
    undo.push(() => void (before === undefined ? map.delete(key) : map.set(key, before)))
  }
  const ofEndpoint = (id: string): Map<number, StoredDelivery> => {
    const known = deliveries.get(id) ?? new Map<number, StoredDelivery>()
    deliveries.set(id, known)
    return known
  }
  const inOrder = (id: string): StoredDelivery[] =>
    [...ofEndpoint(id).values()].toSorted((a, b) => a.event.seq - b.event.seq)
  const waitingOf = (id: string): StoredDelivery[] =>
    inOrder(id).filter((one) => one.state === 'waiting')
  const write = (delivery: StoredDelivery): void =>
    put(ofEndpoint(delivery.endpointId), delivery.event.seq, delivery)
  const begin = (endpointId: string, event: StoredEvent, now: Date): void =>
    write({
      endpointId,
      event,
      state: 'waiting',
      attempts: 0,
      nextAt: now.getTime(),
      lockedUntil: 0,
      lastAt: null,
      lastStatus: null,
      lastError: null,
    })
  const firsts = (id: string): StoredDelivery[] => {
    const seen = new Set<string>()
    return waitingOf(id).filter(({ event }) => {
      const { resourceId } = event.row
      if (seen.has(resourceId)) return false
      seen.add(resourceId)
      return true
    })
  }
  const free = (id: string, now: Date): StoredDelivery[] =>
    firsts(id).filter(
      ({ nextAt, lockedUntil }) => nextAt <= now.getTime() && lockedUntil <= now.getTime(),
    )
  const disable = (endpoint: StoredEndpoint, reason: string | null): void => {
    const record = { ...endpoint.record, enabled: false, disabledReason: reason }
    put(endpoints, record.id, { ...endpoint, record })
    for (const one of waitingOf(record.id)) {
      write({ ...one, state: 'failed', lockedUntil: 0, lastError: reason ?? 'disabled' })
    }
  }

  return {
    async append(rows) {
      for (const row of rows) {
        state.seq += 1
        put(events, state.seq, { seq: state.seq, row })
      }
    },

    async read(tenant, { after = '0', types, limit = 100 } = {}) {
      if (!/^\d{1,15}$/.test(after)) throw invalidOutboxCursor()
      const found = [...events.values()]
        .filter(
          ({ seq, row }) =>
            seq > Number(after) &&
            row.tenant === tenant &&
            (types === undefined || types.includes(row.type)),
        )
        .slice(0, limit)
      const last = found.at(-1)
      return {
        events: found.map(({ row }) => eventOf(row)),
        next: last === undefined ? after : String(last.seq),
      }
    },

    async set(tenant, resourceId, setId) {
      return [...events.values()]
        .map(({ row }) => row)
        .filter(
          (row) => row.tenant === tenant && row.resourceId === resourceId && row.setId === setId,
        )
    },

    endpoints: {
      async insert(record, limit) {
        const isStream = (kind: EndpointRecord['kind']): boolean => kind !== 'webhook'
        const others = [...endpoints.values()].filter(
          (one) =>
            one.record.tenant === record.tenant &&
            isStream(one.record.kind) === isStream(record.kind),
        )
        if (others.length >= limit) return false
        put(endpoints, record.id, { record, position: state.seq })
        return true
      },
      async get(tenant, id) {
        const record = endpoints.get(id)?.record
        return record?.tenant === tenant ? record : null
      },
      byId: async (id) => endpoints.get(id)?.record ?? null,
      async list(tenant, kinds) {
        return [...endpoints.values()]
          .map(({ record }) => record)
          .filter((record) => record.tenant === tenant && kinds.includes(record.kind))
          .toSorted((a, b) => a.created.getTime() - b.created.getTime() || (a.id < b.id ? -1 : 1))
      },
      async update(tenant, id, patch) {
        const before = endpoints.get(id)
        if (before?.record.tenant !== tenant) return false
        const record = { ...before.record, ...patch }
        const again = record.enabled && !before.record.enabled
        const after = { record, position: again ? state.seq : before.position }
        put(endpoints, id, after)
        if (!record.enabled && before.record.enabled) disable(after, record.disabledReason)
        return true
      },
      async remove(tenant, id) {
        if (endpoints.get(id)?.record.tenant !== tenant) return false
        put(endpoints, id, undefined)
        put(deliveries, id, undefined)
        return true
      },
    },

    deliveries: {
      async collect(kinds, { now, limit, maxWaiting, endpointId }) {
        let made = 0
        for (const endpoint of endpoints.values()) {
          const { id, tenant, kind, enabled, events: names } = endpoint.record
          if (!enabled || !kinds.includes(kind)) continue
          if (endpointId !== undefined && id !== endpointId) continue
          const news = [...events.values()]
            .filter(({ seq, row }) => seq > endpoint.position && row.tenant === tenant)
            .slice(0, limit)
          const last = news.at(-1)
          if (last === undefined) continue
          const wanted = news.filter(({ row }) => isWanted(row, { kind, names }))
          for (const event of wanted) begin(id, event, now)
          const moved = { ...endpoint, position: last.seq }
          put(endpoints, id, moved)
          if (waitingOf(id).length > maxWaiting) disable(moved, 'too many waiting')
          made += news.length
        }
        return made
      },
      async due(kinds, now) {
        return [...endpoints.values()]
          .map(({ record }) => record)
          .filter(
            ({ id, kind, enabled }) => enabled && kinds.includes(kind) && free(id, now).length > 0,
          )
      },
      async claim(endpointId, { now, until, limit }) {
        const claimed = free(endpointId, now)
          .toSorted((a, b) => a.nextAt - b.nextAt || a.event.seq - b.event.seq)
          .slice(0, limit)
        for (const one of claimed) write({ ...one, lockedUntil: until.getTime() })
        return claimed.map(({ event, attempts }) => ({ event: event.row, attempts }))
      },
      async settle(endpointId, results, { now, lease }) {
        const byId = new Map(inOrder(endpointId).map((one) => [one.event.row.id, one]))
        let written = 0
        for (const result of results) {
          const before = byId.get(result.eventId)
          if (before?.state !== 'waiting') continue
          if (lease !== undefined && before.lockedUntil !== lease.getTime()) continue
          write({ ...before, ...deliveryFields(result), lockedUntil: 0, lastAt: now.getTime() })
          written += 1
        }
        return written
      },
      async release(endpointId, eventIds, lease) {
        for (const one of inOrder(endpointId)) {
          const isHeld = one.lockedUntil === lease.getTime()
          if (isHeld && eventIds.includes(one.event.row.id)) write({ ...one, lockedUntil: 0 })
        }
      },
      async waiting(endpointId, limit) {
        return waitingOf(endpointId)
          .slice(0, limit)
          .map(({ event }) => event.row)
      },
      async list(tenant, { endpointId, state: wanted, limit = 100, after }) {
        const place = after === undefined ? null : readDeliveryCursor(after)
        const all = [...endpoints.values()]
          .filter(
            ({ record }) =>
              record.tenant === tenant && (endpointId === undefined || record.id === endpointId),
          )
          .flatMap(({ record }) => inOrder(record.id))
          .filter((one) => wanted === undefined || one.state === wanted)
          .toSorted((a, b) => a.event.seq - b.event.seq || (a.endpointId < b.endpointId ? -1 : 1))
        const rest = place === null ? all : all.filter((one) => isBehind(one, place))
        const page = rest.slice(0, limit)
        const last = page.at(-1)
        const isWhole = rest.length <= limit
        const first = new Set(all.flatMap((one) => firsts(one.endpointId)))
        return {
          deliveries: page.map((one) => ({
            endpointId: one.endpointId,
            eventId: one.event.row.id,
            type: one.event.row.type,
            state: one.state,
            attempts: one.attempts,
            nextAt: first.has(one) ? new Date(one.nextAt) : null,
            lastAt: one.lastAt === null ? null : new Date(one.lastAt),
            lastStatus: one.lastStatus,
            lastError: one.lastError,
          })),
          next: last === undefined || isWhole ? null : placeOf(last),
        }
      },
      async replay(tenant, query, { now, limit }) {
        const endpoint = endpoints.get(query.endpointId)?.record
        if (endpoint?.tenant !== tenant) return 0
        const { id, kind, events: names } = endpoint
        const known = ofEndpoint(id)
        const chosen = [...events.values()].filter(
          ({ seq, row }) =>
            row.tenant === tenant &&
            isWanted(row, { kind, names }) &&
            isChosen(row, query) &&
            (query.failed !== true || known.get(seq)?.state === 'failed') &&
            known.get(seq)?.state !== 'waiting',
        )
        if (chosen.length > limit) return null
        for (const event of chosen) begin(id, event, now)
        return chosen.length
      },
    },

    async prune(before) {
      const limit = before.getTime()
      let count = 0
      for (const event of events.values()) {
        const { seq, row } = event
        if (Date.parse(row.at) >= limit) continue
        const isAwaited = [...endpoints.values()].some(
          ({ record, position }) =>
            record.tenant === row.tenant && record.enabled && position < seq,
        )
        const made = [...endpoints.keys()].flatMap((id) => ofEndpoint(id).get(seq) ?? [])
        const isOpen = made.some(
          ({ state: now, lastAt }) => now === 'waiting' || (lastAt !== null && lastAt >= limit),
        )
        if (isAwaited || isOpen) continue
        put(events, seq, undefined)
        for (const { endpointId } of made) put(ofEndpoint(endpointId), seq, undefined)
        count += 1
      }
      return count
    },
  }
}

/** Streams get one delivery per set; the events are selected when the token is created. */
function isWanted(
  row: OutboxRow,
  { kind, names }: { readonly kind: string; readonly names: readonly string[] | null },
): boolean {
  if (kind !== 'webhook') return row.id === row.setId
  return names === null || names.includes(row.type)
}

function isChosen(row: OutboxRow, { eventIds, from, to }: ReplayQuery): boolean {
  const at = Date.parse(row.at)
  return (
    (eventIds === undefined || eventIds.includes(row.id)) &&
    (from === undefined || at >= from.getTime()) &&
    (to === undefined || at <= to.getTime())
  )
}

function deliveryFields({ state, attempts, nextAt, lastStatus, lastError }: DeliveryResult) {
  return { state, attempts, nextAt: nextAt?.getTime() ?? 0, lastStatus, lastError }
}

function placeOf({ event, endpointId }: StoredDelivery): string {
  return `${event.seq}.${endpointId}`
}

function isBehind(
  { event, endpointId }: StoredDelivery,
  place: ReturnType<typeof readDeliveryCursor>,
): boolean {
  return event.seq > place.seq || (event.seq === place.seq && endpointId > place.endpointId)
}

/** The JSON was written by this package, so it is an object. */
function eventOf({ setId: _setId, op: _op, data, ...row }: OutboxRow): OutboxEvent {
  return { ...row, data: JSON.parse(data) as OutboxEvent['data'] }
}
