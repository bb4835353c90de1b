import { encodeBase64Url, type Runtime } from '@x/wire'
import { sha256Hex } from '../base/digest.ts'
import type { EndpointRecord, OutboxStore } from '../store/outbox.ts'
import type { createEndpointSecrets } from './endpoint-secrets.ts'
import { readTargetUrl } from './target-url.ts'

/** The delivery method of a stream's tokens. */
export type StreamDelivery =
  | { readonly method: 'push'; readonly url: string; readonly authorization?: string }
  | { readonly method: 'poll' }

/** A stream as shown, without its credentials. */
export interface SecurityEventStream {
  readonly id: string
  readonly tenant: string
  readonly audience: string
  readonly delivery: { readonly method: 'push'; readonly url: string } | { readonly method: 'poll' }
  /** URIs; null: all. */
  readonly events: readonly string[] | null
  readonly enabled: boolean
  readonly disabledReason: string | null
  readonly created: Date
}

export interface SecurityEventStreams {
  /**
   * `token` authorises the receiver of a poll stream and is only returned here.
   * @throws TypeError for a non-public address or an unknown URI; RangeError if the tenant has 20 streams
   */
  create(input: {
    readonly tenant: string
    readonly audience: string
    readonly delivery: StreamDelivery
    readonly events?: readonly string[]
  }): Promise<{ readonly id: string; readonly token?: string }>
  list(tenant: string): Promise<SecurityEventStream[]>
  /** False if it does not exist. @throws TypeError as `create` */
  update(
    tenant: string,
    id: string,
    patch: {
      readonly audience?: string
      readonly events?: readonly string[] | null
      readonly enabled?: boolean
      readonly url?: string
      readonly authorization?: string
    },
  ): Promise<boolean>
  remove(tenant: string, id: string): Promise<boolean>
}

const KINDS = ['push', 'poll'] as const
const MAX_STREAMS = 20

export function createStreams({
  store,
  secrets,
  runtime,
  allowLoopback,
  eventUris,
}: {
  readonly store: OutboxStore
  readonly secrets: ReturnType<typeof createEndpointSecrets>
  readonly runtime: Runtime
  readonly allowLoopback: boolean
  readonly eventUris: readonly string[]
}): SecurityEventStreams {
  const readEvents = (events: readonly string[] | null = null): readonly string[] | null => {
    const unknown = events?.find((uri) => !eventUris.includes(uri))
    if (unknown !== undefined) throw new TypeError(`Unknown event ${unknown.slice(0, 100)}`)
    return events
  }
  const sealed = (id: string, authorization: string | undefined): Promise<string> =>
    secrets.seal(id, authorization === undefined ? [] : [{ secret: authorization }])

  return {
    async create({ tenant, audience, delivery, events }) {
      const id = runtime.uuid()
      const isPush = delivery.method === 'push'
      const token = isPush ? undefined : `set_${encodeBase64Url(runtime.randomBytes(32))}`
      const record: EndpointRecord = {
        id,
        tenant,
        kind: delivery.method,
        url: isPush ? readTargetUrl(delivery.url, allowLoopback) : null,
        audience,
        events: readEvents(events),
        description: null,
        secrets: isPush ? await sealed(id, delivery.authorization) : sha256Hex(token ?? ''),
        enabled: true,
        disabledReason: null,
        created: runtime.now(),
      }
      if (!(await store.endpoints.insert(record, MAX_STREAMS))) {
        throw new RangeError(`A tenant can have at most ${MAX_STREAMS} streams`)
      }
      return { id, ...(token !== undefined && { token }) }
    },
    list: async (tenant) => (await store.endpoints.list(tenant, KINDS)).map(toStream),
    async update(tenant, id, { audience, events, enabled, url, authorization }) {
      const record = await store.endpoints.get(tenant, id)
      if (record === null || record.kind === 'webhook') return false
      const isPush = record.kind === 'push'
      return store.endpoints.update(tenant, id, {
        ...(audience !== undefined && { audience }),
        ...(events !== undefined && { events: readEvents(events) }),
        ...(enabled !== undefined && { enabled, disabledReason: null }),
        ...(isPush && url !== undefined && { url: readTargetUrl(url, allowLoopback) }),
        ...(isPush && authorization !== undefined && { secrets: await sealed(id, authorization) }),
      })
    },
    async remove(tenant, id) {
      const record = await store.endpoints.get(tenant, id)
      if (record === null || record.kind === 'webhook') return false
      return store.endpoints.remove(tenant, id)
    },
  }
}

function toStream(record: EndpointRecord): SecurityEventStream {
  const { id, tenant, events, enabled, disabledReason, created, url } = record
  const delivery = url === null ? { method: 'poll' as const } : { method: 'push' as const, url }
  const audience = record.audience ?? ''
  return { id, tenant, audience, delivery, events, enabled, disabledReason, created }
}
