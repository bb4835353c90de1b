import { createSystemRuntime, type Runtime } from '@x/wire'
import type {
  Delivery,
  DeliveryQuery,
  EndpointRecord,
  OutboxEvent,
  OutboxQuery,
  OutboxStore,
  ReplayQuery,
} from '../store/outbox.ts'
import { attemptOf, readAnswer } from './answer.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { createEndpointSecrets } from './endpoint-secrets.ts'
import { OUTBOX_EVENTS, type OutboxEventName } from './event-names.ts'
import { createGuardedFetch, type DeliveryFetch } from './guarded-fetch.ts'
import { createSealer } from './seal.ts'
import { readTargetUrl } from './target-url.ts'
import { webhookBody } from './webhook-body.ts'
import { signWebhook, webhookSecret } from './webhook-signature.ts'

export interface WebhooksOptions {
  /** `store.outbox` of a store whose service has `outbox: true`. */
  readonly store: OutboxStore
  /** At least 32 characters; encrypts the secrets of endpoints. */
  readonly secretKey: string | readonly string[]
  readonly runtime?: Runtime
  /** Default: on Node a fetch that refuses private addresses. A custom fetch must guard itself. */
  readonly fetch?: DeliveryFetch
  /** Concurrent requests in this process. Default 8. */
  readonly concurrency?: number
  /** Default 15,000. */
  readonly timeoutMs?: number
  /** Seconds before each further attempt. Default: 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 1 day. */
  readonly retryDelays?: readonly number[]
  /** Allows http on loopback and private addresses, for tests and development. Default false. */
  readonly allowLoopback?: boolean
  readonly onError?: (error: unknown) => void
}

/** An endpoint as shown, without its secret. */
export interface WebhookEndpoint {
  readonly id: string
  readonly tenant: string
  readonly url: string
  /** null: all. */
  readonly events: readonly string[] | null
  readonly description: string | null
  readonly enabled: boolean
  /** `410 Gone`, `too many waiting`, or null. */
  readonly disabledReason: string | null
  readonly created: Date
}

export interface WebhookEndpoints {
  /**
   * The secret is only returned here.
   * @throws TypeError for a non-public address or an unknown event name; RangeError if the tenant has 20
   * endpoints
   */
  create(input: {
    readonly tenant: string
    readonly url: string
    readonly events?: readonly OutboxEventName[]
    readonly description?: string
  }): Promise<{ readonly id: string; readonly secret: string }>
  list(tenant: string): Promise<WebhookEndpoint[]>
  get(tenant: string, id: string): Promise<WebhookEndpoint | null>
  /** False if it does not exist. @throws TypeError as `create` */
  update(
    tenant: string,
    id: string,
    patch: {
      readonly url?: string
      readonly events?: readonly OutboxEventName[] | null
      readonly enabled?: boolean
      readonly description?: string | null
    },
  ): Promise<boolean>
  /** Also removes its deliveries. False if it does not exist. */
  remove(tenant: string, id: string): Promise<boolean>
  /**
   * Creates a new secret; the ones before also sign, for at most `overlapSeconds` (default 86,400) from now.
   * @throws RangeError if the endpoint does not exist
   */
  rotate(
    tenant: string,
    id: string,
    options?: { readonly overlapSeconds?: number },
  ): Promise<{ readonly secret: string }>
}

/** Sends committed changes as signed webhooks. */
export interface Webhooks extends Dispatcher {
  readonly endpoints: WebhookEndpoints
  deliveries(
    tenant: string,
    query?: DeliveryQuery,
  ): Promise<{ readonly deliveries: Delivery[]; readonly next: string | null }>
  /** Resends events. @throws RangeError for more than 10,000 */
  replay(tenant: string, query: ReplayQuery): Promise<{ readonly count: number }>
  events(
    tenant: string,
    query?: OutboxQuery,
  ): Promise<{ readonly events: OutboxEvent[]; readonly next: string }>
  /** Deletes settled events older than a time and returns their number. Keep 30 days. */
  prune(before: Date): Promise<number>
}

const MAX_ENDPOINTS = 20
const MAX_REPLAYED = 10_000
/** Maximum secrets that sign at the same time, after several rotations. */
const MAX_OLD_SECRETS = 4
const DAY_SECONDS = 86_400
/** Seconds: 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 1 day. */
export const RETRY_DELAYS: readonly number[] = [5, 30, 120, 600, 3_600, 21_600, DAY_SECONDS]

/** @throws TypeError for a `secretKey` under 32 characters */
export function createWebhooks({
  store,
  secretKey,
  runtime = createSystemRuntime(),
  allowLoopback = false,
  fetch: send = createGuardedFetch(allowLoopback),
  concurrency = 8,
  timeoutMs = 15_000,
  retryDelays = RETRY_DELAYS,
  onError = () => undefined,
}: WebhooksOptions): Webhooks {
  const secrets = createEndpointSecrets(createSealer(secretKey, runtime))
  const newSecret = (): string => webhookSecret(runtime.randomBytes(32))

  const dispatcher = createDispatcher({
    store,
    kinds: ['webhook'],
    runtime,
    concurrency,
    timeoutMs,
    retryDelays,
    onError,
    async send(endpoint, { event }, signal) {
      const now = runtime.now()
      const known = await secrets.open(endpoint)
      const valid = known.filter(({ until = Infinity }) => until > now.getTime())
      const body = webhookBody(event)
      const seconds = Math.floor(now.getTime() / 1_000)
      const signature = signWebhook(
        valid.map(({ secret }) => secret),
        { id: event.id, seconds, body },
      )
      const response = await send(endpoint.url ?? '', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'x-scim-webhooks/1',
          'webhook-id': event.id,
          'webhook-timestamp': String(seconds),
          'webhook-signature': signature,
        },
        body,
        redirect: 'manual',
        signal,
      })
      await readAnswer(response, runtime)
      return attemptOf(response, runtime.now())
    },
  })

  const find = async (tenant: string, id: string): Promise<EndpointRecord | null> => {
    const record = await store.endpoints.get(tenant, id)
    return record?.kind === 'webhook' ? record : null
  }

  const endpoints: WebhookEndpoints = {
    async create({ tenant, url, events, description }) {
      const id = runtime.uuid()
      const secret = newSecret()
      const record: EndpointRecord = {
        id,
        tenant,
        kind: 'webhook',
        url: readTargetUrl(url, allowLoopback),
        audience: null,
        events: readEvents(events),
        description: description ?? null,
        secrets: await secrets.seal(id, [{ secret }]),
        enabled: true,
        disabledReason: null,
        created: runtime.now(),
      }
      if (!(await store.endpoints.insert(record, MAX_ENDPOINTS))) {
        throw new RangeError(`A tenant can have at most ${MAX_ENDPOINTS} webhook endpoints`)
      }
      return { id, secret }
    },
    list: async (tenant) => (await store.endpoints.list(tenant, ['webhook'])).map(toEndpoint),
    async get(tenant, id) {
      const record = await find(tenant, id)
      return record && toEndpoint(record)
    },
    async update(tenant, id, { url, events, enabled, description }) {
      if ((await find(tenant, id)) === null) return false
      return store.endpoints.update(tenant, id, {
        ...(url !== undefined && { url: readTargetUrl(url, allowLoopback) }),
        ...(events !== undefined && { events: readEvents(events) }),
        ...(enabled !== undefined && { enabled, disabledReason: null }),
        ...(description !== undefined && { description }),
      })
    },
    remove: async (tenant, id) =>
      (await find(tenant, id)) !== null && store.endpoints.remove(tenant, id),
    async rotate(tenant, id, { overlapSeconds = DAY_SECONDS } = {}) {
      const record = await find(tenant, id)
      if (record === null) throw new RangeError('The webhook endpoint does not exist')
      const now = runtime.now().getTime()
      const end = now + overlapSeconds * 1_000
      const secret = newSecret()
      const old = (await secrets.open(record))
        .filter(({ until = Infinity }) => until > now)
        .slice(0, MAX_OLD_SECRETS)
        .map((one) => ({ ...one, until: Math.min(one.until ?? end, end) }))
      const sealed = await secrets.seal(id, [{ secret }, ...old])
      await store.endpoints.update(tenant, id, { secrets: sealed })
      return { secret }
    },
  }

  return {
    ...dispatcher,
    endpoints,
    deliveries: (tenant, query = {}) => store.deliveries.list(tenant, query),
    async replay(tenant, query) {
      const count = await store.deliveries.replay(tenant, query, {
        now: runtime.now(),
        limit: MAX_REPLAYED,
      })
      if (count === null)
        throw new RangeError(`At most ${MAX_REPLAYED} events can be sent again at once`)
      return { count }
    },
    events: (tenant, query) => store.read(tenant, query),
    prune: (before) => store.prune(before),
  }
}

function toEndpoint(record: EndpointRecord): WebhookEndpoint {
  const { id, tenant, events, description, enabled, disabledReason, created } = record
  const url = record.url ?? ''
  return { id, tenant, url, events, description, enabled, disabledReason, created }
}

/** @throws TypeError */
function readEvents(events: readonly string[] | null = null): readonly string[] | null {
  const unknown = events?.find((name) => !OUTBOX_EVENTS.some((known) => known === name))
  if (unknown !== undefined) throw new TypeError(`Unknown event ${unknown.slice(0, 100)}`)
  return events === null ? null : [...new Set(events)]
}
