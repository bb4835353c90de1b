import type { SpentBefore } from '../plan/run-budget.ts'
import { createSystemRuntime, type Runtime, ownText, type PlainObject } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../../components/define/context.ts'
import type { SuspendOptions } from '../../components/define/suspend-options.ts'
import type { ComponentServices, MessageService } from '../../components/define/services.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { outgoingFetch } from '../../outgoing/outgoing-fetch.ts'
import { limitExceeded, type FlowError } from '../../errors.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import { createRunReporter } from './create-run-reporter.ts'
import type { CallPlace, RunHost } from './run-host.ts'
import type { RunOptions } from './run-options.ts'
import type { RunReporter } from './run-reporter.ts'
import { RunSpending } from './run-spending.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { RunBudget } from '../plan/run-budget.ts'
import { earlierMessages } from '../messages/earlier-messages.ts'
import { createRunMessages } from '../messages/memory-messages.ts'
import { createMessageLog, type MessageLog } from '../messages/message-log.ts'
import type { FlowProblem } from '../flow/problems.ts'
import {
  LazyEvent,
  TokenEvent,
  type TokenData,
  type RunEvent,
  type RunEventData,
  type UnsentEvent,
} from '../events/run-event.ts'
import { createRunLog, type RunLog } from '../events/run-log.ts'
import { createSecrets, type Secrets } from '../events/secrets.ts'

/** What a run is given; everything else is derived from it. */
export interface RunContextOptions {
  readonly options: RunOptions
  readonly host: RunHost
  readonly limits: RunLimits
  /** May name the flow. */
  readonly flow?: PlainObject
  readonly log?: RunLog
}

/** What components do that outlives a process. */
export interface DurableOperations {
  /** Rejects with `not_resumable` if no host stores the question. */
  suspend(from: CallPlace, question: unknown, options: SuspendOptions): Promise<unknown>
  /** @param number index of the sleep within its build, from 1 */
  sleep(
    from: CallPlace,
    number: number,
    time: number | string | Date,
    signal: AbortSignal,
  ): Promise<void>
  step<T>(vertexId: string, name: string, work: () => T | Promise<T>): Promise<T>
}

/** The vertex that starts a run within this one. */
export interface ChildPlace {
  readonly vertexId: string
  readonly signal: AbortSignal
}

interface GivenServices extends Readonly<ComponentServices> {
  readonly messages: MessageService
}

const systemRuntime = createSystemRuntime()

/**
 * State shared by the builds of all vertices of one run. Its parts are created on first use: most runs need
 * only a few of them.
 */
export abstract class RunContext {
  readonly options: RunOptions
  readonly host: RunHost
  readonly limits: RunLimits
  readonly runtime: Runtime
  readonly flowId: string
  readonly flowName: string | undefined
  /** "" = none. */
  readonly sessionId: string
  readonly log: RunLog
  #id: string | undefined
  #ownTexts: Set<string> | undefined
  #givenServices: GivenServices | undefined
  #services: Readonly<ComponentServices> | undefined
  #rootServices: Readonly<ComponentServices> | undefined
  #inputMessages: Set<string> | undefined
  #shared: Map<string, unknown> | undefined
  #secrets: Secrets | undefined
  #spending: RunSpending | undefined
  readonly #begunAt: number
  #messages: MessageLog | undefined
  /** Null without hooks. */
  #reporter: RunReporter | null | undefined

  constructor({ options, host, limits, flow = {}, log }: RunContextOptions) {
    const { bufferedTokens, eventBytes } = limits
    this.options = options
    this.host = host
    this.limits = limits
    this.runtime = options.runtime ?? systemRuntime
    this.flowId = options.flowId ?? ownText(flow, 'id') ?? this.runtime.uuid()
    this.flowName = options.flowName ?? ownText(flow, 'name')
    this.sessionId = options.sessionId ?? this.flowId
    const firstSeq = host.resume?.firstSeq ?? 0
    this.log = log ?? createRunLog({ bufferedTokens, eventBytes, firstSeq })
    this.#secrets = host.secrets
    this.#spending = host.spending
    this.#begunAt = host.spent === undefined ? 0 : this.runtime.now().getTime()
  }

  abstract readonly signal: AbortSignal
  abstract readonly budget: RunBudget | undefined
  abstract readonly durable: DurableOperations
  /** False once the run has ended or was aborted; later calls are ignored. */
  abstract open(): boolean
  /** Ends the run: it has exceeded a limit. */
  abstract exceed(limit: FlowError): void
  abstract warn(problem: FlowProblem): void
  abstract usage(vertexId: string, usage: TokenUsage): void
  abstract runFlow(
    flow: FlowJson,
    options: ChildRunOptions,
    from: ChildPlace,
  ): Promise<ChildRunResult>

  get id(): string {
    return (this.#id ??= this.runtime.uuid())
  }

  get userId(): string | undefined {
    return this.options.userId
  }

  /** Also send whitespace-only tokens. */
  get blankTokens(): boolean {
    return this.options.blankTokens === true
  }

  /** Send what models think before they answer. */
  get reasoning(): boolean {
    return this.options.reasoning === true
  }

  /** Calls the hooks; undefined if there are none. */
  get reporter(): RunReporter | undefined {
    if (this.#reporter === undefined) this.#reporter = createRunReporter(this) ?? null
    return this.#reporter ?? undefined
  }

  /** The services of the host, with a message service; child runs share them. */
  get givenServices(): GivenServices {
    const { services } = this.options
    return (this.#givenServices ??= {
      ...services,
      messages: services?.messages ?? createRunMessages(),
    })
  }

  get services(): Readonly<ComponentServices> {
    const { givenServices } = this
    const { allowPrivate } = this.options
    return (this.#services ??= Object.freeze({
      ...givenServices,
      fetch: outgoingFetch(givenServices, { allowPrivate, isOwn: (text) => this.#isOwn(text) }),
    }))
  }

  /** Services for vertices without incoming edges. */
  get rootServices(): Readonly<ComponentServices> {
    return (this.#rootServices ??= Object.freeze({
      ...this.services,
      messages: earlierMessages(this.givenServices.messages, this.inputMessages),
    }))
  }

  /** Values of the user's variables that the run has read. */
  get ownTexts(): Set<string> {
    return (this.#ownTexts ??= new Set())
  }

  /** Where a text comes from decides, not what it is: whoever sends it knows it. */
  #isOwn(text: string): boolean {
    if (!this.ownTexts.has(text) && !this.holds(text)) return false
    this.ownTexts.add(text)
    return true
  }

  /** True if the flow or the request holds the text. */
  protected holds(_text: string): boolean {
    return false
  }

  /** Ids of messages sent by the input vertices of this run. */
  get inputMessages(): Set<string> {
    return (this.#inputMessages ??= new Set())
  }

  get shared(): Map<string, unknown> {
    return (this.#shared ??= new Map(Object.entries(this.options.context ?? {})))
  }

  /** What the run, with the runs within it, has used of its budget. */
  get spending(): RunSpending {
    return (this.#spending ??= this.#newSpending())
  }

  /** The same, but undefined if nothing was counted yet. */
  get knownSpending(): RunSpending | undefined {
    return this.host.used === undefined ? this.#spending : this.spending
  }

  /** A run that goes on in another process counts on from what it has used, its working time too. */
  #newSpending(): RunSpending {
    const { budget, host, options, runtime } = this
    const { prices, countTokens } = options
    const { used, spent } = host
    if (spent === undefined) return new RunSpending({ budget, prices, countTokens, used })
    const from = this.#begunAt
    const seconds = (): number =>
      (used?.seconds ?? 0) + Math.max(0, runtime.now().getTime() - from) / 1000
    const keep = (sums: Omit<SpentBefore, 'seconds'>): Promise<void> =>
      spent({ ...sums, seconds: seconds() })
    return new RunSpending({ budget, prices, countTokens, used, keep })
  }

  get secrets(): Secrets {
    return (this.#secrets ??= createSecrets())
  }

  /** The same, but undefined instead of created if the run has none yet. */
  get knownSecrets(): Secrets | undefined {
    return this.#secrets
  }

  /** True once `messages` has been accessed. */
  get hasMessages(): boolean {
    return this.#messages !== undefined
  }

  get messages(): MessageLog {
    return (this.#messages ??= createMessageLog({
      service: this.givenServices.messages,
      send: (event, data, vertexId) => this.send(event, data, vertexId),
      runtime: this.runtime,
      secrets: this.secrets,
      limits: this.limits,
      flowId: this.flowId,
      sessionId: this.sessionId,
      open: () => this.open(),
    }))
  }

  send<K extends keyof RunEventData>(
    event: K,
    make: () => RunEventData[K],
    vertexId?: string,
  ): void {
    if (!this.#hasRoom(event)) return
    this.log.push(new LazyEvent(this.log.nextSeq, event, make, vertexId) as RunEvent)
  }

  sendToken(data: TokenData, vertexId: string): void {
    if (!this.#hasRoom('token')) return
    this.log.push(new TokenEvent(this.log.nextSeq, data, vertexId))
  }

  sendEnd(end: UnsentEvent<'end_vertex'>): void {
    if (!this.#hasRoom('end_vertex')) return
    end.seq = this.log.nextSeq
    this.log.push(end)
  }

  /** The error that reports the limit, and `end`, do not count. */
  #hasRoom(event: keyof RunEventData): boolean {
    const { events } = this.limits
    const { nextSeq } = this.log
    if (nextSeq < events || event === 'end' || (event === 'error' && nextSeq < events + 1)) {
      return true
    }
    this.exceed(limitExceeded('events', `a run may have ${events} events`))
    return false
  }
}
