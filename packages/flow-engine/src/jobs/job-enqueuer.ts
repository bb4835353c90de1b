import { FlowError, invalidRequest, limitExceeded } from '../errors.ts'
import { orderedId } from '@x/wire'
import { freshJob } from '../store/fresh-job.ts'
import type { NewJob, StoredJob } from '../store/job-store.ts'
import { isQueueFull, isUniqueConflict } from '../store/store-error.ts'
import type { BuildRequest } from './build-request.ts'
import type { CompleteJobOptions } from './job-options.ts'
import type { JobSeal } from './job-seal.ts'
import { formatStoredRequest, type RequestCodec } from './request-codec.ts'
import type { JobRunner } from './run-job.ts'
import { whileAway } from './while-away.ts'
import type { Worker } from './worker.ts'

/** How long a job that is to be queued waits for a store that is away, in milliseconds. */
const MAX_AWAY_MS = 5000

/** Queues requests as jobs. */
export interface JobEnqueuer {
  /** The lane of a request; the ordinary one (`''`) for an unknown name. */
  laneOf(request: BuildRequest): string
  /** Runs a job in this process before it is stored; undefined if it has to be queued. */
  begin(request: BuildRequest): Promise<StoredJob | undefined>
  /**
   * @param id default: a new one
   * @throws FlowError `limit_exceeded` (429) if too many jobs are waiting; `conflict` if the id is taken
   */
  enqueue(request: BuildRequest, id?: string): Promise<StoredJob>
  /** Queues several jobs, all or none. @throws as `enqueue` */
  enqueueAll(requests: readonly BuildRequest[]): Promise<StoredJob[]>
  /**
   * Queues a job that any process may run.
   * @throws UniqueConflictError `job.id`; QueueFullError
   */
  enqueueShared(jobId: string, request: BuildRequest): Promise<void>
}

export interface JobEnqueuerOptions {
  readonly options: Pick<
    CompleteJobOptions,
    'store' | 'runtime' | 'lanes' | 'maxQueued' | 'concurrencyPerUser'
  >
  readonly codec: RequestCodec
  readonly seal: JobSeal
  readonly runner: JobRunner
  readonly worker: Pick<Worker, 'begin'>
  /** Aborted when this process ends. */
  readonly closing: AbortSignal
}

export function createJobEnqueuer({
  options,
  codec,
  seal,
  runner,
  worker,
  closing,
}: JobEnqueuerOptions): JobEnqueuer {
  const { store, runtime, lanes, maxQueued, concurrencyPerUser } = options
  const { queue } = store

  const laneOf = ({ lane = '' }: BuildRequest): string => (Object.hasOwn(lanes, lane) ? lane : '')

  const newJob = (id: string, request: BuildRequest, text: string): NewJob => {
    const lane = laneOf(request)
    return {
      id,
      flowId: request.flowId ?? flowIdOf(request) ?? runtime.uuid(),
      userId: request.userId ?? null,
      request: text,
      resumable: request.resumable === true,
      createdAt: runtime.now(),
      lane,
      maxRunningPerUser: lane === '' ? concurrencyPerUser : null,
      flowVersion: request.flowVersion ?? null,
      sessionId: request.sessionId ?? null,
      priority: request.priority ?? 0,
      maxQueued: lanes[lane]?.maxQueued ?? maxQueued,
    }
  }
  const waiting = {
    runtime,
    signal: closing,
    patienceMs: MAX_AWAY_MS,
    onError: () => undefined,
  }
  /** The answer to the first attempt may have been lost. */
  const again = (job: NewJob) => async (): Promise<void> => {
    if ((await queue.get(job.id)) === null) await queue.enqueue(job)
  }
  const drop = (id: string): void => {
    codec.forget(id)
    runner.dismiss(id)
  }
  return {
    laneOf,
    async begin(request) {
      const id = orderedId(runtime)
      const job = newJob(id, request, await codec.encode(id, request))
      runner.expect(id, request)
      if (worker.begin(job, request.history === true)) return freshJob(job)
      drop(id)
      return undefined
    },
    async enqueue(request, given) {
      const id = given ?? orderedId(runtime)
      const encoded = codec.encode(id, request)
      // Does not await if nothing is sealed, so that the claim can be sent to the store together with the job.
      const job = newJob(id, request, typeof encoded === 'string' ? encoded : await encoded)
      // If no other process can run it, its readers need not look for its start in the log.
      if (!queue.shared) runner.expect(id, request)
      try {
        await whileAway(() => queue.enqueue(job), waiting, again(job))
      } catch (error) {
        drop(id)
        throw refusalOf(error, job)
      }
      return freshJob(job)
    },
    async enqueueAll(requests) {
      if (queue.enqueueAll === undefined)
        throw invalidRequest('startAll needs a queue with enqueueAll')
      const jobs = await Promise.all(
        requests.map(async (request) => {
          const id = orderedId(runtime)
          return newJob(id, request, await codec.encode(id, request))
        }),
      )
      if (!queue.shared)
        for (const [n, { id }] of jobs.entries()) runner.expect(id, requests[n] as BuildRequest)
      const enqueue = (): Promise<void> => queue.enqueueAll?.(jobs) ?? Promise.resolve()
      const repeat = async (): Promise<void> => {
        if ((await queue.get(jobs[0]?.id ?? '')) === null) await enqueue()
      }
      try {
        await whileAway(enqueue, waiting, repeat)
      } catch (error) {
        for (const { id } of jobs) drop(id)
        throw refusalOf(error, jobs[0])
      }
      return jobs.map((job) => freshJob(job))
    },
    async enqueueShared(jobId, request) {
      await queue.enqueue(newJob(jobId, request, await formatStoredRequest(jobId, request, seal)))
    },
  }
}

function refusalOf(error: unknown, job: NewJob | undefined): unknown {
  if (isUniqueConflict(error)) return new FlowError('conflict', `There is a job ${job?.id} already`)
  if (!isQueueFull(error)) return error
  return limitExceeded('maxQueued', `more than ${job?.maxQueued} builds are waiting`, 429)
}

function flowIdOf({ flow }: BuildRequest): string | undefined {
  const { id } = ('vertexIds' in flow ? flow.flow : flow) as { id?: unknown }
  return typeof id === 'string' && id !== '' ? id : undefined
}
