import { isObject } from '@x/wire'
import {
  FlowError,
  formatRunResponse,
  isFlowError,
  type BuildJobs,
  type BuildRequest,
  type RunResponse,
} from '@x/flow-engine'
import { refuse } from '../../refusal.ts'
import type { JobStore } from '@x/flow-engine/store'
import { hashKey } from '../crypto/hash-key.ts'
import type { BuildMetadata } from './build-metadata.ts'
import type { Runner } from './runner.ts'

/** A request that runs once, however often it is sent. */
export interface Once {
  /** Keys of different senders do not meet. */
  readonly sender: string
  readonly key: string
  /** What the key stands for: another content with the same key is refused. */
  readonly content: readonly unknown[]
  /** Called if an earlier request has started the run. */
  readonly replayed: () => void
}

/** Jobs of requests that may be repeated. */
export interface OnceJobs {
  /**
   * The id of the job of a key: a new one, or that of an earlier request.
   * @throws Refusal 422 if the key was used with another content; as `Runner.enqueue`
   */
  start(once: Once, request: BuildRequest): Promise<string>
  /**
   * Waits for the answer of a run, the same for each request.
   * @throws FlowError with the failure of the run; Refusal 409 if its answer was too large to be kept
   */
  answer(jobId: string, signal: AbortSignal): Promise<RunResponse>
}

export interface OnceJobsOptions {
  readonly jobs: Pick<BuildJobs, 'answer' | 'get' | 'result'>
  readonly runner: Pick<Runner, 'enqueue'>
  readonly queue: Pick<JobStore['queue'], 'get' | 'readResult'>
}

export function createOnceJobs({ jobs, runner, queue }: OnceJobsOptions): OnceJobs {
  const join = async (id: string, content: string, { replayed }: Once): Promise<boolean> => {
    const job = await queue.get(id)
    if (job === null) return false
    const { metadata } = JSON.parse(job.request) as BuildRequest
    if (metadata?.['once'] !== content)
      throw refuse(422, 'This Idempotency-Key was used with another request.')
    replayed()
    return true
  }
  return {
    async start(once, request) {
      const id = `once-${hashKey(JSON.stringify([once.sender, once.key]))}`
      const content = hashKey(JSON.stringify(once.content))
      if (await join(id, content, once)) return id
      const metadata = { ...request.metadata, once: content }
      try {
        return (await runner.enqueue({ ...request, id, metadata, resumable: true })).id
      } catch (error) {
        // Another request with the key came first.
        const isTaken = isFlowError(error) && error.code === 'conflict'
        if (isTaken && (await join(id, content, once))) return id
        throw error
      }
    },
    async answer(jobId, signal) {
      let failure: unknown
      const answer = await jobs.answer(jobId, { signal }).catch((error: unknown) => {
        failure = error
      })
      const job = await jobs.get(jobId)
      if (job?.finishedAt == null)
        throw failure ?? new FlowError('not_found', `Job ${jobId} was removed`)
      if (isObject(answer)) return answer as unknown as RunResponse
      if (job.state !== 'succeeded') throw failureOf(job)
      if (queue.readResult === undefined) return formatRunResponse(await jobs.result(jobId))
      throw refuse(409, 'The answer to this Idempotency-Key was too large to be kept')
    },
  }
}

/** What the recorder of such a job keeps as its answer. */
export function onceAnswer(
  { once }: Pick<BuildMetadata, 'once'>,
  result: Parameters<typeof formatRunResponse>[0] & { readonly status: string },
): RunResponse | undefined {
  return once === undefined || result.status !== 'succeeded' ? undefined : formatRunResponse(result)
}

function failureOf({
  state,
  error,
}: NonNullable<Awaited<ReturnType<BuildJobs['get']>>>): FlowError {
  if (error !== undefined) return new FlowError(error.code, error.detail)
  return state === 'cancelled'
    ? new FlowError('cancelled', 'The run was cancelled')
    : new FlowError('internal', 'The run failed')
}
