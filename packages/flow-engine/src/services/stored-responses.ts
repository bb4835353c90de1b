import type { Runtime } from '@x/wire'
import { createRetention } from '../jobs/retention.ts'
import type { JobStore } from '../store/job-store.ts'
import { isObject } from '../wire/is-object.ts'
import type { OpenAiResponseJson, OutputItem } from './openai-response-format.ts'

/** A response that can be read again, and what continues it. */
export interface StoredResponse {
  readonly response: OpenAiResponseJson
  readonly input: readonly OutputItem[]
  readonly sessionId: string
}

/** Responses of users (RS-30, RS-34, RS-35). */
export interface StoredResponses {
  put(userId: string, flowId: string, stored: StoredResponse): Promise<void>
  /** Null for one that is unknown, another user's, deleted or trimmed. */
  get(userId: string, id: string): Promise<StoredResponse | null>
  /** False as `get` gives null. */
  remove(userId: string, id: string): Promise<boolean>
}

export interface StoredResponsesOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  /** As those of jobs. */
  readonly retention?: { readonly maxAgeMs?: number; readonly maxJobs?: number } | undefined
}

/** Jobs of this lane never run. */
const LANE = 'responses'
const EVENT = 'response'

/**
 * Keeps each response as a job that has ended, so that retention is that of jobs. Its content is the
 * only event of its log, which deletion removes at once.
 */
export function createStoredResponses(options: StoredResponsesOptions): StoredResponses {
  const { store, runtime, retention = {} } = options
  const trim = createRetention({
    store,
    runtime,
    maxAgeMs: retention.maxAgeMs ?? 24 * 3_600_000,
    maxJobs: retention.maxJobs ?? 1000,
  })
  const isOwn = async (userId: string, id: string): Promise<boolean> => {
    if (!/^resp_[0-9a-f]{48}$/.test(id)) return false
    const job = await store.queue.get(id)
    return job?.lane === LANE && job.userId === userId
  }
  return {
    async put(userId, flowId, stored) {
      const { id } = stored.response
      const now = runtime.now()
      await store.queue.enqueue({
        id,
        flowId,
        userId,
        request: '',
        resumable: false,
        createdAt: now,
        lane: LANE,
        maxRunningPerUser: null,
        maxQueued: null,
      })
      // Nothing is left to run: the job has ended.
      await Promise.all([
        store.queue.requestCancel(id, now),
        store.log.append(id, [{ seq: 0, event: EVENT, data: JSON.stringify(stored) }]),
      ])
      await trim()
    },
    async get(userId, id) {
      if (!(await isOwn(userId, id))) return null
      const [event] = await store.log.read(id, -1, 1)
      const value: unknown = event?.event === EVENT ? JSON.parse(event.data) : null
      return isObject(value) ? (value as unknown as StoredResponse) : null
    },
    async remove(userId, id) {
      if (!(await isOwn(userId, id)) || (await store.log.lastSeq(id)) < 0) return false
      await store.log.remove([id])
      return true
    },
  }
}
