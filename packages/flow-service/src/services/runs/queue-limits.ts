import type { QueueOptions } from '@x/flow-engine/internal'
import type { FlowSettings } from '../../settings.ts'

/** Maximum number of waiting jobs in the lanes of visitors and webhooks. */
const PUBLIC_WAITING = 20
const WEBHOOKS_WAITING = 100

/**
 * The lanes of a service: visitors of public flows share a few slots, webhooks have their own.
 */
export function queueLimits(
  places: number,
  { maxPublicBuilds, maxWebhookRuns }: Pick<FlowSettings, 'maxPublicBuilds' | 'maxWebhookRuns'>,
): Record<'public' | 'webhook', QueueOptions> {
  const usual = Math.max(2, Math.floor(places / 4))
  const most = Math.max(1, Math.min(maxPublicBuilds ?? usual, places - 1))
  return {
    public: { concurrency: most, maxQueued: PUBLIC_WAITING },
    webhook: { concurrency: maxWebhookRuns, maxQueued: WEBHOOKS_WAITING, beside: true },
  }
}
