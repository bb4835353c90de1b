import { createSystemRuntime } from '@x/wire'
import { FlowError } from '../errors.ts'
import type { ChatChunk, ChatModel, ChatRequest, TokenUsage } from '../models/chat-model.ts'

/** One reply of a scripted model; a string means `{ text }`. */
export type ScriptedReply = string | ScriptedAnswer

export interface ScriptedAnswer {
  readonly text?: string
  /** The chunks in which the text is streamed; non-streaming requests get them concatenated. */
  readonly chunks?: readonly string[]
  /** What the model thinks before the text; streaming requests only. */
  readonly reasoning?: readonly string[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Milliseconds before the first chunk. */
  readonly delayMs?: number
  /** Milliseconds before each further chunk. */
  readonly chunkDelayMs?: number
  /** Thrown instead of replying, or after `failAfterChunks` chunks. */
  readonly fail?: Error
  readonly failAfterChunks?: number
  readonly usage?: TokenUsage
}

export interface ScriptedToolCall {
  readonly name: string
  /** A string is passed to the engine unparsed. */
  readonly args: unknown
  /** Default: `call_<n>`, numbered over the lifetime of the model. */
  readonly id?: string
}

export interface ScriptedModel extends ChatModel {
  /** The requests, recorded before they are answered. */
  readonly requests: readonly ChatRequest[]
}

const runtime = createSystemRuntime()

/**
 * A chat model with scripted replies.
 * @throws FlowError `script_exhausted` (when called) after the last reply of a list
 */
export function createScriptedModel(
  script: readonly ScriptedReply[] | ((request: ChatRequest, index: number) => ScriptedReply),
): ScriptedModel {
  const requests: ChatRequest[] = []
  let calls = 0
  const nextId = (): string => `call_${calls++}`
  return {
    name: 'scripted',
    requests,
    async *stream(request) {
      const index = requests.length
      requests.push(request)
      yield* answer(replyAt(script, request, index), request, nextId)
    },
  }
}

function replyAt(
  script: Parameters<typeof createScriptedModel>[0],
  request: ChatRequest,
  index: number,
): ScriptedAnswer {
  const reply = typeof script === 'function' ? script(request, index) : script[index]
  if (reply === undefined) {
    throw new FlowError('script_exhausted', `The scripted model has no reply number ${index + 1}`)
  }
  return typeof reply === 'string' ? { text: reply } : reply
}

async function* answer(
  reply: ScriptedAnswer,
  request: ChatRequest,
  nextId: () => string,
): AsyncGenerator<ChatChunk> {
  const { signal } = request
  signal.throwIfAborted()
  if (reply.delayMs !== undefined) await runtime.sleep(reply.delayMs, signal)
  const { fail, failAfterChunks = 0 } = reply
  if (request.stream !== false) for (const reasoning of reply.reasoning ?? []) yield { reasoning }
  for (const [index, text] of chunksOf(reply, request.stream !== false).entries()) {
    if (fail !== undefined && index >= failAfterChunks) throw fail
    if (index > 0 && reply.chunkDelayMs !== undefined) {
      await runtime.sleep(reply.chunkDelayMs, signal)
    }
    signal.throwIfAborted()
    yield { text }
  }
  if (fail !== undefined) throw fail
  for (const { name, args, id = nextId() } of reply.toolCalls ?? []) {
    yield { toolCall: { id, name, args } }
  }
  const finish = (reply.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop'
  yield { finish, ...(reply.usage === undefined ? {} : { usage: reply.usage }) }
}

function chunksOf({ text, chunks }: ScriptedAnswer, streams: boolean): readonly string[] {
  const pieces = chunks ?? (text === undefined ? [] : [text])
  return streams || pieces.length < 2 ? pieces : [pieces.join('')]
}
