import type { ScimDocument } from '../base/document.ts'

/** A committed change as the outbox keeps it (SH-20). */
export interface OutboxEvent {
  readonly id: string
  readonly tenant: string
  /** The name of the event: `user.updated`. */
  readonly type: string
  readonly resourceType: string
  readonly resourceId: string
  /** RFC 3339, UTC with milliseconds. */
  readonly at: string
  readonly requestId: string
  /** The id of the principal; null for calls in process. */
  readonly actor: string | null
  /** Further data of the event of that name. */
  readonly data: ScimDocument
}

/** An event as it is written, with its payload as JSON text. */
export interface OutboxRow extends Omit<OutboxEvent, 'data'> {
  /** The id of the first event of those that one request causes on one resource. */
  readonly setId: string
  /** `put` if a whole resource was sent; else `patch`. */
  readonly op: 'put' | 'patch'
  readonly data: string
}

export interface OutboxQuery {
  /** The `next` of an earlier page. Default: the start. */
  readonly after?: string
  /** Names of events; all by default. */
  readonly types?: readonly string[]
  /** 100 by default. */
  readonly limit?: number
}

/** The target of deliveries: a host's address, or a stream of Security Event Tokens. */
export interface EndpointRecord {
  readonly id: string
  readonly tenant: string
  readonly kind: 'webhook' | 'push' | 'poll'
  /** null: a stream that is polled. */
  readonly url: string | null
  /** Audience of a stream. */
  readonly audience: string | null
  /** Names of events, or URIs of a stream; null: all. */
  readonly events: readonly string[] | null
  readonly description: string | null
  /** Sealed, or the digest of a token. */
  readonly secrets: string
  readonly enabled: boolean
  readonly disabledReason: string | null
  readonly created: Date
}

export type EndpointKind = EndpointRecord['kind']

export type EndpointPatch = Partial<
  Pick<
    EndpointRecord,
    'url' | 'audience' | 'events' | 'description' | 'secrets' | 'enabled' | 'disabledReason'
  >
>

/** The endpoints of all tenants. */
export interface EndpointStore {
  /**
   * A new endpoint gets the events that are committed from now on. False: the tenant has `limit` endpoints
   * of this kind already, where streams of both kinds count together.
   */
  insert(record: EndpointRecord, limit: number): Promise<boolean>
  get(tenant: string, id: string): Promise<EndpointRecord | null>
  /** The endpoint of any tenant. */
  byId(id: string): Promise<EndpointRecord | null>
  /** By created, then id. */
  list(tenant: string, kinds: readonly EndpointKind[]): Promise<EndpointRecord[]>
  /**
   * Enabling an endpoint again lets it get the events from then on. Disabling it fails what waits for it.
   * False: there is none.
   */
  update(tenant: string, id: string, patch: EndpointPatch): Promise<boolean>
  /** With its deliveries. */
  remove(tenant: string, id: string): Promise<boolean>
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** The state of one event at one endpoint. */
export interface Delivery {
  readonly endpointId: string
  readonly eventId: string
  readonly type: string
  readonly state: DeliveryState
  readonly attempts: number
  /** Null if settled, or if an earlier event of its resource is pending. */
  readonly nextAt: Date | null
  readonly lastAt: Date | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** A delivery that one process may make until its lease ends. */
export interface ClaimedDelivery {
  readonly event: OutboxRow
  /** Number of attempts. */
  readonly attempts: number
}

/** The result of an attempt. */
export interface DeliveryResult {
  readonly eventId: string
  readonly state: DeliveryState
  readonly attempts: number
  /** For `waiting`: the time of the next attempt. */
  readonly nextAt: Date | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

export interface DeliveryQuery {
  readonly endpointId?: string
  readonly state?: DeliveryState
  /** 100 by default. */
  readonly limit?: number
  readonly after?: string
}

/** Which events an endpoint gets once more. */
export interface ReplayQuery {
  readonly endpointId: string
  /** Only those that failed. */
  readonly failed?: boolean
  readonly eventIds?: readonly string[]
  readonly from?: Date
  readonly to?: Date
}

/**
 * The deliveries of all tenants. A worker claims them first, so there may be any number of workers.
 */
export interface DeliveryStore {
  /**
   * Makes deliveries of the events that were committed since, up to `limit` for each endpoint. An endpoint
   * with more than `maxWaiting` of them is disabled. Gives how many were made; 0: there is no news.
   */
  collect(
    kinds: readonly EndpointKind[],
    options: {
      readonly now: Date
      readonly limit: number
      readonly maxWaiting: number
      readonly endpointId?: string
    },
  ): Promise<number>
  /** Enabled endpoints with due deliveries that are not claimed. */
  due(kinds: readonly EndpointKind[], now: Date): Promise<EndpointRecord[]>
  /** Due deliveries, of each resource only the earliest; no other worker gets them before `until`. */
  claim(
    endpointId: string,
    options: { readonly now: Date; readonly until: Date; readonly limit: number },
  ): Promise<ClaimedDelivery[]>
  /**
   * Writes the results of attempts. With `lease`, the `until` of the claim, those that another
   * process has taken over meanwhile are left alone. Gives the number written.
   */
  settle(
    endpointId: string,
    results: readonly DeliveryResult[],
    options: { readonly now: Date; readonly lease?: Date },
  ): Promise<number>
  /** Gives claimed deliveries back before the end of their lease. */
  release(endpointId: string, eventIds: readonly string[], lease: Date): Promise<void>
  /** The waiting deliveries of an endpoint, in the order of the events, due or not. */
  waiting(endpointId: string, limit: number): Promise<OutboxRow[]>
  list(
    tenant: string,
    query: DeliveryQuery,
  ): Promise<{ deliveries: Delivery[]; next: string | null }>
  /** Makes events wait again. Gives how many; null: more than `limit`, and nothing was done. */
  replay(
    tenant: string,
    query: ReplayQuery,
    options: { readonly now: Date; readonly limit: number },
  ): Promise<number | null>
}

/**
 * Committed changes in the order of their commits, and their deliveries. Of a transaction: `append` writes
 * in it; what is rolled back was never there.
 */
export interface OutboxStore {
  append(rows: readonly OutboxRow[]): Promise<void>
  /**
   * Events of a tenant. A reader that continues from `next`, which is on the last page too, never
   * misses one whose transaction was open while the page was read (SH-21).
   * @throws TypeError for an invalid `after`
   */
  read(tenant: string, query?: OutboxQuery): Promise<{ events: OutboxEvent[]; next: string }>
  /** The rows of one set, in order. */
  set(tenant: string, resourceId: string, setId: string): Promise<OutboxRow[]>
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
  /** Deletes settled events from before a time; gives their number. */
  prune(before: Date): Promise<number>
}

/** Thrown for a cursor that does not come from this store. */
export function invalidOutboxCursor(): TypeError {
  return new TypeError('after must be a cursor that this outbox gave')
}
