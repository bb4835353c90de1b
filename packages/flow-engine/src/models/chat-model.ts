/** A request to a model (FE-50). */
export interface ChatRequest {
  messages: readonly ChatMessage[]
  tools?: readonly ToolSpec[]
  /** Forces the named function of `tools` to be called. */
  toolChoice?: string
  /** `json`: any JSON object; with a schema: an answer of that form. */
  responseFormat?: { name: string; schema: object } | 'json'
  model?: string
  temperature?: number
  maxTokens?: number
  seed?: number
  /** `false`: one plain request, its answer given as one chunk. Default true. */
  stream?: boolean
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
  /** The parsed object; a string when it was no JSON. */
  args: unknown
}

export interface ToolSpec {
  name: string
  description: string
  /** A JSON schema of type object. */
  parameters: object
}

export interface TokenUsage {
  inputTokens: number
  outputTokens: number
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'other'

export type ChatChunk =
  { text: string } | { toolCall: ToolCall } | { usage?: TokenUsage; finish: FinishReason }

/** A language model; `stream` may be called any number of times, also side by side. */
export interface ChatModel {
  readonly name?: string
  stream(request: ChatRequest): AsyncIterable<ChatChunk>
}

/** Turns texts into vectors, one for each text, in order. */
export interface Embedder {
  embed(texts: readonly string[], signal?: AbortSignal): Promise<number[][]>
  /** The vector of a question, of a model that tells questions from documents. Default: as `embed`. */
  embedQuery?(text: string, signal?: AbortSignal): Promise<number[]>
}

/** Something an agent may call (FE-43); `vertexId` names the component behind it. */
export interface Tool extends ToolSpec {
  readonly vertexId?: string
  /** First tag is the name the tool had before the user renamed it (CO-21). */
  readonly tags?: readonly string[]
  /** A person decides before each call, in one of these ways (DR-40); none or empty = no approval. */
  readonly approvalActions?: readonly ApprovalAction[]
  /** The tool's result is the agent's answer, and the model is not asked again. Default false. */
  readonly returnDirect?: boolean
  /** @param options `scope`: names the call within its run, so that its questions and steps are its own */
  call(args: unknown, options: { signal: AbortSignal; scope?: string }): Promise<unknown>
}

/**
 * A person's decision about a tool call: make it as it is, make it with other arguments, skip it, or
 * give its result.
 */
export type ApprovalAction = 'approve' | 'edit' | 'reject' | 'respond'

/**
 * Tells whether a value can be used as a chat model: it has a `stream` method and is not a stream
 * itself.
 */
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
