import { isObject } from '@x/wire'
import { isChatModel, isEmbedder, isTool } from '@x/flow-engine/models'
import type {
  ChatChunk,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ToolCall,
  ToolSpec,
} from '@x/flow-engine'
import { whileHoldingSlot } from '@x/flow-engine/internal/node'
import { readSettings } from './made-objects.ts'
import { decodePythonValue, OutgoingValues } from './values.ts'

/** Maximum number of tools in one model request. */
const MAX_TOOLS = 128

/**
 * Uses a host model, embedder or tool on behalf of Python code that holds a handle to it.
 * @throws TypeError for a malformed request
 */
export async function useHandle(
  lent: readonly unknown[],
  { id, method, args }: Record<string, unknown>,
  { signal, streams }: { readonly signal: AbortSignal; readonly streams: ModelStreams },
): Promise<unknown> {
  const handle = lent[Number(id)]
  const list: readonly unknown[] = Array.isArray(args) ? args : []
  if (method === 'invoke' && isChatModel(handle)) return askModel(handle, list, signal)
  if (method === 'stream' && isChatModel(handle)) return streams.open(handle, list, signal)
  if (method === 'next') return streams.next(Number(list[0]))
  if (method === 'embed' && isEmbedder(handle)) return handle.embed(textsOf(list[0]), signal)
  if (method === 'embed_query' && isEmbedder(handle)) {
    const [text = ''] = textsOf(list[0])
    if (handle.embedQuery === undefined) return handle.embed([text], signal)
    return [await handle.embedQuery(text, signal)]
  }
  if (method === 'tool' && isTool(handle)) {
    const result = await whileHoldingSlot(() =>
      handle.call(decodePythonValue(list[0] ?? {}, lent), { signal }),
    )
    return new OutgoingValues().encode(result)
  }
  throw new TypeError('not offered')
}

/** Answers of models that Python code reads piece by piece. */
export class ModelStreams {
  readonly #open: AsyncIterator<ChatChunk>[] = []

  open(model: ChatModel, given: readonly unknown[], signal: AbortSignal): number {
    const request = readRequest(given, { stream: true, signal })
    return this.#open.push(model.stream(request)[Symbol.asyncIterator]()) - 1
  }

  /** Returns the next piece; null at the end. */
  async next(number: number): Promise<unknown> {
    const found = await this.#open[number]?.next()
    if (found === undefined || found.done === true) return null
    return collect([found.value])
  }
}

async function askModel(
  model: ChatModel,
  given: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const chunks: ChatChunk[] = []
  for await (const chunk of model.stream(readRequest(given, { stream: false, signal }))) {
    chunks.push(chunk)
  }
  return collect(chunks)
}

/** Reads the arguments of a model call: messages, tools, the name of a forced tool, settings. */
function readRequest(
  [given, toolList, choice, settings]: readonly unknown[],
  how: { readonly stream: boolean; readonly signal: AbortSignal },
): ChatRequest {
  const tools = readTools(toolList)
  const chosen = tools.find(({ name }) => name === choice)?.name
  return {
    ...readSettings(settings),
    messages: (Array.isArray(given) ? given : []).filter(isObject).map(toChatMessage),
    ...how,
    ...(tools.length === 0 ? {} : { tools }),
    ...(chosen === undefined ? {} : { toolChoice: chosen }),
  }
}

function collect(chunks: readonly ChatChunk[]): Promise<unknown> {
  let text = ''
  let usage: object | null = null
  const calls: ToolCall[] = []
  for (const chunk of chunks) {
    if ('text' in chunk) text += chunk.text
    else if ('toolCall' in chunk) calls.push(chunk.toolCall)
    else if ('finish' in chunk && chunk.usage !== undefined) usage = usageOf(chunk.usage)
  }
  return new OutgoingValues().encode({ text, tool_calls: calls.map(callOf), usage })
}

function usageOf({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) {
  const total = inputTokens + outputTokens
  return { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: total }
}

/** Arguments that are not an object become {}. */
function callOf({ id, name, args }: ToolCall) {
  return { id, name, args: isObject(args) ? args : {} }
}

/** @throws TypeError for a malformed tool */
function readTools(given: unknown): ToolSpec[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  if (list.length > MAX_TOOLS) throw new TypeError(`A model accepts at most ${MAX_TOOLS} tools`)
  return list.map((one) => {
    const { name, description, parameters } = isObject(one) ? one : {}
    if (typeof name !== 'string' || typeof description !== 'string' || !isObject(parameters))
      throw new TypeError('A tool needs a name, a description and a schema for its arguments')
    return { name, description, parameters }
  })
}

const ROLES = new Set(['system', 'user', 'assistant', 'tool'])

/** Reads a message as the interpreter describes it. */
export function toChatMessage(given: Record<string, unknown>): ChatMessage {
  const { role, text, images, tool_calls: calls, tool_call_id: callId } = given
  const known = typeof role === 'string' && ROLES.has(role) ? role : 'user'
  const made = (Array.isArray(calls) ? calls : [])
    .filter(isObject)
    .map(({ id, name, args }): ToolCall => ({ id: String(id), name: String(name), args }))
  return {
    role: known as ChatMessage['role'],
    content: contentOf(typeof text === 'string' ? text : '', images),
    ...(made.length === 0 ? {} : { toolCalls: made }),
    ...(typeof callId === 'string' ? { toolCallId: callId } : {}),
  }
}

function contentOf(text: string, images: unknown): ChatMessage['content'] {
  const urls = Array.isArray(images) ? images.filter((url) => typeof url === 'string') : []
  if (urls.length === 0) return text
  return [{ type: 'text', text }, ...urls.map((url) => ({ type: 'image', url }) as const)]
}

function textsOf(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : []
}
