import { isFlowError, type FlowError } from '../errors.ts'
import type { FlowRun, RunResult } from '../graph/context/run-options.ts'
import type { EventLog, JobOutcome, StoredJob } from '../store/job-store.ts'
import { beginRun, keepSpent } from './begin-run.ts'
import type { JobRecorder } from './build-jobs-options.ts'
import type { Execution } from './execution.ts'
import { usageWith } from './job-usage.ts'
import { toJobRecord } from './job-record.ts'
import { guardedRecorder } from './guarded-recorder.ts'
import { jobChannel } from './read-events.ts'
import { appendCancelled, appendEnd } from './recover.ts'
import { loggedOutcome } from './logged-outcome.ts'
import type { JobRunnerOptions } from './job-runner-options.ts'
import type { Suspension } from './suspension.ts'
import { retryUntilStored, type RetryUntilStoredOptions } from './retry-until-stored.ts'
import { isStaleWriter } from '../store/store-error.ts'
import { toStoredResult } from './stored-result.ts'
import { whileAway } from './while-away.ts'
import { writeEvents } from './write-events.ts'

/** How a job ended in this process. */
export type Ending = 'ended' | 'suspended' | 'lost'

const FAILED = { code: 'internal', detail: 'The build failed' }

/** Runs a claimed job, from its first event to recording its end. */
export async function executeJob(options: JobRunnerOptions, execution: Execution): Promise<Ending> {
  const { job, request, live } = execution
  const { store, runtime, observer, onError } = options
  const record = (): ReturnType<typeof toJobRecord> => toJobRecord(job, live.lastSeq)
  const notify = reportedBy(options, execution)

  await notify(() => observer?.started?.(record()))
  store.bus.publish(jobChannel(job.id), '')
  const recorder = guardedRecorder(
    () => observer?.recorder?.(record(), request),
    (error) => onError(error, { jobId: job.id }),
  )
  const { run, suspension } = await beginRun(options, execution, recorder)
  execution.run = run
  const watched = notify(() => recorder?.watch(run))
  await writeEvents(run, {
    jobId: job.id,
    log: { append: patientAppend(options, execution) },
    fence: execution.fence,
    runtime,
    firstSeq: execution.firstSeq,
    behind: !store.queue.shared && request.resumable !== true,
    stopped: () => execution.lost,
    publish: live.publish,
    refused() {
      execution.refused = true
      execution.cancel()
    },
    appended: (seq) => store.bus.publish(jobChannel(job.id), String(seq)),
    logged: (events) => live.logged(events),
    async beforeEnd() {
      const result = await settled(run)
      const outcome = {
        ...outcomeOf(job, result, runtime.now()),
        ...(await storedWith(options, execution, result, recorder)),
      }
      await Promise.all([recordOutcome(options, execution, outcome), watched])
    },
  })
  live.seal()
  // A run that ended despite an open question no longer needs an answer (DR-4).
  if (execution.outcome !== undefined) {
    await finishJob(options, execution)
    return 'ended'
  }
  return execution.lost ? 'lost' : suspend(options, execution, suspension)
}

/** Appends again while the database is away; events whose answer was lost are in the log already. */
function patientAppend(options: JobRunnerOptions, execution: Execution): EventLog['append'] {
  const { log } = options.store
  return (jobId, events, fence) =>
    whileAway(
      () => log.append(jobId, events, fence),
      { ...tries(options, execution), onError: () => undefined },
      async () => {
        const last = await (fence === undefined ? log.lastSeq(jobId) : log.open(jobId, fence))
        await log.append(
          jobId,
          events.filter(({ seq }) => seq > last),
          fence,
        )
      },
    )
}

/** A failure that could not be stored ends its job as soon as the store accepts writes again. */
export async function failJob(
  options: JobRunnerOptions,
  execution: Execution,
  error: NonNullable<JobOutcome['error']> = FAILED,
): Promise<Ending> {
  const { store, runtime, closing } = options
  const { job, live } = execution
  const finishedAt = runtime.now()
  let outcome: JobOutcome = { state: 'failed', finishedAt, error }
  const trying: RetryUntilStoredOptions = { runtime, signal: closing, onError: () => undefined }
  const { detail } = error
  const end = { runtime, detail, given: live.lastSeq, fence: job.attempts }
  try {
    // The log first: if this process dies in between, the next one finds the end there.
    if (!(await retryUntilStored(() => appendEnd(store, job.id, end), trying))) {
      // The end of the run was being written and has arrived.
      const about = { jobId: job.id, last: await store.log.lastSeq(job.id), finishedAt }
      const logged = await loggedOutcome(store.log, about)
      if (logged !== null && logged.state !== 'failed') outcome = logged
    }
  } catch (failure) {
    if (isStaleWriter(failure)) return 'lost'
    throw failure
  }
  const finish = finishing(options, execution, outcome)
  if (execution.outcome === undefined && (await retryUntilStored(finish, trying)))
    execution.outcome = outcome
  if (execution.outcome === undefined) return 'lost'
  // The result is rebuilt from the log.
  execution.run = undefined
  await finishJob(options, execution)
  return 'ended'
}

/** Releases the resources of a job and announces its end. */
export async function finishJob(options: JobRunnerOptions, execution: Execution): Promise<void> {
  const { store, observer } = options
  const { job, request, live, outcome } = execution
  if (outcome === undefined) return
  await store.log.close(job.id)
  const isKept = outcome.state !== 'succeeded' || request.history === true
  if (request.resumable === true && !isKept) await options.removal.remove(job.id)
  const ended = { ...job, ...outcome, error: outcome.error ?? null }
  await reportedBy(options, execution)(() => observer?.finished?.(toJobRecord(ended, live.lastSeq)))
}

/** Retries recording the outcome while this process holds the job. */
export async function recordOutcome(
  options: JobRunnerOptions,
  execution: Execution,
  outcome: JobOutcome,
): Promise<void> {
  const finish = finishing(options, execution, outcome)
  if (await retryUntilStored(finish, tries(options, execution))) execution.outcome = outcome
  else execution.lose()
}

/** Records an outcome; false if the job is not held here any more. May be called again. */
function finishing(
  { store: { queue } }: JobRunnerOptions,
  { job: { id, worker } }: Execution,
  outcome: JobOutcome,
): () => Promise<boolean> {
  let isRepeated = false
  return async () => {
    const asked = isRepeated
    isRepeated = true
    if (await queue.finish(id, worker, outcome)) return true
    // The answer to the first attempt may have been lost.
    const job = asked ? await queue.get(id) : null
    return job?.state === outcome.state && Number(job.finishedAt) === Number(outcome.finishedAt)
  }
}

async function suspend(
  options: JobRunnerOptions,
  execution: Execution,
  suspension: Suspension | undefined,
): Promise<Ending> {
  if (suspension?.suspended !== true) return 'lost'
  const result = execution.run === undefined ? undefined : await settled(execution.run)
  const used = result === undefined || isFlowError(result) ? {} : usageWith(execution.job, result)
  if (execution.spent !== undefined && result !== undefined && !isFlowError(result)) {
    execution.spent = { ...execution.spent, seconds: result.spent.seconds }
    await keepSpent(options, execution)
  }
  const suspended = await retryUntilStored(() => suspension.store(used), tries(options, execution))
  if (!suspended) return 'lost'
  // A cancel that arrived while the outcome was being stored found a finished run (DR-4).
  const { store, runtime } = options
  const { id } = execution.job
  if ((await store.queue.get(id))?.cancelRequested !== true) return 'suspended'
  await store.queue.requestCancel(id, runtime.now())
  const now = await store.queue.get(id)
  if (now?.state === 'cancelled') await appendCancelled(store, now)
  return 'suspended'
}

function tries(
  { runtime, closing, onError }: JobRunnerOptions,
  execution: Execution,
): RetryUntilStoredOptions {
  return {
    runtime,
    signal: closing,
    over: () => execution.refused || execution.lost,
    onError: (error) => onError(error, { jobId: execution.job.id }),
  }
}

function reportedBy({ onError }: JobRunnerOptions, { job }: Execution) {
  return (work: () => Promise<void> | void): Promise<void> =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => onError(error, { jobId: job.id }))
}

/** The result of a run, or the reason it could not be started. */
async function settled({ result }: FlowRun): Promise<RunResult | FlowError> {
  try {
    return await result
  } catch (error) {
    return error as FlowError
  }
}

/** The result as other processes read it; nothing for a job whose result only this process can be asked for. */
async function storedWith(
  { store: { queue }, seal }: JobRunnerOptions,
  { job, request }: Execution,
  result: RunResult | FlowError,
  recorder: JobRecorder | undefined,
): Promise<Pick<JobOutcome, 'result'>> {
  const { resumable = false, keepsResult = true } = request
  const isRead = keepsResult && queue.readResult !== undefined && (queue.shared || resumable)
  if (!isRead || isFlowError(result)) return {}
  return {
    result: JSON.stringify(
      await seal.seal(job.id, toStoredResult(result, recorder?.answer?.(result))),
    ),
  }
}

function outcomeOf(job: StoredJob, result: RunResult | FlowError, finishedAt: Date): JobOutcome {
  const state = isFlowError(result) ? 'failed' : result.status
  const used = isFlowError(result) ? {} : usageWith(job, result)
  if (state !== 'failed') return { state, finishedAt, ...used }
  const failure = isFlowError(result) ? result : result.error
  const { code, detail } = failure ?? FAILED
  return { state, finishedAt, error: { code, detail }, ...used }
}
