import { isObject } from '@x/wire'
import type { ChatChunk, ChatMessage, ChatModel, ChatRequest, TokenUsage } from './chat-model.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** The part of a LangChain chat model that is used here. */
export interface LangChainModel {
  invoke(messages: unknown[], options?: object): Promise<unknown>
  stream(messages: unknown[], options?: object): Promise<AsyncIterable<unknown>>
  bindTools?(tools: unknown[], options?: object): LangChainModel
}

/**
 * Wraps a LangChain chat model as a chat model. It relies on the model's shape, so LangChain is not a
 * dependency. Apart from messages and tools, the settings of the LangChain model apply.
 */
export function fromLangChain(model: object): ChatModel {
  const given = model as LangChainModel
  return {
    name: nameOf(model),
    async *stream(request) {
      const bound = bindTools(given, request)
      const messages = request.messages.map(toMessage)
      const options = { signal: request.signal }
      if (request.stream === false) {
        const answer = await bound.invoke(messages, options)
        const text = textOf(answer)
        if (text !== '') yield { text }
        yield* toolCalls(answer)
        yield finishOf([answer])
        return
      }
      const parts: unknown[] = []
      for await (const part of await bound.stream(messages, options)) {
        parts.push(part)
        const thought = thoughtOf(part)
        if (thought !== '') yield { reasoning: thought }
        const text = textOf(part)
        if (text !== '') yield { text }
      }
      yield* joinedToolCalls(parts)
      yield finishOf(parts)
    },
  }
}

function nameOf(model: object): string {
  const names = ['model', 'modelName', 'name'].map((key): unknown => Reflect.get(model, key))
  const name = names.find((value) => typeof value === 'string')
  return typeof name === 'string' ? name : 'langchain'
}

/** @throws TypeError when tools are requested and the model cannot call tools */
function bindTools(model: LangChainModel, { tools, toolChoice }: ChatRequest): LangChainModel {
  if (tools === undefined || tools.length === 0) return model
  if (model.bindTools === undefined) throw new TypeError('The LangChain model cannot call tools')
  const wire = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }))
  return model.bindTools(wire, toolChoice === undefined ? {} : { tool_choice: toolChoice })
}

/** Converts to the plain message objects that LangChain accepts besides its classes. */
function toMessage({ role, content, toolCalls: calls, toolCallId }: ChatMessage): object {
  const parts =
    typeof content === 'string'
      ? content
      : content.map((part) =>
          part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } },
        )
  return {
    role,
    content: parts,
    ...(calls === undefined
      ? {}
      : {
          tool_calls: calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args ?? {}) },
          })),
        }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  }
}

function textOf(message: unknown): string {
  const content = isObject(message) ? message.content : ''
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.filter(isObject) : []
  return parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('')
}

/** What a provider's own field says, or the content parts `thinking` and `reasoning`. */
function thoughtOf(message: unknown): string {
  if (!isObject(message)) return ''
  const { additional_kwargs: more, content } = message
  const own: unknown = isObject(more) ? more.reasoning_content : undefined
  if (typeof own === 'string') return own
  const parts = Array.isArray(content) ? content.filter(isObject) : []
  return parts
    .map(({ thinking, reasoning }) => thinking ?? reasoning)
    .filter((text) => typeof text === 'string')
    .join('')
}

function* toolCalls(message: unknown): Generator<ChatChunk> {
  const calls = isObject(message) && Array.isArray(message.tool_calls) ? message.tool_calls : []
  for (const [index, call] of calls.filter(isObject).entries()) {
    const { id, name, args } = call
    yield {
      toolCall: {
        id: typeof id === 'string' ? id : `call_${index}`,
        name: String(name),
        args: args ?? {},
      },
    }
  }
}

/** Assembles tool calls from indexed pieces by concatenating their argument strings. */
function* joinedToolCalls(parts: readonly unknown[]): Generator<ChatChunk> {
  const calls = new Map<number, { id: string; name: string; text: string }>()
  for (const part of parts) {
    const pieces =
      isObject(part) && Array.isArray(part.tool_call_chunks) ? part.tool_call_chunks : []
    for (const piece of pieces.filter(isObject)) {
      const index = typeof piece.index === 'number' ? piece.index : calls.size
      const call = calls.get(index) ?? { id: '', name: '', text: '' }
      calls.set(index, {
        id: call.id || pieceText(piece.id),
        name: call.name || pieceText(piece.name),
        text: call.text + pieceText(piece.args),
      })
    }
  }
  if (calls.size === 0) {
    for (const part of parts) yield* toolCalls(part)
    return
  }
  for (const [index, { id, name, text }] of calls) {
    yield { toolCall: { id: id || `call_${index}`, name, args: parseToolArguments(text) } }
  }
}

function pieceText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function finishOf(parts: readonly unknown[]): ChatChunk {
  const usages = parts.map((part) => (isObject(part) ? part.usage_metadata : undefined))
  const usage = usages.filter(isObject).reduce<TokenUsage | undefined>(
    (sum, { input_tokens: input, output_tokens: output }) => ({
      inputTokens: (sum?.inputTokens ?? 0) + Number(input ?? 0),
      outputTokens: (sum?.outputTokens ?? 0) + Number(output ?? 0),
    }),
    undefined,
  )
  const called = parts.some(
    (part) => isObject(part) && [part.tool_calls, part.tool_call_chunks].flat().some(isObject),
  )
  return { finish: called ? 'tool_calls' : 'stop', ...(usage === undefined ? {} : { usage }) }
}
