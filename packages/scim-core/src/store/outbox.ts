import type { ScimDocument } from '../base/document.ts'

/** A committed change in the outbox. */
export interface OutboxEvent {
  readonly id: string
  readonly tenant: string
  /** Name of the event, such as `user.updated`. */
  readonly type: string
  readonly resourceType: string
  readonly resourceId: string
  /** RFC 3339, UTC with milliseconds. */
  readonly at: string
  readonly requestId: string
  /** Id of the principal; null for in-process calls. */
  readonly actor: string | null
  /** Further data of the event. */
  readonly data: ScimDocument
}

/** An event as written, with its payload as JSON. */
export interface OutboxRow extends Omit<OutboxEvent, 'data'> {
  /**
   * Id of the first of the events that one request causes on one resource; the ids of all of them begin with
   * the same time (48 bits, RFC 9562 version 7).
   */
  readonly setId: string
  /** `put` if a whole resource was sent; else `patch`. */
  readonly op: 'put' | 'patch'
  readonly data: string
}

export interface OutboxQuery {
  /** `next` of an earlier page. Default: the start. */
  readonly after?: string
  /** Names of events. Default: all. */
  readonly types?: readonly string[]
  /** Default 100. */
  readonly limit?: number
}

/** The target of deliveries: a host's URL, or a stream of Security Event Tokens. */
export interface EndpointRecord {
  readonly id: string
  readonly tenant: string
  readonly kind: 'webhook' | 'push' | 'poll'
  /** null: a stream that is polled. */
  readonly url: string | null
  /** Audience of a stream. */
  readonly audience: string | null
  /** Names of events, or URIs for a stream; null: all. */
  readonly events: readonly string[] | null
  readonly description: string | null
  /** Encrypted, or the digest of a token. */
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
   * A new endpoint gets the events committed from now on. False if the tenant already has `limit` endpoints
   * of this kind; both kinds of streams count together.
   */
  insert(record: EndpointRecord, limit: number): Promise<boolean>
  get(tenant: string, id: string): Promise<EndpointRecord | null>
  /** An endpoint of any tenant. */
  byId(id: string): Promise<EndpointRecord | null>
  /** By created, then id. */
  list(tenant: string, kinds: readonly EndpointKind[]): Promise<EndpointRecord[]>
  /**
   * A re-enabled endpoint gets events from then on. Disabling it fails its waiting deliveries. False if it
   * does not exist.
   */
  update(tenant: string, id: string, patch: EndpointPatch): Promise<boolean>
  /** Also removes its deliveries. */
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

/** A delivery claimed by one process until its lease expires. */
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
  /** Default 100. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

/** Selects events to deliver again. */
export interface ReplayQuery {
  readonly endpointId: string
  /** Only failed ones. */
  readonly failed?: boolean
  readonly eventIds?: readonly string[]
  readonly from?: Date
  readonly to?: Date
}

/** The deliveries of all tenants. Workers claim deliveries first, so any number of them may run. */
export interface DeliveryStore {
  /**
   * Creates deliveries of newly committed events, up to `limit` per endpoint. An endpoint with more than
   * `maxWaiting` of them is disabled. Returns how many were created; 0 if there are no new events.
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
  /**
   * Claims due deliveries, only the earliest of each resource; no other worker gets them before `until`.
   */
  claim(
    endpointId: string,
    options: { readonly now: Date; readonly until: Date; readonly limit: number },
  ): Promise<ClaimedDelivery[]>
  /**
   * Writes the results of attempts. With `lease` (the claim's `until`), deliveries taken over by another
   * process are not changed. Returns the number written.
   */
  settle(
    endpointId: string,
    results: readonly DeliveryResult[],
    options: { readonly now: Date; readonly lease?: Date },
  ): Promise<number>
  /** Releases claimed deliveries before their lease expires. */
  release(endpointId: string, eventIds: readonly string[], lease: Date): Promise<void>
  /** The waiting deliveries of an endpoint in event order, due or not. */
  waiting(endpointId: string, limit: number): Promise<OutboxRow[]>
  /** @throws TypeError for an invalid `after` */
  list(
    tenant: string,
    query: DeliveryQuery,
  ): Promise<{ deliveries: Delivery[]; next: string | null }>
  /**
   * Makes events wait again. Returns how many; null if there are more than `limit`, in which case nothing
   * is changed.
   */
  replay(
    tenant: string,
    query: ReplayQuery,
    options: { readonly now: Date; readonly limit: number },
  ): Promise<number | null>
}

/**
 * Committed changes in commit order, and their deliveries. Within a transaction, `append` is part of it.
 */
export interface OutboxStore {
  append(rows: readonly OutboxRow[]): Promise<void>
  /**
   * Events of a tenant. A reader that continues from `next`, which the last page has too, never misses an
   * event whose transaction was open while the page was read.
   * @throws TypeError for an invalid `after`
   */
  read(tenant: string, query?: OutboxQuery): Promise<{ events: OutboxEvent[]; next: string }>
  /** The rows of one set, in order. */
  set(tenant: string, resourceId: string, setId: string): Promise<OutboxRow[]>
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
  /** Deletes settled events older than a time; returns their number. */
  prune(before: Date): Promise<number>
}

/** Thrown for a cursor not issued by this store. */
export function invalidOutboxCursor(): TypeError {
  return new TypeError('after must be a cursor returned by this outbox')
}

/**
 * Reads the `next` of a list of deliveries, which is `SEQUENCE.ENDPOINT` of its last one.
 * @throws TypeError for a cursor not issued by this store
 */
export function readDeliveryCursor(text: string): {
  readonly seq: number
  readonly endpointId: string
} {
  const [, seq, endpointId] = /^(\d{1,15})\.([\w-]{1,100})$/.exec(text) ?? []
  if (seq === undefined || endpointId === undefined) throw invalidOutboxCursor()
  return { seq: Number(seq), endpointId }
}
