import type { Runtime } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../../components/define/context.ts'
import type { ComponentServices } from '../../components/define/services.ts'
import type { FlowError } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import type { LazySignal } from '../context/lazy-signal.ts'
import type { RunContextOptions } from '../context/run-context.ts'
import type { RunRequest } from '../context/run-request.ts'
import type { RunReporter } from '../context/run-reporter.ts'
import { RunSpending } from '../context/run-spending.ts'
import type { RunLog } from '../events/run-log.ts'
import type { Secrets } from '../events/secrets.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import type { FlowProblem } from '../flow/problems.ts'
import { createRunMessages } from '../messages/memory-messages.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { SpentBefore } from '../plan/run-budget.ts'
import { runChild, type ChildRun, type StartRun } from './child-run.ts'
import { DurableCalls } from './durable-calls.ts'
import type { Phase } from './phase.ts'
import type { RunExecution } from './run-execution.ts'
import type { RunStart } from './run-start.ts'
import { createRunReporter, isObserved } from './report-run.ts'

interface Surroundings {
  readonly startRun: StartRun
  readonly controller: LazySignal
  readonly phase: Phase
}

/** The inputs of a run's context. */
export class ContextOptions implements RunContextOptions {
  readonly flowId: string
  readonly flowName: string | undefined
  readonly sessionId: string
  readonly userId: string | undefined
  readonly runtime: Runtime
  readonly limits: RunLimits
  readonly log: RunLog
  readonly secrets: Secrets | undefined
  readonly #start: RunStart
  readonly #request: RunRequest
  readonly #startRun: StartRun
  readonly #controller: LazySignal
  readonly #phase: Phase
  readonly #begunAt: number
  #services: ComponentServices | undefined
  #spending: RunSpending | undefined
  #shared: Map<string, unknown> | undefined
  #durable: DurableCalls | undefined
  #nested: { runs: number } | undefined
  /** Null without hooks. */
  #reporter: RunReporter | null | undefined

  constructor(start: RunStart, request: RunRequest, { startRun, controller, phase }: Surroundings) {
    const { host } = start
    this.flowId = request.flowId
    this.flowName = request.flowName
    this.sessionId = request.sessionId
    this.userId = request.options.userId
    this.runtime = request.runtime
    this.limits = request.limits
    this.log = start.log
    this.secrets = host.secrets
    this.#spending = host.spending
    this.#start = start
    this.#begunAt = host.spent === undefined ? 0 : request.runtime.now().getTime()
    this.#request = request
    this.#startRun = startRun
    this.#controller = controller
    this.#phase = phase
  }

  get runId(): string {
    return this.#start.id
  }

  get #execution(): RunExecution {
    const { execution } = this.#start
    if (execution === undefined) throw new TypeError('The run has not begun')
    return execution
  }

  /** Includes a message service, which child runs share. */
  get services(): ComponentServices {
    const { services } = this.#request.options
    return (this.#services ??= {
      ...services,
      messages: services?.messages ?? createRunMessages(),
    })
  }

  get spending(): RunSpending {
    const { budget, options } = this.#request
    const { prices, countTokens } = options
    const { used, spent } = this.#start.host
    const keep =
      spent &&
      ((sums: Omit<SpentBefore, 'seconds'>) => spent({ ...sums, seconds: this.#seconds(used) }))
    return (this.#spending ??= new RunSpending({ budget, prices, countTokens, used, keep }))
  }

  get knownSpending(): RunSpending | undefined {
    return this.#start.host.used === undefined ? this.#spending : this.spending
  }

  /** Of working time. */
  #seconds(used: SpentBefore | undefined): number {
    const worked = Math.max(0, this.runtime.now().getTime() - this.#begunAt) / 1000
    return (used?.seconds ?? 0) + worked
  }

  get blankTokens(): boolean | undefined {
    return this.#request.options.blankTokens
  }

  get reasoning(): boolean | undefined {
    return this.#request.options.reasoning
  }

  get allowPrivate(): boolean | undefined {
    return this.#request.options.allowPrivate
  }

  holds(text: string): boolean {
    const { plan, options } = this.#request
    const { tweaks, input, variables } = options
    const written = JSON.stringify(text).slice(1, -1)
    return JSON.stringify([plan.flow, tweaks, input, variables]).includes(written)
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

  usage(vertexId: string, used: TokenUsage): void {
    this.#execution.outcome.use(vertexId, used)
  }

  async runFlow(
    flow: FlowJson,
    child: ChildRunOptions,
    from: Pick<ChildRun, 'vertexId' | 'signal' | 'secrets' | 'messages' | 'send'>,
  ): Promise<ChildRunResult> {
    const { services } = this
    const result = await runChild({
      startRun: this.#startRun,
      host: this.#start.host,
      runId: () => this.runId,
      nested: (this.#nested ??= this.#start.host.nested ?? { runs: 0 }),
      request: this.#request,
      services,
      spending: this.spending,
      flow,
      child,
      ...from,
    })
    this.usage(from.vertexId, result.usage)
    return result
  }

  /** Without hooks a run has no overhead. */
  get reporter(): RunReporter | undefined {
    if (this.#reporter !== undefined) return this.#reporter ?? undefined
    const { hooks } = this.#request.options
    if (hooks === undefined) return undefined
    if (!isObserved(hooks)) {
      this.#reporter = null
      return undefined
    }
    const { host, run } = this.#start
    const secrets = {
      mask: (text: string): string => run?.knownSecrets?.mask(text) ?? text,
      maskJson: <T>(value: T): T => run?.knownSecrets?.maskJson(value) ?? value,
    }
    return (this.#reporter ??= createRunReporter(hooks, this.#request, {
      host,
      runId: this.runId,
      secrets,
    }))
  }

  durable(): DurableCalls {
    const { host, run } = this.#start
    if (run === undefined) throw new TypeError('The run has not begun')
    const { graph } = this.#request
    const { builds } = this.#execution
    return (this.#durable ??= new DurableCalls({ host, graph, run, builds }))
  }
}
