import { createSystemRuntime } from '@x/flow-engine'
import type { OutboxStore } from '@x/scim-core'
import { createWebhooks, type Webhooks, type WebhooksOptions } from '@x/scim-core/outbound'

const DAY_MS = 86_400_000
/** Events contain user attributes, so they are removed 30 days after their last delivery. */
const RETENTION_MS = 30 * DAY_MS

export interface OutboxOptions {
  readonly store: OutboxStore
  /** Without it nothing is sent. */
  readonly secretKey: string | undefined
  /** Private hosts webhooks may reach, through a fetch that checks them. */
  readonly privateHosts?: { readonly fetch: NonNullable<WebhooksOptions['fetch']> }
  readonly onError: (error: unknown) => void
}

/** A running outbox. */
export interface RunningOutbox {
  readonly webhooks: Webhooks | null
  /** Finishes deliveries in progress. */
  stop(): Promise<void>
}

/** Delivers the events of the outbox, and removes old ones once a day. */
export function startOutbox({
  store,
  secretKey,
  privateHosts,
  onError,
}: OutboxOptions): RunningOutbox {
  const stopping = new AbortController()
  const { signal } = stopping
  const webhooks =
    secretKey === undefined
      ? null
      : createWebhooks({
          store,
          secretKey,
          onError,
          ...(privateHosts && { allowLoopback: true, fetch: privateHosts.fetch }),
        })
  const running = [
    webhooks?.run({ signal }) ?? Promise.resolve(),
    pruneDaily(store, signal, onError),
  ]
  return {
    webhooks,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function pruneDaily(
  store: OutboxStore,
  signal: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  const runtime = createSystemRuntime()
  while (!signal.aborted) {
    await runtime.sleep(DAY_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    await store.prune(new Date(runtime.now().getTime() - RETENTION_MS)).catch(onError)
  }
}
