import type { Runtime } from '@x/wire'
import type { TokenUsage, Tool } from '../../models/chat-model.ts'
import type { Message } from '../../graph/values/message.ts'
import type { SuspendOptions } from './suspend-options.ts'
import type { FlowJson } from '../../graph/flow/node-json.ts'
import type { ComponentServices } from './services.ts'
import type { VariableValue } from './variable-value.ts'

/** The context of a build, besides its inputs (FE-40). */
export interface ComponentContext {
  /** The run was cancelled or failed, the vertex timed out, or the tool call was cancelled. */
  readonly signal: AbortSignal
  readonly runtime: Runtime
  readonly services: Readonly<ComponentServices>
  readonly runId: string
  readonly flowId: string
  readonly flowName?: string | undefined
  /** "" = no session: nothing is stored. */
  readonly sessionId: string
  readonly userId?: string | undefined
  readonly vertexId: string
  readonly displayName: string
  /** The component runs as a tool of an agent. */
  readonly asTool: boolean
  /** 1 for the first build in this run. */
  readonly build: number
  /** 1 for the first attempt of this build (DR-50). */
  readonly attempt: number
  /** State of this vertex in this run; fresh in each pass of an enclosing loop. */
  readonly state: Map<string, unknown>
  /** State of this run, shared by all its vertices. */
  readonly shared: Map<string, unknown>
  /** Names of the outputs with an edge. */
  readonly connected: ReadonlySet<string>
  /** Set if an output of this vertex goes to a chat output (FE-51), with the sender name it shows. */
  readonly chatOutput?: { readonly senderName?: string } | undefined
  /**
   * For a component with a loop-back edge, in its first build: announces the number of items. Returns
   * the number of passes that may run at once (run option `parallel`, FE-32). With more than 1, the
   * component is built for further items before earlier passes are over, without a value on the loop-back
   * edge; the build after the last pass gets the list of returned values there, in the order of the items.
   */
  expectPasses(items: number): number
  /** The sources of a field's edges. */
  sources(field: string): readonly InputSource[]
  /** `_input_type` of a field in the node's own template; undefined where it has no such field. */
  inputType(field: string): string | undefined
  /** Names of the value types that the node's own template lets into a field; none where it says nothing. */
  handleTypes(field: string): readonly string[]
  /**
   * A variable of the request, of the user or of the environment, in this order; null if it does not
   * exist (FE-20).
   */
  variable(name: string): Promise<VariableValue | null>
  /** FE-30; an output name that the component does not have is an error of the component. */
  stop(output: string): void
  start(output: string): void
  exclude(output: string): void
  include(output: string): void
  /** Stores the message (with a session) and sends `add_message`; resolves with the message that has an id. */
  sendMessage(message: Message): Promise<Message>
  /** Sends `add_message` of the same id again; stores it unless `store` is false. */
  updateMessage(message: Message, options?: { readonly store?: boolean }): Promise<Message>
  removeMessage(id: string): Promise<void>
  /**
   * Sends a piece of a message's text. With `send: false` it only counts to the text that is kept
   * when the run is stopped (FE-51).
   * @param messageId default: the last message this vertex sent
   */
  token(chunk: string, messageId?: string, options?: { readonly send?: boolean }): void
  log(name: string, value: unknown): void
  /**
   * Adds a warning `file_left_out` about a file to those of the run and of its answer, once for each file, and to
   * the log of the vertex.
   */
  warn(message: string, file: string): void
  status(value: unknown): void
  /**
   * Calls a tool; `build_start` and `build_end` of the component behind it surround the call (CO-22).
   * @param options `step`: keeps the result as a step of that name does, and the questions and steps of
   * the tool apart from those of its other calls (DR-40). Calls side by side that are steps end before the
   * build rests.
   */
  callTool(
    tool: Tool,
    args: unknown,
    options?: { readonly signal?: AbortSignal; readonly step?: string },
  ): Promise<unknown>
  /** Adds to the tokens the run has used. */
  usage(usage: TokenUsage): void
  /**
   * A child run with the same services and signal; its events are not those of this run, but for
   * `relay`. Runs within each other are at most 8 deep, and 1,000 within one run.
   */
  runFlow(flow: FlowJson, options?: ChildRunOptions): Promise<ChildRunResult>
  /**
   * Asks a person; resolves with the answer. Until then the run is suspended: this call rejects with
   * SuspendedError, and the component runs again from its start once the answer arrives (DR-30,
   * DR-5).
   * @param question any JSON, at most 256 KiB
   * @throws FlowError `not_resumable` if there is no one to ask; `expired` if there was no answer in
   * time
   */
  suspend<T = unknown>(question: unknown, options?: SuspendOptions<T>): Promise<T>
  /**
   * Waits: `'3d'`, `'90s'`, `'1h30m'` (units ms, s, m, h, d, w), milliseconds, or a time. A long sleep of a
   * resumable job needs no process: the call rejects with SuspendedError, and the component is run afresh
   * when the time has come (DR-55).
   * @throws FlowError `invalid_request` for another text
   */
  sleep(time: number | string | Date): Promise<void>
  /**
   * Runs `work` once for this vertex and pass of a resumable job: a repeated build gets the kept value.
   * The second step of a name in one build is `name#2`. In other runs it just calls `work` (DR-41).
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
}

export interface InputSource {
  readonly vertexId: string
  readonly type: string
  readonly displayName: string
  readonly output: string
  /** Name of the model the source vertex is set to, when it is one. */
  readonly model?: string | undefined
}

export interface ChildRunOptions {
  readonly input?: string
  readonly tweaks?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  readonly outputType?: 'chat' | 'text' | 'any' | 'debug'
  /** Its messages and tokens go out as those of this run; false. */
  readonly relay?: boolean
}

/** The part of a run's result that components read. */
export interface ChildRunResult {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly sessionId: string
  readonly error?: Error | undefined
  readonly outputs: readonly {
    readonly id: string
    readonly displayName: string
    readonly outputs: Readonly<Record<string, unknown>>
  }[]
  text(component?: string): string | undefined
}
