import type { Runtime } from '@x/wire'
import type { ChildRunOptions, ChildRunResult } from '../../components/define/context.ts'
import type { SuspendOptions } from '../../components/define/suspend-options.ts'
import type { ComponentServices, MessageService } from '../../components/define/services.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { outgoingFetch } from '../../outgoing/outgoing-fetch.ts'
import { limitExceeded, type FlowError } from '../../errors.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import type { CallPlace } from './run-host.ts'
import type { RunReporter } from './run-reporter.ts'
import type { RunSpending } from './run-spending.ts'
import type { RunLimits } from '../plan/limits.ts'
import { earlierMessages } from '../messages/earlier-messages.ts'
import { createRunMessages } from '../messages/memory-messages.ts'
import { createMessageLog, type MessageLog, type SendEvent } from '../messages/message-log.ts'
import type { FlowProblem } from '../flow/problems.ts'
import {
  LazyEvent,
  TokenEvent,
  type TokenData,
  type RunEvent,
  type RunEventData,
  type UnsentEvent,
} from '../events/run-event.ts'
import type { RunLog } from '../events/run-log.ts'
import { createSecrets, type Secrets } from '../events/secrets.ts'

/** State shared by the builds of all vertices of one run. */
export interface RunContext {
  readonly runId: string
  readonly flowId: string
  readonly flowName: string | undefined
  /** "" = none. */
  readonly sessionId: string
  readonly userId: string | undefined
  readonly runtime: Runtime
  readonly services: Readonly<ComponentServices>
  /** Services for vertices without incoming edges. */
  readonly rootServices: Readonly<ComponentServices>
  /** Ids of messages sent by the input vertices of this run. */
  readonly inputMessages: Set<string>
  readonly shared: Map<string, unknown>
  readonly limits: RunLimits
  readonly signal: AbortSignal
  readonly secrets: Secrets
  /** The same, but undefined instead of created if the run has none yet. */
  readonly knownSecrets: Secrets | undefined
  /** Values of the user's variables that the run has read. */
  readonly ownTexts: Set<string>
  readonly messages: MessageLog
  /** True once `messages` has been accessed. */
  readonly hasMessages: boolean
  send: SendEvent
  sendToken(data: TokenData, vertexId: string): void
  /** Also send whitespace-only tokens. */
  readonly blankTokens: boolean
  /** Send what models think before they answer. */
  readonly reasoning: boolean
  sendEnd(end: UnsentEvent<'end_vertex'>): void
  /** False once the run has ended or was aborted; later calls are ignored. */
  open(): boolean
  warn(problem: FlowProblem): void
  usage(vertexId: string, usage: TokenUsage): void
  /** What the run, with the runs within it, has used of its budget. */
  readonly spending: RunSpending
  /** The same, but undefined if nothing was counted yet. */
  readonly knownSpending: RunSpending | undefined
  runFlow(
    flow: FlowJson,
    options: ChildRunOptions,
    from: { readonly vertexId: string; readonly signal: AbortSignal },
  ): Promise<ChildRunResult>
  /** Rejects with `not_resumable` if no host stores the question. */
  suspend(from: CallPlace, question: unknown, options: SuspendOptions): Promise<unknown>
  /** @param number index of the sleep within its build, from 1 */
  sleep(
    from: CallPlace,
    number: number,
    time: number | string | Date,
    signal: AbortSignal,
  ): Promise<void>
  /** Calls the hooks; undefined if there are none. */
  readonly reporter: RunReporter | undefined
  step<T>(vertexId: string, name: string, work: () => T | Promise<T>): Promise<T>
}

/** The inputs of a run context; everything else is derived from them. */
export interface RunContextOptions extends Pick<
  RunContext,
  | 'runId'
  | 'flowId'
  | 'flowName'
  | 'sessionId'
  | 'userId'
  | 'runtime'
  | 'shared'
  | 'limits'
  | 'signal'
> {
  readonly services: Readonly<ComponentServices>
  readonly allowPrivate: boolean | undefined
  /** True if the flow or the request holds the text. */
  holds(text: string): boolean
  readonly blankTokens?: boolean | undefined
  readonly reasoning?: boolean | undefined
  readonly log: RunLog
  open(): boolean
  /** Called instead of throwing when the run exceeds its event limit. */
  overflow(error: FlowError): void
  warn(problem: FlowProblem): void
  usage(vertexId: string, usage: TokenUsage): void
  runFlow(
    flow: FlowJson,
    options: ChildRunOptions,
    from: {
      readonly vertexId: string
      readonly signal: AbortSignal
      readonly secrets: Secrets
      readonly messages: () => Pick<MessageLog, 'adopt'>
      readonly send: SendEvent
    },
  ): Promise<ChildRunResult>
  /** Secrets of the parent run, so that both runs mask them. */
  readonly secrets: Secrets | undefined
  /** Created on first use. */
  readonly spending: RunSpending
  readonly knownSpending: RunSpending | undefined
  /** The state of a run that may suspend; created on first use. */
  durable(): Pick<RunContext, 'suspend' | 'sleep' | 'step'>
  readonly reporter?: RunReporter | undefined
}

export function createRunContext(options: RunContextOptions): RunContext {
  return new LazyRunContext(options)
}

/** Creates its parts on first use; most runs need only a few of them. */
class LazyRunContext implements RunContext {
  readonly flowId: string
  readonly flowName: string | undefined
  readonly sessionId: string
  readonly userId: string | undefined
  readonly runtime: Runtime
  readonly limits: RunLimits
  readonly #options: RunContextOptions
  readonly #log: RunLog
  #ownTexts: Set<string> | undefined
  #services: Readonly<ComponentServices> | undefined
  #rootServices: Readonly<ComponentServices> | undefined
  #inputMessages: Set<string> | undefined
  #secrets: Secrets | undefined
  #messages: MessageLog | undefined

  constructor(options: RunContextOptions) {
    this.flowId = options.flowId
    this.flowName = options.flowName
    this.sessionId = options.sessionId
    this.userId = options.userId
    this.runtime = options.runtime
    this.limits = options.limits
    this.#options = options
    this.#log = options.log
  }

  get runId(): string {
    return this.#options.runId
  }

  get reporter(): RunReporter | undefined {
    return this.#options.reporter
  }

  get blankTokens(): boolean {
    return this.#options.blankTokens === true
  }

  get reasoning(): boolean {
    return this.#options.reasoning === true
  }

  get services(): Readonly<ComponentServices> {
    const { services, allowPrivate } = this.#options
    return (this.#services ??= Object.freeze({
      ...services,
      fetch: outgoingFetch(services, { allowPrivate, isOwn: (text) => this.#isOwn(text) }),
      messages: services.messages ?? createRunMessages(),
    }))
  }

  get ownTexts(): Set<string> {
    return (this.#ownTexts ??= new Set())
  }

  /** Where a text comes from decides, not what it is: whoever sends it knows it. */
  #isOwn(text: string): boolean {
    if (!this.ownTexts.has(text) && !this.#options.holds(text)) return false
    this.ownTexts.add(text)
    return true
  }

  get rootServices(): Readonly<ComponentServices> {
    return (this.#rootServices ??= Object.freeze({
      ...this.services,
      messages: earlierMessages(this.#messageService, this.inputMessages),
    }))
  }

  get inputMessages(): Set<string> {
    return (this.#inputMessages ??= new Set())
  }

  get shared(): Map<string, unknown> {
    return this.#options.shared
  }

  get signal(): AbortSignal {
    return this.#options.signal
  }

  get spending(): RunSpending {
    return this.#options.spending
  }

  get knownSpending(): RunSpending | undefined {
    return this.#options.knownSpending
  }

  get secrets(): Secrets {
    return (this.#secrets ??= this.#options.secrets ?? createSecrets())
  }

  get knownSecrets(): Secrets | undefined {
    return this.#secrets ?? this.#options.secrets
  }

  get hasMessages(): boolean {
    return this.#messages !== undefined
  }

  get messages(): MessageLog {
    return (this.#messages ??= createMessageLog({
      service: this.#messageService,
      send: (event, data, vertexId) => this.send(event, data, vertexId),
      runtime: this.runtime,
      secrets: this.secrets,
      limits: this.limits,
      flowId: this.flowId,
      sessionId: this.sessionId,
      open: () => this.open(),
    }))
  }

  /** Always present, see `services`. */
  get #messageService(): MessageService {
    const { messages } = this.services
    if (messages === undefined) throw new TypeError('This run has no message service')
    return messages
  }

  send<K extends keyof RunEventData>(
    event: K,
    make: () => RunEventData[K],
    vertexId?: string,
  ): void {
    if (!this.#hasRoom(event)) return
    this.#log.push(new LazyEvent(this.#log.nextSeq, event, make, vertexId) as RunEvent)
  }

  sendToken(data: TokenData, vertexId: string): void {
    if (!this.#hasRoom('token')) return
    this.#log.push(new TokenEvent(this.#log.nextSeq, data, vertexId))
  }

  sendEnd(end: UnsentEvent<'end_vertex'>): void {
    if (!this.#hasRoom('end_vertex')) return
    end.seq = this.#log.nextSeq
    this.#log.push(end)
  }

  /** The error that reports the limit, and `end`, do not count. */
  #hasRoom(event: keyof RunEventData): boolean {
    const { events } = this.limits
    const { nextSeq } = this.#log
    if (nextSeq < events || event === 'end' || (event === 'error' && nextSeq < events + 1)) {
      return true
    }
    this.#options.overflow(limitExceeded('events', `a run may have ${events} events`))
    return false
  }

  open(): boolean {
    return this.#options.open()
  }

  warn(problem: FlowProblem): void {
    this.#options.warn(problem)
  }

  usage(vertexId: string, usage: TokenUsage): void {
    this.#options.usage(vertexId, usage)
  }

  runFlow(
    flow: FlowJson,
    child: ChildRunOptions,
    from: { readonly vertexId: string; readonly signal: AbortSignal },
  ): Promise<ChildRunResult> {
    const send: SendEvent = (event, make) => this.send(event, make, from.vertexId)
    const messages = (): MessageLog => this.messages
    return this.#options.runFlow(flow, child, { ...from, secrets: this.secrets, messages, send })
  }

  suspend(from: CallPlace, question: unknown, options: SuspendOptions): Promise<unknown> {
    return this.#options.durable().suspend(from, question, options)
  }

  sleep(...nap: Parameters<RunContext['sleep']>): Promise<void> {
    return this.#options.durable().sleep(...nap)
  }

  step<T>(vertexId: string, name: string, work: () => T | Promise<T>): Promise<T> {
    return this.#options.durable().step(vertexId, name, work)
  }
}
