import type { Runtime } from '@x/wire'
import { FlowError } from '../errors.ts'
import { startFailureJson } from '../graph/vertex/failure.ts'
import { isStartMark } from '../graph/durable/checkpoint.ts'
import { completeLimits, type RunLimits } from '../graph/plan/limits.ts'
import { tighterBudget, type RunBudget, type SpentBefore } from '../graph/plan/run-budget.ts'
import type { RunEvent } from '../graph/events/run-event.ts'
import type { ResumePoint, RunHost } from '../graph/context/run-host.ts'
import type { FlowRun } from '../graph/context/run-options.ts'
import { startRun } from '../graph/run/run.ts'
import { textStream } from '../graph/results/text-stream.ts'
import type { ClaimedJob, JobStore } from '../store/job-store.ts'
import { isStaleWriter } from '../store/store-error.ts'
import type { JobRecorder } from './build-jobs-options.ts'
import type { BuildRequest } from './build-request.ts'
import { createCheckpointBudget } from './checkpoint-budget.ts'
import { wasCancelled, type Execution } from './execution.ts'
import { decodeEvent } from './job-event.ts'
import { lateJobsOf } from './late-store.ts'
import type { JobRunnerOptions } from './job-runner-options.ts'
import type { ForkedRequest } from './fork-job.ts'
import { isSuspensionName, SPENT_NAME } from './stored-question.ts'
import { whileAway } from './while-away.ts'
import { createSuspension, type Suspension } from './suspension.ts'

/** Starts the run of a claimed job, or continues an earlier one. */
export async function beginRun(
  options: JobRunnerOptions,
  execution: Execution,
  recorder: JobRecorder | undefined,
): Promise<{ run: FlowRun; suspension?: Suspension }> {
  const { job, request, live } = execution
  const { components, services, servicesOf, runtime, cache, limits, store, hooks, onError } =
    options
  const { prices, countTokens } = options
  const {
    flow,
    resumable = false,
    timeoutMs: _t,
    metadata: _m,
    lane: _l,
    priority: _p,
    maxSuspendedMs,
    refused,
    history: _k,
    forked,
    announceAnswers,
    late: _s,
    keepsResult: _r,
    ...rest
  } = request as ForkedRequest
  const given = typeof options.budget === 'function' ? options.budget(request) : options.budget
  const budget = tighterBudget(given, request.budget)
  if (refused !== undefined) return { run: refusedRun(job, refused, runtime) }
  const late = lateJobsOf(store)
  const begun = async (): Promise<void> => await late?.begun(job.id)
  const settle = async (): Promise<void> => await late?.settle(job.id)
  const runOptions = {
    mode: 'build' as const,
    components,
    services: servicesOf?.(request, { begun, settle }) ?? services,
    cache,
    runtime,
    hooks,
    prices,
    countTokens,
    ...rest,
    budget,
    flowId: job.flowId,
    limits: limitsOf(request, limits),
  }
  const recording: RunHost =
    recorder === undefined
      ? {}
      : {
          inputs: (vertex, values) => recorder.inputs(vertex, values),
          built(build) {
            if (!execution.lost) recorder.built(build)
          },
        }
  const isKept = execution.lease !== undefined || resumable
  const claimed: RunHost = {
    jobId: job.id,
    ...(isKept ? { mayStart: () => execution.mayStart, left: () => execution.left() } : {}),
    ...(job.attempts > 1 ? { continued: true } : {}),
    report: (error) => onError(error, { jobId: job.id }),
  }
  // In the same turn that creates the run, so that a job cancelled before starts nothing (FE-60).
  const started = (host: RunHost): FlowRun => {
    const run = startRun(flow, runOptions, {
      ...(job.usage === null ? {} : { used: tokensOf(job.usage) }),
      ...host,
      ...claimed,
    })
    live.onCancel((reason) => run.cancel(reason))
    return run
  }
  if (!resumable) return { run: started(recording) }
  // A job that was never claimed before has none.
  const kept = job.attempts === 1 ? [] : await store.checkpoints.list(job.id)
  const states = new Map(kept.map(({ vertexId, state }) => [vertexId, state]))
  const { fence } = execution
  const suspension = await createSuspension(
    { ...options, fence, ...(maxSuspendedMs === undefined ? {} : { maxSuspendedMs }) },
    job,
    states,
  )
  const own = [...states].filter(([name]) => !isSuspensionName(name))
  const room = createCheckpointBudget(runOptions.limits.checkpointBytes, own)
  const checkpoints = new Map([...Object.entries(forked?.kept ?? {}), ...own])
  const run = started({
    ...spentOf(options, execution, { budget, states }),
    async checkpoint(vertexId, state) {
      if (!room.take(vertexId, state)) return false
      await putCheckpoint(options, execution, { vertexId, state })
      return true
    },
    failed: (vertexId, state) => putCheckpoint(options, execution, { vertexId, state }),
    suspend: suspension.ask,
    announceAnswers,
    ...(request.late === true && late !== undefined ? { settle } : {}),
    sleep: suspension.sleep,
    rest: suspension.rest,
    ...recording,
    ...(job.attempts > 1 || forked !== undefined
      ? // `writeEvents` continues the numbering of the log.
        { resume: { firstSeq: 0, checkpoints, ...(await reportedBefore(store, job.id)) } }
      : {}),
  })
  return { run, suspension }
}

/** What a job with a budget keeps of what it has spent: the next process goes on counting. */
function spentOf(
  options: JobRunnerOptions,
  execution: Execution,
  {
    budget,
    states,
  }: { readonly budget: RunBudget | undefined; readonly states: ReadonlyMap<string, string> },
): Pick<RunHost, 'used' | 'spent'> {
  if (budget === undefined) return {}
  const state = states.get(SPENT_NAME)
  const before = state === undefined ? tokensOf(execution.job.usage) : JSON.parse(state)
  const used = before as SpentBefore
  execution.spent = used
  return {
    used,
    spent(now) {
      execution.spent = now
      return keepSpent(options, execution)
    },
  }
}

/** Stores what a job has spent; a failure is reported, as the call was made. */
export async function keepSpent(
  { store: { checkpoints }, onError }: Pick<JobRunnerOptions, 'store' | 'onError'>,
  { job, fence, spent }: Pick<Execution, 'job' | 'fence' | 'spent'>,
): Promise<void> {
  if (spent === undefined) return
  try {
    await checkpoints.put(job.id, SPENT_NAME, JSON.stringify(spent), fence)
  } catch (error) {
    if (!isStaleWriter(error)) onError(error, { jobId: job.id })
  }
}

/** What earlier runs of the job have told. */
function tokensOf(usage: ClaimedJob['usage']): SpentBefore {
  const sum = { modelCalls: 0, inputTokens: 0, outputTokens: 0, seconds: 0 }
  for (const { inputTokens, outputTokens } of Object.values(usage ?? {})) {
    sum.inputTokens += inputTokens
    sum.outputTokens += outputTokens
  }
  return usage === null ? { ...sum, money: '0' } : sum
}

/** Steps after the checkpoint start only while the job is held. */
async function putCheckpoint(
  options: JobRunnerOptions,
  execution: Execution,
  { vertexId, state }: { readonly vertexId: string; readonly state: string },
): Promise<void> {
  const {
    store: { checkpoints },
    runtime,
    closing,
  } = options
  if (execution.lost) throw wasCancelled()
  const isStart = isStartMark(state)
  try {
    // The vertex must not run twice: from now on the job outlives its process.
    if (isStart) await lateJobsOf(options.store)?.settle(execution.job.id)
    await whileAway(() => checkpoints.put(execution.job.id, vertexId, state, execution.fence), {
      runtime,
      signal: closing,
      over: () => execution.lost,
      onError: () => undefined,
    })
    execution.noteCheckpoint(vertexId, isStart)
    if (execution.isSuspect && !isStart) await clear(options, execution)
  } catch (error) {
    if (isStaleWriter(error)) execution.lose()
    throw error
  }
  if (execution.lost) throw wasCancelled()
}

/** The job has completed a step, so it is not what ended its process. */
async function clear(
  { store: { queue }, onError, cleared }: JobRunnerOptions,
  execution: Execution,
): Promise<void> {
  const { id, worker } = execution.job
  execution.isSuspect = false
  try {
    await queue.absolve?.(id, worker)
    cleared(id)
  } catch (error) {
    execution.isSuspect = true
    onError(error, { jobId: id })
  }
}

/** The limits of all jobs, overridden by those of one request. */
export function limitsOf({ limits, timeoutMs }: BuildRequest, all: RunLimits): RunLimits {
  const own = timeoutMs === undefined ? limits : { ...limits, runTimeoutMs: timeoutMs }
  return completeLimits(own, all)
}

/**
 * Reads what is already in the log: the announcement of the flow, the number of ends of each vertex, and the
 * messages that are not complete.
 */
async function reportedBefore(
  { log }: JobStore,
  jobId: string,
): Promise<Pick<ResumePoint, 'sorted' | 'reported' | 'unfinished'>> {
  const reported = new Map<string, number>()
  const unfinished = new Set<string>()
  let sorted = false
  let last = -1
  for (;;) {
    const events = await log.read(jobId, last, 1000)
    for (const stored of events) {
      sorted ||= stored.event === 'vertices_sorted'
      if (!READ_AGAIN.has(stored.event)) continue
      const event = decodeEvent(stored)
      if (event.event === 'reasoning') unfinished.add(event.data.id)
      else if (event.event === 'add_message') {
        const { id = '', properties } = event.data
        if (Reflect.get(properties, 'state') === 'partial') unfinished.add(id)
        else unfinished.delete(id)
      } else if (event.event === 'remove_message') unfinished.delete(event.data.id)
      if (event.event !== 'end_vertex') continue
      const { id } = event.data.build_data
      reported.set(id, (reported.get(id) ?? 0) + 1)
    }
    if (events.length === 0) return { sorted, reported, unfinished: [...unfinished] }
    last = events.at(-1)?.seq ?? last
  }
}

const READ_AGAIN: ReadonlySet<string> = new Set([
  'add_message',
  'reasoning',
  'remove_message',
  'end_vertex',
])

/** A run of a flow that was rejected before: its error, then its end. */
function refusedRun({ id, flowId }: ClaimedJob, reason: string, runtime: Runtime): FlowRun {
  const data = startFailureJson(reason, flowId, runtime.now())
  const events: RunEvent[] = [
    { seq: 0, event: 'error', data },
    { seq: 1, event: 'end', data: {} },
  ]
  const result: FlowRun['result'] = Promise.reject(new FlowError('invalid_flow', reason))
  result.catch(() => undefined)
  const read = (): AsyncGenerator<RunEvent> => inOrder(events)
  const source = { events: read, result: () => result }
  return {
    id,
    result,
    textStream: textStream(source),
    cancel: () => undefined,
    [Symbol.asyncIterator]: read,
  }
}

async function* inOrder(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events
}
