import { isObject } from '@x/wire'
import type { ChatChunk, ChatMessage, ChatRequest, FinishReason, TokenUsage } from './chat-model.ts'
import type { OpenAiModelOptions } from './model-options.ts'
import { isReasoningModel } from './model-names.ts'
import { checkToolCalls } from './check-tool-calls.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** Builds the body of a chat completions request. */
export function chatBody(
  request: ChatRequest,
  options: OpenAiModelOptions,
): Record<string, unknown> {
  const model = request.model ?? options.model
  const streams = request.stream !== false
  const sampling = isReasoningModel(model)
    ? {}
    : { temperature: request.temperature, seed: request.seed }
  return dropUndefined({
    model: options.omitModel === true ? undefined : model,
    messages: request.messages.map(toWireMessage),
    stream: streams,
    stream_options: streams ? { include_usage: true } : undefined,
    ...sampling,
    [options.maxTokensName ?? 'max_completion_tokens']: request.maxTokens,
    tools: request.tools?.length
      ? request.tools.map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, description, parameters },
        }))
      : undefined,
    tool_choice:
      request.toolChoice === undefined
        ? undefined
        : { type: 'function', function: { name: request.toolChoice } },
    response_format: responseFormat(request.responseFormat),
  })
}

function responseFormat(format: ChatRequest['responseFormat']): object | undefined {
  if (format === undefined) return undefined
  return format === 'json'
    ? { type: 'json_object' }
    : {
        type: 'json_schema',
        json_schema: { name: format.name, schema: format.schema, strict: true },
      }
}

function toWireMessage(message: ChatMessage): Record<string, unknown> {
  const { role, content, toolCalls, toolCallId, name } = message
  const calls = toolCalls?.map((call) => ({
    id: call.id,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args ?? {}),
    },
  }))
  const empty = calls !== undefined && calls.length > 0 && content === ''
  return dropUndefined({
    role,
    content: empty ? null : wireContent(content),
    tool_calls: calls?.length ? calls : undefined,
    tool_call_id: toolCallId,
    name: role === 'tool' ? undefined : name,
  })
}

function wireContent(content: ChatMessage['content']): unknown {
  if (typeof content === 'string') return content
  return content.map((part) =>
    part.type === 'text' ? part : { type: 'image_url', image_url: { url: part.url } },
  )
}

function dropUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}

/** Reads a response that was not streamed. */
export function* readCompletion(body: Record<string, unknown>): Generator<ChatChunk> {
  const choice = firstChoice(body)
  const message = isObject(choice?.message) ? choice.message : {}
  if (typeof message.content === 'string') yield { text: message.content }
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : []
  checkToolCalls(calls.length)
  for (const [index, call] of calls.entries()) yield toolCallChunk(readCall(call), index)
  yield finishChunk(choice?.finish_reason, readUsage(body.usage))
}

/** Assembles the deltas of a stream: text is passed on immediately, tool calls once they are complete. */
export function createDeltaReader() {
  const calls = new Map<number, PartialCall>()
  let finish: unknown
  let usage: TokenUsage | undefined

  return {
    *read(body: Record<string, unknown>): Generator<ChatChunk> {
      usage = readUsage(body.usage) ?? usage
      const choice = firstChoice(body)
      const delta = isObject(choice?.delta) ? choice.delta : {}
      const thought = [delta.reasoning_content, delta.reasoning, delta.thinking].find(isText)
      if (thought !== undefined) yield { reasoning: thought }
      if (typeof delta.content === 'string' && delta.content !== '') yield { text: delta.content }
      const parts = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isObject) : []
      for (const part of parts) {
        const index = typeof part.index === 'number' ? part.index : calls.size
        calls.set(index, addPart(calls.get(index), readCall(part)))
      }
      checkToolCalls(calls.size)
      finish = choice?.finish_reason ?? finish
    },
    *end(): Generator<ChatChunk> {
      const ordered = [...calls].toSorted(([a], [b]) => a - b)
      for (const [index, call] of ordered) yield toolCallChunk(call, index)
      yield finishChunk(finish, usage)
    },
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

interface PartialCall {
  readonly id: string
  readonly name: string
  readonly text: string
}

function readCall(call: Record<string, unknown>): PartialCall {
  const part = isObject(call.function) ? call.function : {}
  const given = part.arguments
  return {
    id: typeof call.id === 'string' ? call.id : '',
    name: typeof part.name === 'string' ? part.name : '',
    text: typeof given === 'string' ? given : given === undefined ? '' : JSON.stringify(given),
  }
}

function addPart(before: PartialCall | undefined, part: PartialCall): PartialCall {
  if (before === undefined) return part
  return {
    id: before.id === '' ? part.id : before.id,
    name: before.name + part.name,
    text: before.text + part.text,
  }
}

function toolCallChunk({ id, name, text }: PartialCall, index: number): ChatChunk {
  const known = id === '' ? `call_${index}` : id
  return { toolCall: { id: known, name, args: parseToolArguments(text) } }
}

function finishChunk(reason: unknown, usage: TokenUsage | undefined): ChatChunk {
  return { finish: FINISH.get(reason) ?? 'other', ...(usage === undefined ? {} : { usage }) }
}

const FINISH = new Map<unknown, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
])

function readUsage(usage: unknown): TokenUsage | undefined {
  if (!isObject(usage)) return undefined
  return {
    inputTokens: Number(usage.prompt_tokens ?? 0),
    outputTokens: Number(usage.completion_tokens ?? 0),
  }
}

function firstChoice({ choices }: Record<string, unknown>): Record<string, unknown> | undefined {
  return Array.isArray(choices) ? choices.find(isObject) : undefined
}
