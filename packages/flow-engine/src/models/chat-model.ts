/** A request to a model. */
export interface ChatRequest {
  messages: readonly ChatMessage[]
  tools?: readonly ToolSpec[]
  /** Forces the named function of `tools` to be called. */
  toolChoice?: string
  /** `json` asks for any JSON object; a schema asks for an answer that matches it. */
  responseFormat?: { name: string; schema: object } | 'json'
  model?: string
  temperature?: number
  maxTokens?: number
  seed?: number
  /** Streams the answer. With false, one plain request is sent and its answer is one chunk. Default true. */
  stream?: boolean
  /** Called before a client sends the request once more; a rejection ends the request. */
  onRetry?: (() => Promise<void>) | undefined
  signal: AbortSignal
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | readonly ContentPart[]
  toolCalls?: readonly ToolCall[]
  toolCallId?: string
  name?: string
}

export type ContentPart = { type: 'text'; text: string } | { type: 'image'; url: string }

export interface ToolCall {
  id: string
  name: string
  /** The parsed object; the raw string if it is not valid JSON. */
  args: unknown
}

export interface ToolSpec {
  name: string
  description: string
  /** A JSON Schema of type object. */
  parameters: object
}

export interface TokenUsage {
  inputTokens: number
  outputTokens: number
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'other'

export type ChatChunk =
  | { text: string }
  /** What the model thinks before it answers; not part of the text. */
  | { reasoning: string }
  | { toolCall: ToolCall }
  | { usage?: TokenUsage; finish: FinishReason }

/** A language model. `stream` may be called repeatedly and concurrently. */
export interface ChatModel {
  readonly name?: string
  stream(request: ChatRequest): AsyncIterable<ChatChunk>
}

/** Converts strings to vectors, one for each string, in order. */
export interface Embedder {
  embed(texts: readonly string[], signal?: AbortSignal): Promise<number[][]>
  /** Embeds a search query, for models that distinguish queries from documents. Default: `embed`. */
  embedQuery?(text: string, signal?: AbortSignal): Promise<number[]>
}

/** A function that an agent can call; `vertexId` is the component that provides it. */
export interface Tool extends ToolSpec {
  readonly vertexId?: string
  /** The first tag is the tool's name before the user renamed it. */
  readonly tags?: readonly string[]
  /** Decisions that a person can make before each call. No approval is needed if absent or empty. */
  readonly approvalActions?: readonly ApprovalAction[]
  /** Returns the tool's result as the agent's answer without asking the model again. Default false. */
  readonly returnDirect?: boolean
  /**
   * @param options `scope` identifies the call within its run, so that its questions and steps are kept apart
   */
  call(args: unknown, options: { signal: AbortSignal; scope?: string }): Promise<unknown>
}

/**
 * A person's decision about a tool call: run it as is, run it with edited arguments, skip it, or supply its
 * result.
 */
export type ApprovalAction = 'approve' | 'edit' | 'reject' | 'respond'

/** Tests whether a value can be used as a chat model: it has a `stream` method and is not itself a stream. */
export function isChatModel(value: unknown): value is ChatModel {
  return hasMethod(value, 'stream')
}

export function isEmbedder(value: unknown): value is Embedder {
  return hasMethod(value, 'embed')
}

export function isTool(value: unknown): value is Tool {
  return hasMethod(value, 'call') && typeof (value as { name?: unknown }).name === 'string'
}

function hasMethod(value: unknown, name: string): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[name] === 'function'
  )
}
