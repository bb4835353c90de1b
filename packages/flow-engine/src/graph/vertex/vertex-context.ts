import { type Runtime, ownObject, ownText, orderedId } from '@x/wire'
import type {
  ChildRunOptions,
  ChildRunResult,
  ComponentContext,
  InputSource,
} from '../../components/define/context.ts'
import type { ComponentServices } from '../../components/define/services.ts'
import { VariableValue } from '../../components/define/variable-value.ts'
import type { TokenUsage, Tool } from '../../models/chat-model.ts'
import type { SuspendOptions } from '../../components/define/suspend-options.ts'
import { isSuspendedError } from '../../errors.ts'
import type { FlowJson } from '../flow/flow-json.ts'
import { codeHash } from '../../components/registry/catalogue.ts'
import { warning } from '../flow/problems.ts'
import { findVariable, isShownVariable } from './find-variable.ts'
import type { RunContext } from '../context/run-context.ts'
import type { CallPlace } from '../context/run-host.ts'
import type { BuildMetadata } from './build-metadata.ts'
import { callTool, type ToolCallRequest } from './call-tool.ts'
import { ConcurrentCalls } from './concurrent-calls.ts'
import { TokenMasks } from './token-masks.ts'
import { BUDGET, type CallBudget } from '../../components/define/call-budget.ts'
import { CALLS, type CallReporter } from '../../components/define/call-reporter.ts'
import { observedFetch } from '../../outgoing/observed-fetch.ts'
import { changeMessage, type Message } from '../values/message.ts'
import { VertexLogs, type LogEntry } from '../events/vertex-logs.ts'
import type { BranchCall } from '../schedule/decision.ts'

/** Names of variables that hold keys, whatever their type. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASSWORD/i

const NO_CALLS: readonly BranchCall[] = []
const NO_LOGS: ReadonlyMap<string, readonly LogEntry[]> = new Map()

/** The context of one build; it records the calls the component makes. */
export class VertexContext implements ComponentContext {
  readonly #run: RunContext
  readonly #facts: BuildMetadata
  branches: readonly BranchCall[] = NO_CALLS
  #logs: VertexLogs | undefined
  #masks: TokenMasks | undefined
  #thoughts: TokenMasks | undefined
  /** Id of the message that is streamed next, whose reasoning was sent before. */
  nextMessage: string | undefined
  #output = ''
  #lastMessage: string | undefined
  #sleeps = 0
  #steps: Map<string, number> | undefined
  #concurrent: ConcurrentCalls | undefined
  #observed: Readonly<ComponentServices> | undefined
  #calls: CallReporter | undefined
  /** `text` if the last reported status was a string. */
  hasStatus: boolean | 'text' = false
  statusValue: unknown = undefined

  constructor(run: RunContext, facts: BuildMetadata) {
    this.#run = run
    this.#facts = facts
  }

  /** Log entries, by output. */
  get logs(): ReadonlyMap<string, readonly LogEntry[]> {
    return this.#logs?.entries ?? NO_LOGS
  }

  get signal(): AbortSignal {
    return this.#facts.signal ?? this.#run.signal
  }
  get runtime(): Runtime {
    return this.#run.runtime
  }
  get services(): Readonly<ComponentServices> {
    const services = this.#facts.vertex.isRoot ? this.#run.rootServices : this.#run.services
    if (this.asTool || this[CALLS] === undefined || services.fetch === undefined) return services
    return (this.#observed ??= Object.freeze({
      ...services,
      fetch: observedFetch(services.fetch, this),
    }))
  }

  /** Reports the calls of this build to the hooks. */
  get [CALLS](): CallReporter | undefined {
    const { info } = this.#facts
    if (info === undefined) return undefined
    return (this.#calls ??= this.#run.reporter?.calls(info))
  }
  /** Counts the model calls of the run. */
  get [BUDGET](): CallBudget {
    return this.#run.spending
  }
  get runId(): string {
    return this.#run.id
  }
  get flowId(): string {
    return this.#run.flowId
  }
  get flowName(): string | undefined {
    return this.#run.flowName
  }
  get sessionId(): string {
    return this.#run.sessionId
  }
  get userId(): string | undefined {
    return this.#run.userId
  }
  get vertexId(): string {
    return this.#facts.vertex.id
  }
  get displayName(): string {
    return this.#facts.vertex.displayName
  }
  get asTool(): boolean {
    return this.#facts.asTool
  }
  get build(): number {
    return this.#facts.build
  }
  get attempt(): number {
    return this.#facts.attempt ?? 1
  }
  get state(): Map<string, unknown> {
    return this.#facts.state()
  }
  get shared(): Map<string, unknown> {
    return this.#run.shared
  }
  get connected(): ReadonlySet<string> {
    return this.#facts.vertex.connected
  }
  get chatOutput(): { readonly senderName?: string } | undefined {
    return this.#facts.vertex.chatOutput
  }

  /** False once the build was stopped; further calls of the component are ignored. */
  get open(): boolean {
    return this.#run.open() && !this.#facts.over
  }

  /** True if the output being computed goes to a chat output. */
  get streams(): boolean {
    return !this.asTool && this.#facts.vertex.chatOutputs.has(this.#output)
  }

  /** Selects the output computed next; notes are recorded for it. */
  enter(output: string): void {
    this.#output = output
  }

  sources(field: string): readonly InputSource[] {
    return this.#facts.sources(field)
  }

  inputType(field: string): string | undefined {
    return this.#facts.inputType(field)
  }

  codeHash(): string | undefined {
    const text = ownText(ownObject(this.#facts.vertex.template ?? {}, 'code') ?? {}, 'value')
    return text === undefined || text.trim() === '' ? undefined : codeHash(text)
  }

  handleTypes(field: string): readonly string[] {
    return this.#facts.handleTypes(field)
  }

  async variable(name: string): Promise<VariableValue | null> {
    const { variables, vertex } = this.#facts
    const takesKeys = vertex.component.sandboxed !== true
    const found = await findVariable(name, { variables, takesKeys, run: this.#run })
    if (found === null) return null
    const { value, origin } = found
    const isKey = KEY_NAME.test(name)
    if (isKey || !(await isShownVariable(name, origin, this.#run))) this.#run.secrets.add(value)
    return new VariableValue(name, found)
  }

  expectPasses(items: number): number {
    return this.#facts.expectPasses(items)
  }

  stop(output: string): void {
    this.#branch('stop', output)
  }
  start(output: string): void {
    this.#branch('start', output)
  }
  exclude(output: string): void {
    this.#branch('exclude', output)
  }
  include(output: string): void {
    this.#branch('include', output)
  }

  async sendMessage(message: Message): Promise<Message> {
    if (this.asTool || !this.open) return message
    const isInput = this.#facts.vertex.role === 'input'
    const id = message.id ?? (isInput ? orderedId(this.runtime) : undefined)
    if (isInput && id !== undefined) this.#run.inputMessages.add(id)
    const sent = await this.#run.messages.send(
      isInput ? changeMessage(message, { id }) : message,
      this.vertexId,
    )
    this.#lastMessage = sent.id
    if (sent.id !== undefined) this.#facts.sent?.add(sent.id)
    if (sent.properties.state === 'partial') this.#facts.partial = sent.id
    return sent
  }

  async updateMessage(message: Message, options?: { readonly store?: boolean }): Promise<Message> {
    if (this.asTool || !this.open) return message
    if (message.id !== undefined) {
      this.#thoughts?.end(message.id)
      this.#masks?.end(message.id)
    }
    const sent = await this.#run.messages.update(message, { ...options, vertexId: this.vertexId })
    this.#lastMessage = sent.id
    return sent
  }

  async removeMessage(id: string): Promise<void> {
    if (!this.asTool && this.open) await this.#run.messages.remove(id)
  }

  token(
    chunk: string,
    messageId = this.#lastMessage,
    { send = true }: { readonly send?: boolean } = {},
  ): void {
    if (this.asTool || messageId === undefined || chunk === '' || !this.open) return
    this.#run.messages.chunk(messageId, chunk, send)
    if (!send && !this.#run.blankTokens) return
    this.#thoughts?.end(messageId)
    this.#masks ??= new TokenMasks(this.#run, this.vertexId)
    this.#masks.push(chunk, messageId)
  }

  reasoning(chunk: string, messageId?: string): void {
    if (!this.#run.reasoning || this.asTool || chunk === '' || !this.open) return
    if (messageId === undefined && (!this.streams || this.sessionId === '')) return
    const id = messageId ?? (this.nextMessage ??= orderedId(this.runtime))
    this.#thoughts ??= new TokenMasks(this.#run, this.vertexId, 'reasoning')
    this.#thoughts.push(chunk, id)
  }

  log(name: string, value: unknown): void {
    if (this.open) (this.#logs ??= new VertexLogs()).add(this.#output, name, value)
  }

  warn(message: string, file: string): void {
    if (!this.open) return
    this.log('Warning', message)
    this.#run.warn(warning('file_left_out', message, { nodeId: this.vertexId, field: file }))
  }

  status(value: unknown): void {
    this.hasStatus = typeof value === 'string' ? 'text' : true
    this.statusValue = value
  }

  async callTool(
    tool: Tool,
    args: unknown,
    { signal = this.signal, step }: { readonly signal?: AbortSignal; readonly step?: string } = {},
  ): Promise<unknown> {
    if (step === undefined) return this.#resting(() => this.#call(tool, args, { signal }))
    const name = this.#stepName(step)
    const scope = `${encodeURIComponent(this.vertexId)}.${this.build}.${encodeURIComponent(name)}`
    this.#concurrent ??= new ConcurrentCalls((reason) => this.#facts.rest(reason))
    return this.#concurrent.run(() =>
      this.#run.durable.step(this.vertexId, name, () => this.#call(tool, args, { signal, scope })),
    )
  }

  #call(tool: Tool, args: unknown, options: ToolCallRequest['options']): Promise<unknown> {
    return callTool(this.#run, this, { tool, args, options })
  }

  usage(usage: TokenUsage): void {
    this.#run.usage(this.vertexId, usage)
  }

  runFlow(flow: FlowJson, options: ChildRunOptions = {}): Promise<ChildRunResult> {
    return this.#run.runFlow(flow, options, { vertexId: this.vertexId, signal: this.signal })
  }

  suspend<T = unknown>(question: unknown, options: SuspendOptions<T> = {}): Promise<T> {
    return this.#resting(() =>
      this.#run.durable.suspend(this.#place, question, options),
    ) as Promise<T>
  }

  sleep(time: number | string | Date): Promise<void> {
    const number = (this.#sleeps += 1)
    return this.#resting(() => this.#run.durable.sleep(this.#place, number, time, this.signal))
  }

  step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return this.#run.durable.step(this.vertexId, this.#stepName(name), work)
  }

  /** Repeated names within one build are distinct steps, as are the steps of different tool calls. */
  #stepName(name: string): string {
    this.#steps ??= new Map()
    const count = (this.#steps.get(name) ?? 0) + 1
    this.#steps.set(name, count)
    const own = count === 1 ? name : `${name}#${count}`
    const { scope } = this.#facts
    return scope === undefined ? own : `${scope}/${own}`
  }

  get #place(): CallPlace {
    const { vertexId } = this
    const { scope } = this.#facts
    return scope === undefined ? { vertexId } : { vertexId, scope }
  }

  /** A tool that suspends also suspends its agent. */
  async #resting<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isSuspendedError(error)) await this.#facts.rest(error)
      throw error
    }
  }

  /** Sends the streamed text that was held back for masking. */
  flush(): void {
    this.#thoughts?.endAll()
    this.#masks?.endAll()
  }

  #branch(what: BranchCall[0], output: string): void {
    const { component } = this.#facts.vertex
    if (!Object.hasOwn(component.outputs, output)) {
      throw new TypeError(`${component.type} has no output ${output}`)
    }
    this.branches = [...this.branches, [what, output]]
  }
}
