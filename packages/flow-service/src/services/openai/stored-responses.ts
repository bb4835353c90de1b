import { isObject, type Runtime } from '@x/wire'
import { createRetention } from '@x/flow-engine/internal'
import type { JobStore } from '@x/flow-engine/store'
import type { FlowAnswer } from '../answers/answer.ts'
import type {
  OpenAiResponseMetadata,
  OpenAiResponseJson,
  OutputItem,
} from './openai-response-format.ts'

/** A response that can be retrieved, and the data needed to continue it. */
export interface StoredResponse {
  readonly response: OpenAiResponseJson
  readonly input: readonly OutputItem[]
  readonly sessionId: string
  /** Present if the run is a separate job; `response` is then the initial response. */
  readonly background?: BackgroundLink
  /** The result of a background response's run, once it has ended. */
  readonly result?: BackgroundResult
}

/** Locates a background response's run. */
export interface BackgroundLink {
  readonly jobId: string
  readonly facts: OpenAiResponseMetadata
  /** True if the model's chunks make up the answer. */
  readonly streams: boolean
}

/** The result of a background response's run. */
export interface BackgroundResult {
  readonly status: 'completed' | 'failed' | 'cancelled'
  readonly text: string
  readonly usage: FlowAnswer['usage']
  /** Message of a failed run. */
  readonly message: string | null
  /** Seconds since 1970. */
  readonly ended: number
}

/** Stored responses of users. */
export interface StoredResponses {
  put(userId: string, flowId: string, stored: StoredResponse): Promise<void>
  /** Null if it is unknown, deleted, trimmed, or belongs to another user. */
  get(userId: string, id: string): Promise<StoredResponse | null>
  /** Adds the result of a background response's run. */
  finish(id: string, result: BackgroundResult): Promise<void>
  result(id: string): Promise<BackgroundResult | undefined>
  /** False in the cases where `get` returns null. */
  remove(userId: string, id: string): Promise<boolean>
}

export interface StoredResponsesOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  /** Same as for jobs. */
  readonly retention?: { readonly maxAgeMs?: number; readonly maxJobs?: number } | undefined
}

/** Jobs of this lane never run. */
const LANE = 'responses'
const EVENT = 'response'
const RESULT = 'result'
/**
 * A job may end before its response is stored, so the response is looked up this often, with this delay in
 * milliseconds.
 */
const MAX_ATTEMPTS = 250
const LOOK_MS = 20

/**
 * Stores each response as a finished job, so that job retention applies. Its content is the only event of the
 * job's log; deletion removes it immediately.
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
  /** A job that ran twice has two results; the last one counts. */
  const result = async (id: string): Promise<BackgroundResult | undefined> => {
    const events = await store.log.read(id, 0, 10)
    const last = events.findLast(({ event }) => event === RESULT)
    return last === undefined ? undefined : (JSON.parse(last.data) as BackgroundResult)
  }
  return {
    async put(userId, flowId, stored) {
      const { id } = stored.response
      const now = runtime.now()
      // Issued together, so that a store that batches writes stores them together.
      const enqueued = store.queue.enqueue({
        id,
        flowId,
        userId,
        // A finished response survives its process; it survives a power failure only if its run does.
        request: stored.background === undefined ? '' : LANE,
        resumable: false,
        createdAt: now,
        lane: LANE,
        maxRunningPerUser: null,
        flowVersion: null,
        sessionId: null,
        priority: 0,
        maxQueued: null,
      })
      // Nothing is left to run: the job has ended.
      const ended = store.queue.requestCancel(id, now)
      const kept = store.log.append(id, [{ seq: 0, event: EVENT, data: JSON.stringify(stored) }])
      const [isEnded] = await Promise.all([ended, enqueued, kept])
      // The end was processed before the job itself.
      if (!isEnded) await store.queue.requestCancel(id, now)
      await trim()
    },
    async get(userId, id) {
      if (!(await isOwn(userId, id))) return null
      const [event] = await store.log.read(id, -1, 1)
      const value: unknown = event?.event === EVENT ? JSON.parse(event.data) : null
      if (!isObject(value)) return null
      const stored = value as unknown as StoredResponse
      const left = stored.background === undefined ? undefined : await result(id)
      return left === undefined ? stored : { ...stored, result: left }
    },
    result,
    async finish(id, left) {
      for (let look = 0; look < MAX_ATTEMPTS; look += 1) {
        const last = await store.log.lastSeq(id)
        if (last >= 0)
          return await store.log.append(id, [
            { seq: last + 1, event: RESULT, data: JSON.stringify(left) },
          ])
        await runtime.sleep(LOOK_MS)
      }
    },
    async remove(userId, id) {
      if (!(await isOwn(userId, id)) || (await store.log.lastSeq(id)) < 0) return false
      await store.log.remove([id])
      return true
    },
  }
}
