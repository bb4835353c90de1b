import { isObject } from '@x/wire'
import { isChatModel, isEmbedder, isTool } from '@x/flow-engine/models'
import type { ChatMessage, ChatModel, ToolCall, ToolSpec } from '@x/flow-engine'
import { whileHoldingSlot } from '@x/flow-engine/internal'
import { OutgoingValues } from './values.ts'

/** Maximum number of tools in one model request. */
const MAX_TOOLS = 128

/**
 * Uses a host model, embedder or tool on behalf of Python code that holds a handle to it (PY-33).
 * @throws TypeError for a malformed request
 */
export async function useHandle(
  lent: readonly unknown[],
  { id, method, args }: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const handle = lent[Number(id)]
  const list: readonly unknown[] = Array.isArray(args) ? args : []
  if (method === 'invoke' && isChatModel(handle)) return askModel(handle, list, signal)
  if (method === 'embed' && isEmbedder(handle)) return handle.embed(textsOf(list[0]), signal)
  if (method === 'embed_query' && isEmbedder(handle)) {
    const [text = ''] = textsOf(list[0])
    if (handle.embedQuery === undefined) return handle.embed([text], signal)
    return [await handle.embedQuery(text, signal)]
  }
  if (method === 'tool' && isTool(handle)) {
    const result = await whileHoldingSlot(() => handle.call(list[0] ?? {}, { signal }))
    return new OutgoingValues().encode(result)
  }
  throw new TypeError('not offered')
}

async function askModel(
  model: ChatModel,
  [given, toolList, choice]: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const messages = (Array.isArray(given) ? given : []).filter(isObject).map(toChatMessage)
  const tools = readTools(toolList)
  const chosen = tools.find(({ name }) => name === choice)?.name
  const request = {
    messages,
    stream: false,
    signal,
    ...(tools.length === 0 ? {} : { tools }),
    ...(chosen === undefined ? {} : { toolChoice: chosen }),
  }
  let text = ''
  let usage: object | null = null
  const calls: ToolCall[] = []
  for await (const chunk of model.stream(request)) {
    if ('text' in chunk) text += chunk.text
    else if ('toolCall' in chunk) calls.push(chunk.toolCall)
    else if (chunk.usage !== undefined) usage = usageOf(chunk.usage)
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

function toChatMessage(given: Record<string, unknown>): ChatMessage {
  const { role, text, tool_calls: calls, tool_call_id: callId } = given
  const known = typeof role === 'string' && ROLES.has(role) ? role : 'user'
  const made = (Array.isArray(calls) ? calls : [])
    .filter(isObject)
    .map(({ id, name, args }): ToolCall => ({ id: String(id), name: String(name), args }))
  return {
    role: known as ChatMessage['role'],
    content: typeof text === 'string' ? text : '',
    ...(made.length === 0 ? {} : { toolCalls: made }),
    ...(typeof callId === 'string' ? { toolCallId: callId } : {}),
  }
}

function textsOf(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : []
}
