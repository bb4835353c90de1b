import type { Runtime } from '@x/wire'
import type { TokenUsage, Tool } from '../../models/chat-model.ts'
import type { Message } from '../../graph/values/message.ts'
import type { SuspendOptions } from './suspend-options.ts'
import type { FlowJson } from '../../graph/flow/node-json.ts'
import type { ComponentServices } from './services.ts'
import type { VariableValue } from './variable-value.ts'

/** The context of a build, passed to components along with their inputs. */
export interface ComponentContext {
  /** Aborted when the run is cancelled or fails, the vertex times out, or the tool call is cancelled. */
  readonly signal: AbortSignal
  readonly runtime: Runtime
  readonly services: Readonly<ComponentServices>
  readonly runId: string
  readonly flowId: string
  readonly flowName?: string | undefined
  /** The session; "" if there is none, in which case nothing is stored. */
  readonly sessionId: string
  readonly userId?: string | undefined
  readonly vertexId: string
  readonly displayName: string
  /** True if the component runs as an agent's tool. */
  readonly asTool: boolean
  /** Number of this build in the run, starting at 1. */
  readonly build: number
  /** Number of this attempt at the build, starting at 1. */
  readonly attempt: number
  /** State of this vertex in this run; new in each pass of an enclosing loop. */
  readonly state: Map<string, unknown>
  /** State shared by all vertices of this run. */
  readonly shared: Map<string, unknown>
  /** Names of the connected outputs. */
  readonly connected: ReadonlySet<string>
  /**
   * Set if an output of this vertex goes to a chat output; `senderName` is the name displayed there.
   */
  readonly chatOutput?: { readonly senderName?: string } | undefined
  /**
   * Announces the number of items of a component with a loop-back edge, in its first build. Returns the
   * number of passes that may run concurrently (run option `parallel`). If that is more than 1, the
   * component is built for further items before earlier passes finish, without a value on the loop-back edge;
   * the build after the last pass receives the list of returned values there, in item order.
   */
  expectPasses(items: number): number
  /** Returns the sources of the edges into a field. */
  sources(field: string): readonly InputSource[]
  /** Returns `_input_type` of a field in the node's template; undefined without such a field. */
  inputType(field: string): string | undefined
  /** Hash of the code in the node: the first 12 hex digits of its SHA-256. Undefined without code. */
  codeHash(): string | undefined
  /** Returns the value types that the node's template accepts for a field; empty if it does not say. */
  handleTypes(field: string): readonly string[]
  /**
   * Looks up a variable of the request, then of the user, then of the environment. Null if not found.
   */
  variable(name: string): Promise<VariableValue | null>
  /** Stops the branch of an output. Throws for an unknown output name. */
  stop(output: string): void
  start(output: string): void
  exclude(output: string): void
  include(output: string): void
  /** Stores the message (if there is a session) and sends `add_message`. Returns the message with its id. */
  sendMessage(message: Message): Promise<Message>
  /** Sends `add_message` again with the same id. Stores the message unless `store` is false. */
  updateMessage(message: Message, options?: { readonly store?: boolean }): Promise<Message>
  removeMessage(id: string): Promise<void>
  /**
   * Sends a piece of a message's text. With `send: false` it is only added to the text that is kept if the
   * run is stopped.
   * @param messageId default: the last message sent by this vertex
   */
  token(chunk: string, messageId?: string, options?: { readonly send?: boolean }): void
  /**
   * Sends a piece of what a model thinks before it answers, if the run asks for it. It is not part of the text.
   * @param messageId default: the message that this vertex streams next
   */
  reasoning(chunk: string, messageId?: string): void
  log(name: string, value: unknown): void
  /**
   * Adds the warning `file_left_out` about a file to the run, its response and the vertex log, once per file.
   */
  warn(message: string, file: string): void
  status(value: unknown): void
  /**
   * Calls a tool; the call is enclosed in `build_start` and `build_end` of the component that provides the
   * tool.
   * @param options `step`: stores the result like a step of that name and separates the questions and steps
   * of this call from those of other calls. Concurrent calls that are steps finish before the build
   * suspends.
   */
  callTool(
    tool: Tool,
    args: unknown,
    options?: { readonly signal?: AbortSignal; readonly step?: string },
  ): Promise<unknown>
  /** Adds to the run's token usage. */
  usage(usage: TokenUsage): void
  /**
   * Runs a flow as a child with the same services and signal. Its events are separate from this run's events
   * unless `relay` is set. Runs nest at most 8 deep, with at most 1,000 within one run.
   */
  runFlow(flow: FlowJson, options?: ChildRunOptions): Promise<ChildRunResult>
  /**
   * Asks a person and resolves with the answer. Until it arrives the run is suspended: this call rejects with
   * SuspendedError, and the component runs again from the start with the answer.
   * @param question any JSON, at most 256 KiB
   * @throws FlowError `not_resumable` if no one can be asked; `expired` if no answer arrived in time
   */
  suspend<T = unknown>(question: unknown, options?: SuspendOptions<T>): Promise<T>
  /**
   * Waits for a duration such as `'3d'`, `'90s'`, `'1h30m'` (units ms, s, m, h, d, w), a number of
   * milliseconds, or until a date. A long sleep of a resumable job occupies no process: the call rejects with
   * SuspendedError, and the component runs again when the time has come.
   * @throws FlowError `invalid_request` for an invalid duration
   */
  sleep(time: number | string | Date): Promise<void>
  /**
   * Runs `work` once for this vertex and pass of a resumable job; a repeated build gets the stored value. A
   * second step with the same name in one build is stored as `name#2`. In other runs it just calls `work`
   *.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T>
}

export interface InputSource {
  readonly vertexId: string
  readonly type: string
  readonly displayName: string
  readonly output: string
  /** Name of the source vertex's model, if it is a model component. */
  readonly model?: string | undefined
}

export interface ChildRunOptions {
  readonly input?: string
  readonly tweaks?: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  readonly outputType?: 'chat' | 'text' | 'any' | 'debug'
  /** True if its messages and tokens are sent as those of this run. Default false. */
  readonly relay?: boolean
}

/** The part of a run's result that is available to components. */
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
