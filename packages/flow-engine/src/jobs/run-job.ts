import type { Runtime } from '@x/wire'
import { FlowError, isFlowError } from '../errors.ts'
import type { ResultCache } from '../graph/cache.ts'
import { startFailureJson } from '../graph/failure.ts'
import { completeLimits, type RunLimits } from '../graph/limits.ts'
import type { RunEvent } from '../graph/run-event.ts'
import type { ResumePoint, RunHost } from '../graph/run-host.ts'
import type { FlowRun, RunResult } from '../graph/run-options.ts'
import { startRun } from '../graph/run.ts'
import type { ClaimedJob, JobOutcome, JobStore } from '../store/job-store.ts'
import type { BuildJobsOptions, BuildRequest, JobRecorder } from './build-jobs.ts'
import { decodeEvent } from './job-event.ts'
import { toJobRecord } from './job-record.ts'
import { LiveJob } from './live-job.ts'
import { jobChannel } from './read-events.ts'
import { appendEnd, interrupted, lastSeqOf } from './recover.ts'
import type { RequestCodec } from './request-codec.ts'
import { createResults } from './results.ts'
import { createSuspension, isAnswerName, type Suspension } from './suspension.ts'
import { writeEvents } from './write-events.ts'

export interface JobRunnerOptions extends BuildJobsOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly cache: ResultCache
  readonly limits: RunLimits
  readonly codec: RequestCodec
  /** The name under which this process claims. */
  readonly name: string
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** Runs claimed jobs in this process. */
export interface JobRunner {
  /** Resolves when the job has ended, is suspended, or is no longer this process's. */
  run(job: ClaimedJob, lease: AbortSignal | undefined): Promise<void>
  readonly live: (jobId: string) => LiveJob | undefined
  /** The events of a job are to be had here from its begin on, though it still waits. */
  expect(jobId: string, request: BuildRequest): void
  /** A job that waited will not run here. */
  dismiss(jobId: string): void
  result(jobId: string): Promise<RunResult | undefined>
  cancel(jobId: string): void
  /**
   * Ends what runs here: resumable jobs stop without an end, for the next process to go on with
   * (DR-12), the others are cancelled.
   */
  endAll(): void
}

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const lives = new Map<string, LiveJob>()
  const executions = new Set<Execution>()
  const waiting = new Map<string, LiveJob>()
  const results = createResults()
  return {
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
    cancel: (jobId) => lives.get(jobId)?.cancel(cancelled()),
    endAll() {
      for (const execution of executions) {
        execution.released = execution.job.resumable && !execution.job.cancelRequested
        execution.live.cancel(cancelled())
      }
    },
    async run(job, lease) {
      const { store, runtime, codec } = options
      const request = codec.decode(job)
      const expected = waiting.get(job.id)
      waiting.delete(job.id)
      if (request === null) {
        expected?.close()
        const outcome = { state: 'failed' as const, finishedAt: runtime.now(), error: interrupted }
        await store.queue.finish(job.id, job.worker, outcome)
        await appendEnd(store, job.id, { runtime })
        return
      }
      const again = job.attempts > 1
      const firstSeq = again ? (await lastSeqOf(store, job.id)) + 1 : 0
      const limits = limitsOf(request, options.limits)
      const live = expected ?? new LiveJob({ jobId: job.id, firstSeq, limits })
      lives.set(job.id, live)
      // Its cancel was asked for while the process that ran it was dying.
      if (job.cancelRequested) live.cancel(cancelled())
      const parts = { job, request, live, lease, firstSeq, results }
      const execution: Execution = { ...parts, finished: false, released: false }
      executions.add(execution)
      let rests = false
      try {
        rests = await execute(options, execution)
      } catch (error) {
        await endFailed(options, execution)
        throw error
      } finally {
        live.close()
        lives.delete(job.id)
        executions.delete(execution)
        if (!rests) codec.forget(job.id)
        store.bus.publish(jobChannel(job.id), String(live.lastSeq))
      }
    },
  }
}

const FAILED = { code: 'internal', detail: 'The build failed' }
const LAST_TRIES = 3

/** What could not be written down ends its job as soon as the store can be written to again. */
async function endFailed(
  { store, runtime, heartbeatMs = 10_000 }: JobRunnerOptions,
  { job: { id, worker }, live: { lastSeq: given }, finished: ended }: Execution,
): Promise<void> {
  const { detail } = FAILED
  let finished = ended
  for (let tries = 1; ; tries += 1) {
    try {
      const outcome = { state: 'failed' as const, finishedAt: runtime.now(), error: FAILED }
      finished ||= await store.queue.finish(id, worker, outcome)
      if (finished) await appendEnd(store, id, { runtime, detail, given })
      return
    } catch {
      if (tries === LAST_TRIES) return
      await runtime.sleep(heartbeatMs)
    }
  }
}

interface Execution {
  readonly job: ClaimedJob
  readonly request: BuildRequest
  readonly live: LiveJob
  /** Undefined where no other process can take it. */
  readonly lease: AbortSignal | undefined
  readonly firstSeq: number
  readonly results: ReturnType<typeof createResults>
  /** Whether the end of the job stands in the queue. */
  finished: boolean
  /** Whether the next process goes on with it: nothing more is written here. */
  released: boolean
}

/** True when the job is suspended. */
async function execute(options: JobRunnerOptions, execution: Execution): Promise<boolean> {
  const { job, request, live, lease, firstSeq, results } = execution
  const { store, runtime, observer, onError } = options
  const record = (): ReturnType<typeof toJobRecord> => toJobRecord(job, live.lastSeq)
  const told = (work: () => Promise<void> | void): Promise<void> =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => onError(error, { jobId: job.id }))

  // A lease that is lost ends the run and its log at once; one that asks for a cancel cancels.
  lease?.addEventListener('abort', () => live.cancel(cancelled()), { once: true })
  const lost = (): boolean =>
    execution.released || (lease?.aborted === true && lease.reason === 'lost')

  await told(() => observer?.started?.(record()))
  store.bus.publish(jobChannel(job.id), '')
  const recorder = observer?.recorder?.(record(), request)
  const { run, suspension } = await begin(options, execution, recorder)
  results.set(job.id, run.result)
  const watched = told(() => recorder?.watch(run))
  let outcome: JobOutcome = { state: 'failed', finishedAt: runtime.now() }
  await writeEvents(run, {
    jobId: job.id,
    log: store.log,
    runtime,
    firstSeq,
    behind: !store.queue.shared && request.resumable !== true,
    stopped: lost,
    publish: live.publish,
    refused: () => live.cancel(cancelled()),
    appended: (seq) => store.bus.publish(jobChannel(job.id), String(seq)),
    async beforeEnd() {
      outcome = outcomeOf(await settled(run), runtime.now())
      const [finished] = await Promise.all([
        store.queue.finish(job.id, job.worker, outcome),
        watched,
      ])
      execution.finished = finished
    },
  })
  if (lost()) return false
  // A run that ended in spite of a question needs no answer any more (DR-4).
  if (suspension !== undefined && suspension.suspended && !execution.finished) {
    return await suspension.store()
  }
  await store.log.close(job.id)
  if (request.resumable === true) await store.checkpoints.remove(job.id)
  const { state, finishedAt, error = null } = outcome
  await told(() =>
    observer?.finished?.(toJobRecord({ ...job, state, finishedAt, error }, live.lastSeq)),
  )
  return false
}

async function begin(
  options: JobRunnerOptions,
  { job, request, live }: Execution,
  recorder: JobRecorder | undefined,
): Promise<{ run: FlowRun; suspension?: Suspension }> {
  const { components, services, servicesOf, runtime, cache, limits, store } = options
  const {
    flow,
    resumable = false,
    timeoutMs: _t,
    metadata: _m,
    lane: _l,
    refused,
    ...rest
  } = request
  if (refused !== undefined) return { run: refusedRun(job, refused, runtime) }
  const runOptions = {
    mode: 'build' as const,
    components,
    services: servicesOf?.(request) ?? services,
    cache,
    runtime,
    ...rest,
    flowId: job.flowId,
    limits: limitsOf(request, limits),
  }
  const recording: RunHost =
    recorder === undefined
      ? {}
      : {
          inputs: (vertex, values) => recorder.inputs(vertex, values),
          built: (build) => recorder.built(build),
        }
  // In the turn in which the run is made, so that one that was cancelled before starts nothing (FE-60).
  const started = (host: RunHost): FlowRun => {
    const run = startRun(flow, runOptions, host)
    live.onCancel((reason) => run.cancel(reason))
    return run
  }
  if (!resumable) return { run: started(recording) }
  const states = new Map(
    (await store.checkpoints.list(job.id)).map(({ vertexId, state }) => [vertexId, state]),
  )
  const suspension = await createSuspension(store, job, states)
  const checkpoints = new Map([...states].filter(([name]) => !isAnswerName(name)))
  const run = started({
    ...recording,
    ...(job.attempts > 1
      ? // `writeEvents` counts on from where the log stopped.
        { resume: { firstSeq: 0, checkpoints, ...(await toldBefore(store, job.id)) } }
      : {}),
    checkpoint: (vertexId, state) => store.checkpoints.put(job.id, vertexId, state),
    suspend: suspension.ask,
  })
  return { run, suspension }
}

/** The limits of all jobs with those of one put over them. */
function limitsOf({ limits, timeoutMs }: BuildRequest, all: RunLimits): RunLimits {
  const own = timeoutMs === undefined ? limits : { ...limits, runTimeoutMs: timeoutMs }
  return completeLimits(own, all)
}

/** What the log tells already: whether the flow was announced, and how often the end of each vertex. */
async function toldBefore(
  { log }: JobStore,
  jobId: string,
): Promise<Pick<ResumePoint, 'sorted' | 'reported'>> {
  const reported = new Map<string, number>()
  let sorted = false
  let last = -1
  for (;;) {
    const events = await log.read(jobId, last, 1000)
    for (const stored of events) {
      sorted ||= stored.event === 'vertices_sorted'
      if (stored.event !== 'end_vertex') continue
      const event = decodeEvent(stored)
      if (event.event !== 'end_vertex') continue
      const { id } = event.data.build_data
      reported.set(id, (reported.get(id) ?? 0) + 1)
    }
    if (events.length === 0) return { sorted, reported }
    last = events.at(-1)?.seq ?? last
  }
}

/** A run of a flow that was found unfit before: its error and its end. */
function refusedRun({ id, flowId }: ClaimedJob, reason: string, runtime: Runtime): FlowRun {
  const data = startFailureJson(reason, flowId, runtime.now())
  const events: RunEvent[] = [
    { seq: 0, event: 'error', data },
    { seq: 1, event: 'end', data: {} },
  ]
  const result = Promise.reject(new FlowError('invalid_flow', reason))
  result.catch(() => undefined)
  return { id, result, cancel: () => undefined, [Symbol.asyncIterator]: () => inOrder(events) }
}

async function* inOrder(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events
}

/** The result of a run, or what it could not be started for. */
async function settled({ result }: FlowRun): Promise<RunResult | FlowError> {
  try {
    return await result
  } catch (error) {
    return error as FlowError
  }
}

function outcomeOf(result: RunResult | FlowError, finishedAt: Date): JobOutcome {
  const state = isFlowError(result) ? 'failed' : result.status
  if (state !== 'failed') return { state, finishedAt }
  const failure = isFlowError(result) ? result : result.error
  const { code, detail } = failure ?? FAILED
  return { state, finishedAt, error: { code, detail } }
}

const cancelled = (): FlowError => new FlowError('cancelled', 'The build was cancelled')
