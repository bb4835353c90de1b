import { createSystemRuntime, type Runtime } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../../components/define/context.ts'
import type { ComponentServices } from '../../components/define/services.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { errorText, FlowError, isFlowError, limitExceeded } from '../../errors.ts'
import { DurableCalls } from './durable-calls.ts'
import { Execution } from './execution.ts'
import { Phase } from './phase.ts'
import { startFailureJson } from '../vertex/failure.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import { LazySignal } from '../context/lazy-signal.ts'
import { limitsOrDefault, type RunLimits } from '../plan/limits.ts'
import { createRunMessages } from '../messages/memory-messages.ts'
import type { FlowProblem } from '../flow/problems.ts'
import {
  createRunContext,
  type RunContext,
  type RunContextOptions,
} from '../context/run-context.ts'
import { LazyEvent, type RunEvent } from '../events/run-event.ts'
import type { RunHost } from '../context/run-host.ts'
import { createRunLog, type RunLog } from '../events/run-log.ts'
import type { FlowRun, RunOptions, RunResult } from '../context/run-options.ts'
import type { MessageLog, SendEvent } from '../messages/message-log.ts'
import type { Secrets } from '../events/secrets.ts'
import { RunRequest } from '../context/run-request.ts'

/** Runs within each other (MO-60). */
const MAX_DEPTH = 8
/** Runs within one, at all depths. */
const MAX_NESTED = 1000

/**
 * Runs a flow, or a plan of it. Starts in a microtask and never throws: what is wrong comes as events
 * and by `result` (FE-18).
 */
export function runFlow(flow: unknown, options: RunOptions = NO_OPTIONS): FlowRun {
  return startRun(flow, options, NO_HOST)
}

/** As `runFlow`, for hosts that keep runs durable (FE-63). */
export function startRun(flow: unknown, options: RunOptions, host: RunHost): FlowRun {
  const start = new Start(options, host)
  const result = BEGIN.then((): Promise<RunResult> => {
    try {
      return execute(start, new RunRequest(flow, options, start.runtime))
    } catch (error) {
      refuse(start.log, error, options.flowId ?? null, start.runtime.now())
      throw error
    }
  })
  // Callers observe `result`; an unobserved failure must not raise unhandledRejection.
  result.catch(() => undefined)
  return new StartedRun(start, result)
}

const systemRuntime = createSystemRuntime()
const BEGIN = Promise.resolve()
const NO_OPTIONS: RunOptions = {}
const NO_HOST: RunHost = {}

/** The state of a run before it starts. A class, not a literal (decision 009). */
class Start {
  readonly host: RunHost
  readonly log: RunLog
  readonly runtime: Runtime
  execution: Execution | undefined = undefined
  run: RunContext | undefined = undefined
  #id: string | undefined = undefined
  #cancelled: FlowError | undefined = undefined

  constructor({ runtime, limits }: RunOptions, host: RunHost) {
    const { bufferedTokens, eventBytes } = limitsOrDefault(limits)
    this.host = host
    this.log = createRunLog({ bufferedTokens, eventBytes, firstSeq: host.resume?.firstSeq ?? 0 })
    this.runtime = runtime ?? systemRuntime
  }

  /** Made when somebody asks for it. */
  get id(): string {
    return (this.#id ??= this.runtime.uuid())
  }

  /** May be asked for before the run has begun. */
  get cancelled(): FlowError | undefined {
    return this.#cancelled
  }

  cancel(reason: unknown): void {
    this.#cancelled ??= cancelReason(reason)
    this.execution?.cancel(this.#cancelled)
  }
}

/** What the caller has of a run; a literal with a getter would get a hidden class of its own. */
class StartedRun implements FlowRun {
  readonly result: FlowRun['result']
  readonly cancel: FlowRun['cancel']
  readonly #start: Start

  constructor(start: Start, result: FlowRun['result']) {
    this.result = result
    this.cancel = (reason) => start.cancel(reason)
    this.#start = start
  }

  get id(): string {
    return this.#start.id
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent> {
    return this.#start.log.read()
  }
}

function execute(start: Start, request: RunRequest): Promise<RunResult> {
  const { log, host } = start
  const controller = new LazySignal()
  const phase = new Phase()
  const run = createRunContext(new ContextOptions(start, request, { controller, phase }))
  const execution = new Execution({ request, run, log, host, controller, phase })
  start.run = run
  start.execution = execution
  if (start.cancelled !== undefined) execution.cancel(start.cancelled)
  const stop = listen(request.options.signal, (reason) => execution.cancel(cancelReason(reason)))
  if (phase.current === 'running') execution.start()
  return stop === undefined ? execution.result : execution.result.finally(stop)
}

interface Surroundings {
  readonly controller: LazySignal
  readonly phase: Phase
}

/** What the context of a run needs to know of it. */
class ContextOptions implements RunContextOptions {
  readonly flowId: string
  readonly flowName: string | undefined
  readonly sessionId: string
  readonly userId: string | undefined
  readonly runtime: Runtime
  readonly limits: RunLimits
  readonly log: RunLog
  readonly secrets: Secrets | undefined
  readonly #start: Start
  readonly #request: RunRequest
  readonly #controller: LazySignal
  readonly #phase: Phase
  #services: ComponentServices | undefined
  #shared: Map<string, unknown> | undefined
  #durable: DurableCalls | undefined
  #nested: { runs: number } | undefined

  constructor(start: Start, request: RunRequest, { controller, phase }: Surroundings) {
    const { host } = start
    this.flowId = request.flowId
    this.flowName = request.flowName
    this.sessionId = request.sessionId
    this.userId = request.options.userId
    this.runtime = request.runtime
    this.limits = request.limits
    this.log = start.log
    this.secrets = host.secrets
    this.#start = start
    this.#request = request
    this.#controller = controller
    this.#phase = phase
  }

  get runId(): string {
    return this.#start.id
  }

  get #execution(): Execution {
    const { execution } = this.#start
    if (execution === undefined) throw new TypeError('The run has not begun')
    return execution
  }

  /** With a message service, which child runs share. */
  get services(): ComponentServices {
    const { services } = this.#request.options
    return (this.#services ??= {
      ...services,
      messages: services?.messages ?? createRunMessages(),
    })
  }

  get blankTokens(): boolean | undefined {
    return this.#request.options.blankTokens
  }

  get allowPrivate(): boolean | undefined {
    return this.#request.options.allowPrivate
  }

  get shared(): Map<string, unknown> {
    const { context = {} } = this.#request.options
    return (this.#shared ??= new Map(Object.entries(context)))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  open(): boolean {
    return this.#phase.current === 'running'
  }

  overflow(error: FlowError): void {
    this.#execution.exceed(error)
  }

  /** Once for each place, however often it is built. */
  warn(problem: FlowProblem): void {
    const { warnings } = this.#execution.outcome
    const { code, nodeId, field } = problem
    const isKnown = (known: FlowProblem): boolean =>
      known.code === code && known.nodeId === nodeId && known.field === field
    if (!warnings.some(isKnown)) warnings.push(problem)
  }

  usage({ inputTokens, outputTokens }: TokenUsage): void {
    const { usage } = this.#execution.outcome
    usage.inputTokens += inputTokens
    usage.outputTokens += outputTokens
  }

  async runFlow(
    flow: FlowJson,
    child: ChildRunOptions,
    from: Pick<Child, 'signal' | 'secrets' | 'messages' | 'send'>,
  ): Promise<ChildRunResult> {
    const { services } = this
    const result = await runChild({
      host: this.#start.host,
      nested: (this.#nested ??= this.#start.host.nested ?? { runs: 0 }),
      request: this.#request,
      services,
      flow,
      child,
      ...from,
    })
    this.usage(result.usage)
    return result
  }

  durable(): DurableCalls {
    const { host, run } = this.#start
    if (run === undefined) throw new TypeError('The run has not begun')
    const { graph } = this.#request
    const { builds } = this.#execution
    return (this.#durable ??= new DurableCalls({ host, graph, run, builds }))
  }
}

interface Child {
  /** Of the run around it. */
  readonly host: RunHost
  readonly request: RunRequest
  readonly services: ComponentServices
  readonly flow: FlowJson
  readonly child: ChildRunOptions
  readonly signal: AbortSignal
  readonly secrets: Secrets
  readonly nested: { runs: number }
  /** Of the run around it. */
  readonly messages: () => Pick<MessageLog, 'adopt'>
  /** Sends an event of the run around it. */
  readonly send: SendEvent
}

/** A child run: same services and signal, its events are its own (FE-40). */
async function runChild({
  host,
  request,
  services,
  flow,
  child,
  signal,
  secrets,
  nested,
  messages,
  send,
}: Child): Promise<RunResult> {
  const depth = (host.depth ?? 0) + 1
  if (depth > MAX_DEPTH)
    throw limitExceeded('depth', `Flows are nested more than ${MAX_DEPTH} deep`)
  nested.runs += 1
  if (nested.runs > MAX_NESTED)
    throw limitExceeded('nested', `more than ${MAX_NESTED} runs within one`)
  const { options, limits, sessionId, runtime } = request
  const { cache, variables, userId, concurrency, parallel, allowPrivate } = options
  const components = request.graph.registry
  const shared = { services, runtime, signal, limits, cache, variables, userId, allowPrivate }
  const around = { depth, secrets, nested }
  const { relay: isRelayed = false, ...own } = child
  const run = startRun(
    flow,
    { sessionId, ...own, components, ...shared, concurrency, parallel },
    around,
  )
  if (isRelayed) await relay(run, send)
  const result = await run.result
  if (result.messages.length > 0) messages().adopt(result.messages)
  return result
}

/** Sends the messages and tokens of one run as those of another. */
async function relay(run: FlowRun, send: SendEvent): Promise<void> {
  for await (const event of run) {
    if (event.event === 'add_message') send('add_message', () => event.data)
    else if (event.event === 'token') send('token', () => event.data)
    else if (event.event === 'remove_message') send('remove_message', () => event.data)
  }
}

/** Listens to a signal that may be aborted already; gives what ends it. */
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
