import { createSystemRuntime } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../components/context.ts'
import { errorText, FlowError, isFlowError, limitExceeded } from '../errors.ts'
import { Execution, type Phase } from './execution.ts'
import { startFailureJson } from './failure.ts'
import type { FlowJson } from './flow-json.ts'
import { completeLimits } from './limits.ts'
import { createRunContext, type RunContext } from './run-context.ts'
import { LazyEvent } from './run-event.ts'
import type { RunHost } from './run-host.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import type { FlowRun, RunOptions, RunResult } from './run-options.ts'
import { readRunRequest, type RunRequest } from './run-request.ts'

const MAX_DEPTH = 32

/**
 * Runs a flow, or a plan of it. Starts in a microtask and never throws: what is wrong comes as events
 * and by `result` (FE-18).
 */
export function runFlow(flow: unknown, options: RunOptions = {}): FlowRun {
  return startRun(flow, options, {})
}

/** As `runFlow`, for hosts that keep runs durable (FE-63). */
export function startRun(flow: unknown, options: RunOptions, host: RunHost): FlowRun {
  const runtime = options.runtime ?? createSystemRuntime()
  const { bufferedTokens } = completeLimits(options.limits)
  const log = createRunLog({ bufferedTokens, firstSeq: host.resume?.firstSeq ?? 0 })
  const id = runtime.uuid()
  const cancelled = new AbortController()
  const result = Promise.resolve().then((): Promise<RunResult> => {
    try {
      const request = readRunRequest(flow, { ...options, runtime })
      return execute({ id, request, log, host, cancelled: cancelled.signal })
    } catch (error) {
      refuse(log, error, options.flowId ?? null, runtime.now())
      throw error
    }
  })
  // Whoever wants to know asks `result`; a run that nobody asks must not end the process.
  result.catch(() => undefined)
  return {
    id,
    result,
    cancel: (reason) => cancelled.abort(reason),
    [Symbol.asyncIterator]: () => log.read(),
  }
}

interface Start {
  readonly id: string
  readonly request: RunRequest
  readonly log: RunLog
  readonly host: RunHost
  /** `cancel()` of the run. */
  readonly cancelled: AbortSignal
}

function execute(start: Start): Promise<RunResult> {
  const { request, log, host } = start
  const controller = new AbortController()
  const phase: Phase = { current: 'running' }
  const run = contextOf(start, {
    signal: controller.signal,
    phase,
    execution: () => execution,
  })
  const execution: Execution = new Execution({ request, run, log, host, controller, phase })
  const stop = listen([start.cancelled, request.options.signal], (reason) =>
    execution.cancel(cancelReason(reason)),
  )
  if (phase.current === 'running') execution.start()
  return execution.result.finally(stop)
}

interface Surroundings {
  readonly signal: AbortSignal
  readonly phase: Phase
  /** Not before the context is complete. */
  readonly execution: () => Execution
}

function contextOf(start: Start, { signal, phase, execution }: Surroundings): RunContext {
  const { id, request, log, host } = start
  const { options, flowId, flowName, sessionId, runtime, limits } = request
  const { suspend } = host
  const run: RunContext = createRunContext({
    runId: id,
    flowId,
    flowName,
    sessionId,
    userId: options.userId,
    runtime,
    services: options.services ?? {},
    shared: new Map(Object.entries(options.context ?? {})),
    limits,
    signal,
    log,
    open: () => phase.current === 'running',
    overflow: (error) => execution().exceed(error),
    warn: (problem) => void execution().outcome.warnings.push(problem),
    usage: ({ inputTokens, outputTokens }) => {
      const { usage } = execution().outcome
      usage.inputTokens += inputTokens
      usage.outputTokens += outputTokens
    },
    runFlow: (flow, child, childSignal) => runChild({ start, run, flow, child, childSignal }),
    suspend:
      suspend === undefined
        ? undefined
        : async (vertexId, question) => {
            const outcome = await suspend(vertexId, question)
            if (outcome.kind === 'answered') return outcome.answer
            execution().suspended()
            return new Promise(() => undefined)
          },
  })
  return run
}

interface Child {
  readonly start: Start
  readonly run: RunContext
  readonly flow: FlowJson
  readonly child: ChildRunOptions
  readonly childSignal: AbortSignal
}

/** A child run: same services and signal, its events are its own (FE-40). */
async function runChild({ start, run, flow, child, childSignal }: Child): Promise<ChildRunResult> {
  const { host, request } = start
  const depth = (host.depth ?? 0) + 1
  if (depth > MAX_DEPTH) throw limitExceeded('depth', `more than ${MAX_DEPTH} runs in each other`)
  const { options, limits, sessionId } = request
  const { cache, variables, userId, concurrency } = options
  const result = await startRun(
    flow,
    {
      sessionId,
      ...child,
      components: request.graph.registry,
      services: run.services,
      runtime: run.runtime,
      signal: childSignal,
      limits,
      cache,
      variables,
      userId,
      concurrency,
    },
    { depth },
  ).result
  run.usage(result.usage)
  return result
}

/** Listens to signals that may be aborted already; gives what ends it. */
function listen(
  signals: readonly (AbortSignal | undefined)[],
  aborted: (reason: unknown) => void,
): () => void {
  const given = signals.filter((signal) => signal !== undefined)
  const stops = given.map((signal) => {
    const stop = (): void => aborted(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return () => signal.removeEventListener('abort', stop)
  })
  return () => {
    for (const stop of stops) stop()
  }
}

function cancelReason(reason: unknown): FlowError {
  if (isFlowError(reason)) return reason
  return new FlowError('cancelled', 'The run was cancelled', { cause: reason })
}

/** Nothing was started: `error`, `end` (FE-60). */
function refuse(log: RunLog, error: unknown, flowId: string | null, now: Date): void {
  const reason = errorText(error)
  log.push(new LazyEvent(log.nextSeq, 'error', () => startFailureJson(reason, flowId, now)))
  log.push({ seq: log.nextSeq, event: 'end', data: {} })
  log.close()
}
