import { isFlowError } from '../errors.ts'
import type { RunResult } from '../graph/context/run-options.ts'
import type { ClaimedJob, JobOutcome } from '../store/job-store.ts'
import { isConnectionLost, isStaleWriter } from '../store/store-error.ts'
import { limitsOf } from './begin-run.ts'
import type { BuildRequest } from './build-request.ts'
import { executeJob, failJob, finishJob, recordOutcome, type Ending } from './execute-job.ts'
import { createCheckpointRemoval } from './checkpoint-removal.ts'
import { Execution, wasCancelled, wasStopped } from './execution.ts'
import { toJobRecord } from './job-record.ts'
import type { Lease } from './lease.ts'
import { LiveJob } from './live-job.ts'
import { interrupted, loggedOutcome } from './logged-outcome.ts'
import { jobChannel } from './read-events.ts'
import { appendEnd } from './recover.ts'
import { createResults } from './results.ts'
import { retryUntilStored } from './retry-until-stored.ts'
import type { JobRunnerOptions } from './job-runner-options.ts'

/** The channel that announces jobs claimed by a process other than the one that queued them. */
export const TAKEN_CHANNEL = 'job-taken'

/** The channel that announces waiting jobs. */
export const QUEUE_CHANNEL = 'job-queue'

/** Runs claimed jobs in this process. */
export interface JobRunner {
  /** Resolves when the job has ended, is suspended, or no longer belongs to this process. */
  run(job: ClaimedJob, lease: Lease | undefined): Promise<void>
  readonly live: (jobId: string) => LiveJob | undefined
  /** Registers the log of a queued job, so that readers receive its events from the first one. */
  expect(jobId: string, request: BuildRequest): void
  /** Drops the log of a queued job that will not run here. */
  dismiss(jobId: string): void
  /** The result of a job that ended here; undefined for other jobs and those that continue elsewhere. */
  result(jobId: string): Promise<RunResult | undefined>
  /** The requests of the jobs that run here, by job id. */
  running(): ReadonlyMap<string, BuildRequest>
  cancel(jobId: string): void
  /** Resumable jobs start nothing more and go to the next process as soon as they can. */
  handOver(): void
  /**
   * Ends the running jobs: resumable ones stop without an end and return to the queue for the next process
   *, others fail as interrupted.
   * @param late resolves when the grace period for vertices that must not run twice is over
   */
  endAll(late: Promise<void>): void
  /** Removes what jobs that have ended left behind. */
  tidy(): Promise<void>
  /** Ends a claimed job that only this process could have run. */
  giveUp(job: ClaimedJob): Promise<void>
}

export function createJobRunner(given: Omit<JobRunnerOptions, 'closing' | 'removal'>): JobRunner {
  const lives = new Map<string, LiveJob>()
  const executions = new Set<Execution>()
  const waiting = new Map<string, LiveJob>()
  const results = createResults()
  const closing = new AbortController()
  const removal = createCheckpointRemoval(given)
  const options: JobRunnerOptions = { ...given, closing: closing.signal, removal }
  const { store, codec, onError } = options

  /** Handles the end of one run, whatever its outcome. */
  const settle = async (execution: Execution): Promise<Ending> => {
    try {
      const ended = await endedBefore(options, execution)
      if (ended !== undefined) return ended
      const refusal = await refusalOf(options, execution)
      if (refusal !== undefined) return await failJob(options, execution, refusal)
      return await executeJob(options, execution)
    } catch (error) {
      if (isStaleWriter(error)) execution.lose()
      if (execution.lost && execution.outcome === undefined) return 'lost'
      onError(error, { jobId: execution.job.id })
      // The store is away: the job goes on from its checkpoints where the store can be reached first (FL-25).
      if (isConnectionLost(error) && execution.lease !== undefined && execution.job.resumable) {
        execution.giveBack()
        return 'lost'
      }
      const isAway = isFlowError(error) && error.code === 'store_unavailable'
      return failJob(
        options,
        execution,
        isAway ? { code: error.code, detail: error.detail } : undefined,
      )
    }
  }

  const run = async (job: ClaimedJob, lease: Lease | undefined): Promise<void> => {
    const isOwn = codec.kept(job.id) !== undefined
    const request = await codec.decode(job)
    const expected = waiting.get(job.id)
    waiting.delete(job.id)
    if (request === null) {
      expected?.close()
      await endUnreadable(options, job)
      return
    }
    const last = await openLog(options, job, lease)
    if (last === undefined) {
      expected?.close()
      return
    }
    const limits = limitsOf(request, options.limits)
    const firstSeq = last + 1
    const live = expected ?? new LiveJob({ jobId: job.id, firstSeq, limits })
    lives.set(job.id, live)
    // The cancel was requested while the process that ran it was dying.
    if (job.cancelRequested) live.cancel(wasCancelled())
    const fence = isFenced(options, job) ? job.attempts : undefined
    const execution = new Execution({ job, request, live, lease, fence, firstSeq })
    executions.add(execution)
    const ending = settle(execution)
    results.set(
      job.id,
      ending.then((end) => (end === 'ended' ? execution.run?.result : undefined)),
    )
    try {
      if ((await ending) === 'suspended') codec.rest(job.id)
      else codec.forget(job.id)
    } finally {
      live.close()
      lives.delete(job.id)
      executions.delete(execution)
      // A job whose lease ran out while this process lives goes back too: nobody died.
      if (execution.released || (lease?.signal.reason === 'lost' && !execution.outcome))
        await release(job)
      store.bus.publish(jobChannel(job.id), String(live.lastSeq))
      if (store.queue.shared && !isOwn) store.bus.publish(TAKEN_CHANNEL, job.id)
    }
  }

  const release = async ({ id, worker }: ClaimedJob): Promise<void> => {
    try {
      const released = await retryUntilStored(() => store.queue.release(id, worker), {
        runtime: options.runtime,
        signal: closing.signal,
        onError: (error) => onError(error, { jobId: id }),
      })
      if (released) store.bus.publish(QUEUE_CHANNEL, '')
    } catch {
      // Its lease runs out.
    }
  }

  return {
    run,
    live: (jobId) => lives.get(jobId) ?? waiting.get(jobId),
    expect(jobId, request) {
      const limits = limitsOf(request, options.limits)
      waiting.set(jobId, new LiveJob({ jobId, limits }))
    },
    dismiss(jobId) {
      waiting.get(jobId)?.close()
      waiting.delete(jobId)
    },
    result: (jobId) => results.get(jobId),
    tidy: () => removal.flush(),
    async giveUp(job) {
      await endUnreadable(options, job)
      waiting.get(job.id)?.close()
      waiting.delete(job.id)
      codec.forget(job.id)
      store.bus.publish(jobChannel(job.id), '')
    },
    running: () => new Map([...executions].map(({ job, request }) => [job.id, request])),
    cancel: (jobId) => lives.get(jobId)?.cancel(wasCancelled()),
    handOver() {
      for (const execution of executions) if (execution.job.resumable) execution.handOver()
    },
    endAll(late) {
      closing.abort()
      for (const execution of executions) {
        const { resumable, cancelRequested } = execution.job
        if (resumable && !cancelRequested) execution.release(late)
        else execution.cancel(wasStopped())
      }
    },
  }
}

/** If no other process claims, only a job that was claimed before can have another writer. */
function isFenced({ store }: JobRunnerOptions, { attempts }: ClaimedJob): boolean {
  return store.queue.shared || attempts > 1
}

/** `seq` of the last event; undefined if the job no longer belongs to this process. */
async function openLog(
  options: JobRunnerOptions,
  job: ClaimedJob,
  lease: Lease | undefined,
): Promise<number | undefined> {
  // Nobody can have written before the first claim, and the second one raises the fence.
  if (job.attempts === 1 || !isFenced(options, job)) return -1
  const { store, runtime, closing, onError } = options
  try {
    return await retryUntilStored(() => store.log.open(job.id, job.attempts), {
      runtime,
      signal: closing,
      over: () => lease?.held() === false,
      onError: (error) => onError(error, { jobId: job.id }),
    })
  } catch (error) {
    if (!isStaleWriter(error) && !closing.aborted) onError(error, { jobId: job.id })
    return undefined
  }
}

/**
 * Why a job does not continue: it crashed too many processes, or its owner may no longer run it.
 */
async function refusalOf(
  { maxCrashes, authorize, codec }: JobRunnerOptions,
  { job, request, live }: Execution,
): Promise<JobOutcome['error']> {
  if (job.crashes >= maxCrashes) {
    const times = `${job.crashes} time${job.crashes === 1 ? '' : 's'}`
    return { code: 'interrupted', detail: `The build ended its process ${times}` }
  }
  const isFresh = job.attempts === 1 && codec.kept(job.id) !== undefined
  if (isFresh || job.cancelRequested || authorize === undefined) return undefined
  if (await authorize(toJobRecord(job, live.lastSeq), request)) return undefined
  return { code: 'forbidden', detail: 'The owner of the build may no longer run it' }
}

/** Records the end of a job whose earlier process had only written it into the log. */
async function endedBefore(
  options: JobRunnerOptions,
  execution: Execution,
): Promise<Ending | undefined> {
  const { job, firstSeq } = execution
  if (firstSeq === 0) return undefined
  const { store, runtime } = options
  const finishedAt = runtime.now()
  const about = { jobId: job.id, last: firstSeq - 1, finishedAt }
  const outcome = await loggedOutcome(store.log, about)
  if (outcome === null) return undefined
  await recordOutcome(options, execution, outcome)
  await finishJob(options, execution)
  return execution.outcome === undefined ? 'lost' : 'ended'
}

/** Ends a job whose request was in the memory of a process that is gone. */
async function endUnreadable({ store, runtime }: JobRunnerOptions, job: ClaimedJob): Promise<void> {
  const { id, worker, attempts } = job
  const outcome = { state: 'failed' as const, finishedAt: runtime.now(), error: interrupted }
  if (await store.queue.finish(id, worker, outcome))
    await appendEnd(store, id, { runtime, fence: attempts })
}
