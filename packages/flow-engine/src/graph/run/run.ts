import { errorText } from '../../errors.ts'
import { LazySignal } from '../context/lazy-signal.ts'
import { createRunContext } from '../context/run-context.ts'
import type { RunHost } from '../context/run-host.ts'
import type { FlowRun, RunOptions, RunResult } from '../context/run-options.ts'
import { RunRequest } from '../context/run-request.ts'
import { LazyEvent, type RunEvent } from '../events/run-event.ts'
import type { RunLog } from '../events/run-log.ts'
import { textStream, writersOf } from '../results/text-stream.ts'
import { startFailureJson } from '../vertex/failure.ts'
import { ContextOptions } from './context-options.ts'
import { Phase } from './phase.ts'
import { RunExecution } from './run-execution.ts'
import { cancelReason, RunStart } from './run-start.ts'
import { watchSeconds } from './time-budget.ts'
import type { OptionArguments, RunOf } from './typed-run.ts'

/**
 * Runs a flow, a plan, or a draft (which brings its own components). Starts in a microtask and never throws:
 * errors arrive as events and through `result`.
 */
export function runFlow<F>(flow: F, ...options: OptionArguments<F>): RunOf<F>
export function runFlow(flow: unknown, options: RunOptions = NO_OPTIONS): FlowRun {
  return startRun(flow, options, NO_HOST)
}

/** Like `runFlow`, for hosts that run flows durably. */
export function startRun(flow: unknown, options: RunOptions, host: RunHost): FlowRun {
  const start = new RunStart(options, host)
  const result = BEGIN.then((): Promise<RunResult> => {
    try {
      return execute(start, new RunRequest(flow, options, start.runtime))
    } catch (error) {
      refuse(start.log, error, options.flowId ?? null, start.runtime.now())
      throw error
    }
  })
  // An unobserved failure must not raise unhandledRejection.
  result.catch(() => undefined)
  return new StartedRun(start, result)
}

const BEGIN = Promise.resolve()
const NO_OPTIONS: RunOptions = {}
const NO_HOST: RunHost = {}

/** The caller's handle of a run. A class, because literals with a getter get separate hidden classes. */
class StartedRun implements FlowRun {
  readonly result: FlowRun['result']
  readonly cancel: FlowRun['cancel']
  readonly #start: RunStart
  #writers: ReturnType<typeof writersOf> | undefined

  constructor(start: RunStart, result: FlowRun['result']) {
    this.result = result
    this.cancel = (reason) => start.cancel(reason)
    this.#start = start
  }

  get id(): string {
    return this.#start.id
  }

  get textStream(): AsyncIterable<string> {
    return textStream({
      events: () => this,
      result: () => this.result,
      writes: (vertexId) => (this.#writers ??= writersOf(this.#start))(vertexId),
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.#start.log.read()
  }
}

function execute(start: RunStart, request: RunRequest): Promise<RunResult> {
  const { log, host } = start
  const controller = new LazySignal()
  const phase = new Phase()
  const run = createRunContext(new ContextOptions(start, request, { startRun, controller, phase }))
  const execution = new RunExecution({ request, run, log, host, controller, phase })
  start.run = run
  start.request = request
  start.execution = execution
  if (start.cancelled !== undefined) execution.cancel(start.cancelled)
  const stop = listen(request.options.signal, (reason) => execution.cancel(cancelReason(reason)))
  if (phase.current === 'running') {
    run.reporter?.start()
    watchSeconds(request, execution, host)
    execution.start()
  }
  return stop === undefined ? execution.result : execution.result.finally(stop)
}

/** Listens to a signal that may be aborted already; returns a function that stops listening. */
function listen(
  signal: AbortSignal | undefined,
  aborted: (reason: unknown) => void,
): (() => void) | undefined {
  if (signal === undefined) return undefined
  const stop = (): void => aborted(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}

/** Ends a run that was never started: `error`, then `end`. */
function refuse(log: RunLog, error: unknown, flowId: string | null, now: Date): void {
  const reason = errorText(error)
  log.push(new LazyEvent(log.nextSeq, 'error', () => startFailureJson(reason, flowId, now)))
  log.push({ seq: log.nextSeq, event: 'end', data: {} })
  log.close()
}
