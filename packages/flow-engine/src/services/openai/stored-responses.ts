import { isObject, type Runtime } from '@x/wire'
import { createRetention } from '../../jobs/retention.ts'
import type { JobStore } from '../../store/job-store.ts'
import type { FlowAnswer } from '../answers/answer.ts'
import type {
  OpenAiResponseFacts,
  OpenAiResponseJson,
  OutputItem,
} from './openai-response-format.ts'

/** A response that can be read again, and what continues it. */
export interface StoredResponse {
  readonly response: OpenAiResponseJson
  readonly input: readonly OutputItem[]
  readonly sessionId: string
  /** Present where the run is a job of its own; `response` is then the one that was answered first. */
  readonly background?: BackgroundLink
  /** The result of a background response's run, once it has ended. */
  readonly result?: BackgroundResult
}

/** The location of a background response's run. */
export interface BackgroundLink {
  readonly jobId: string
  readonly facts: OpenAiResponseFacts
  /** True if the model's pieces are the pieces of the answer. */
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

/** Responses of users (RS-30, RS-34, RS-35). */
export interface StoredResponses {
  put(userId: string, flowId: string, stored: StoredResponse): Promise<void>
  /** Null for one that is unknown, another user's, deleted or trimmed. */
  get(userId: string, id: string): Promise<StoredResponse | null>
  /** Adds what the run of a background response left. */
  finish(id: string, result: BackgroundResult): Promise<void>
  result(id: string): Promise<BackgroundResult | undefined>
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
const RESULT = 'result'
/** A job may end before its response is stored: so often, with so many milliseconds between, is looked for it. */
const LOOKS = 250
const LOOK_MS = 20

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
  /** A job that was run twice leaves two: the last one counts. */
  const result = async (id: string): Promise<BackgroundResult | undefined> => {
    const events = await store.log.read(id, 0, 10)
    const last = events.findLast(({ event }) => event === RESULT)
    return last === undefined ? undefined : (JSON.parse(last.data) as BackgroundResult)
  }
  return {
    async put(userId, flowId, stored) {
      const { id } = stored.response
      const now = runtime.now()
      // Handed over together, they are stored together where the store joins writes.
      const enqueued = store.queue.enqueue({
        id,
        flowId,
        userId,
        // A finished response outlives its process, and a power failure only where its run does.
        request: stored.background === undefined ? '' : LANE,
        resumable: false,
        createdAt: now,
        lane: LANE,
        maxRunningPerUser: null,
        flowVersion: null,
        sessionId: null,
        maxQueued: null,
      })
      // Nothing is left to run: the job has ended.
      const ended = store.queue.requestCancel(id, now)
      const kept = store.log.append(id, [{ seq: 0, event: EVENT, data: JSON.stringify(stored) }])
      const [isEnded] = await Promise.all([ended, enqueued, kept])
      // The end went before the job itself.
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
      for (let look = 0; look < LOOKS; look += 1) {
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
