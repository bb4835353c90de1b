import type { FlowSettings } from '../../settings.ts'
import type { FlowRecord } from '../../store/flows.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import type { ApiKeyService } from '../accounts/api-keys.ts'
import type { RunOrigin } from '../runs/run-origin.ts'
import type { FlowService } from '../flows/flows.ts'
import type { PinnableFlow } from '../flows/flow-versions.ts'
import { refuseAskingFlow } from '../runs/asking-flows.ts'
import { refuse, Refusal } from '../../refusal.ts'
import { isFlowError, type BuildRequest } from '@x/flow-engine'
import type { BuildMetadata } from '../runs/build-metadata.ts'
import type { PlanCache } from '../runs/plan-cache.ts'
import type { Once, OnceJobs } from '../runs/once.ts'
import type { Runner } from '../runs/runner.ts'

/** Runs started by webhooks. */
export interface WebhookService {
  /** True if webhooks need no key. */
  readonly isOpen: boolean
  /** @throws Refusal 404, also if the flow's owner is blocked */
  find(idOrName: string, userId: string | null): Promise<FlowRecord>
  /** @throws Refusal 401, 403 if webhooks require a key */
  authorize(flow: FlowRecord, key: string | undefined): Promise<Pick<RunOrigin, 'keyHash'>>
  /**
   * Queues the run as a resumable job without waiting for it. A flow without a Webhook component is
   * ignored, and one that cannot be built fails silently.
   * @throws Refusal 400 for an empty body; 429, or 503 if callers are authenticated, if too many are waiting
   */
  start(flow: PinnableFlow, body: string, origin?: RunOrigin, once?: Once): Promise<void>
}

export interface WebhookServiceOptions {
  readonly store: Pick<FlowStore, 'users'>
  readonly settings: FlowSettings
  readonly flows: Pick<FlowService, 'findForWebhook'>
  readonly plans: PlanCache
  readonly runner: Pick<Runner, 'enqueue'>
  readonly onceJobs: Pick<OnceJobs, 'start'>
  readonly apiKeys: Pick<ApiKeyService, 'find' | 'countUse'>
}

const EMPTY = 'Request body is empty. You should provide a JSON payload containing the flow ID.'

export function createWebhookService(options: WebhookServiceOptions): WebhookService {
  const { store, settings, flows, plans, runner, onceJobs, apiKeys } = options
  return {
    isOpen: !settings.webhookAuthEnable,
    async find(idOrName, userId) {
      const flow = await flows.findForWebhook(idOrName, userId)
      const owner = flow === null ? null : await store.users.get(flow.userId)
      if (flow === null || owner?.isActive !== true)
        throw refuse(404, `Flow identifier ${idOrName} not found`)
      return flow
    },
    async authorize(flow, key) {
      if (!settings.webhookAuthEnable) return {}
      if (key === undefined)
        throw refuse(403, 'API key required when webhook authentication is enabled')
      const record = await apiKeys.find(key)
      if (record === null) throw refuse(403, 'Invalid API key')
      const user = await store.users.get(record.userId)
      if (user?.isActive !== true) throw refuse(401, 'Inactive user')
      if (user.id !== flow.userId)
        throw refuse(403, 'Access denied: You can only execute webhooks for flows you own')
      apiKeys.countUse(record)
      return { keyHash: record.hash }
    },
    async start(flow, body, origin, once) {
      if (body === '') throw refuse(400, EMPTY)
      const tweaks = webhookTweaks(flow, body)
      if (flow.data === null || Object.keys(tweaks).length === 0) return
      refuseAskingFlow(plans, flow)
      const metadata: BuildMetadata = {
        ownerId: flow.userId,
        storedFlowId: flow.id,
        isPublic: false,
        isForeign: !settings.webhookAuthEnable,
        logBuilds: true,
        form: 'run',
        door: 'webhook',
      }
      try {
        const run: BuildRequest = {
          flow: plans.get(flow.id, flow.name, flow.data, flow.version),
          mode: 'run',
          input: { value: '', type: 'chat' },
          outputType: 'chat',
          tweaks,
          flowId: flow.id,
          flowName: flow.name,
          userId: flow.userId,
          lane: 'webhook',
          resumable: true,
          ...(flow.version === undefined ? {} : { flowVersion: flow.version }),
          ...origin,
          metadata: { ...metadata },
        }
        await (once === undefined ? runner.enqueue(run) : onceJobs.start(once, run))
      } catch (error) {
        if (!isFlowError(error) || error instanceof Refusal) throw error
        if (error.code !== 'limit_exceeded') return
        throw refuse(settings.webhookAuthEnable ? 503 : 429, 'Too many webhook calls are waiting', {
          headers: { 'retry-after': '5' },
          cause: error,
        })
      }
    },
  }
}

/** Sets the field `data` of every Webhook component to the body. */
function webhookTweaks({ data }: FlowRecord, body: string): Record<string, unknown> {
  const tweaks = Object.create(null) as Record<string, unknown>
  const graph = data === null ? {} : (JSON.parse(data) as { nodes?: unknown })
  for (const node of Array.isArray(graph.nodes) ? (graph.nodes as unknown[]) : []) {
    const { id, data: inner } = (node ?? {}) as { id?: unknown; data?: { type?: unknown } }
    const isWebhook =
      typeof id === 'string' && (inner?.type === 'Webhook' || id.startsWith('Webhook'))
    if (isWebhook) tweaks[id] = { data: body }
  }
  return tweaks
}
