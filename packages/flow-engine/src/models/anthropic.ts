import { isObject } from '@x/wire'
import { trimSlashes } from '@x/wire'
import { isFlowError } from '../errors.ts'
import type { ChatChunk, ChatModel, FinishReason } from './chat-model.ts'
import { messagesBody } from './anthropic-messages.ts'
import { checkToolCalls } from './check-tool-calls.ts'
import { eventData } from './event-lines.ts'
import { streamError, ModelError, redact } from './model-error.ts'
import { sendingOptions, type ModelClientOptions } from './model-options.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'
import { readFailure, sendModelRequest } from './send-model-request.ts'
import { parseToolArguments } from './tool-arguments.ts'

const DEFAULT_BASE_URL = 'https://api.anthropic.com'
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/** Creates a chat model that uses the Anthropic messages API. Streams throw ModelError. */
export function createAnthropicModel(options: ModelClientOptions): ChatModel {
  const sending = sendingOptions(options)
  return {
    name: options.model,
    async *stream(request) {
      const response = await sendModelRequest({
        ...sending,
        url: `${trimSlashes(options.baseUrl ?? DEFAULT_BASE_URL)}/v1/messages`,
        headers: {
          'x-api-key': options.apiKey ?? '',
          'anthropic-version': '2023-06-01',
          ...options.headers,
        },
        body: { ...messagesBody(request, options.model), ...options.body },
        onRetry: request.onRetry,
        signal: request.signal,
      })
      if (response.headers.get('content-type')?.includes('text/event-stream') !== true) {
        yield* wholeAnswer(await readAnswer(response, MAX_ANSWER_BYTES), sending.secrets)
        return
      }
      try {
        yield* streamedAnswer(response, sending)
      } catch (error) {
        request.signal.throwIfAborted()
        throw isFlowError(error) ? error : streamError(error, sending.secrets)
      }
    },
  }
}

/** Yields one chunk for each text part. */
function* wholeAnswer(text: string, secrets: readonly string[]): Generator<ChatChunk> {
  const body = parseObject(text)
  if (body === undefined || !Array.isArray(body.content)) throw unexpected(text, secrets)
  const parts = body.content.filter(isObject)
  checkToolCalls(parts.filter(({ type }) => type === 'tool_use').length)
  for (const part of parts) {
    if (part.type === 'text') yield { text: typeof part.text === 'string' ? part.text : '' }
    if (part.type === 'tool_use') {
      yield { toolCall: { id: String(part.id), name: String(part.name), args: part.input ?? {} } }
    }
  }
  const usage = readUsage(body.usage)
  yield {
    finish: FINISH.get(body.stop_reason) ?? 'other',
    usage: { inputTokens: usage.input ?? 0, outputTokens: usage.output ?? 0 },
  }
}

async function* streamedAnswer(
  response: Response,
  { secrets, runtime }: ReturnType<typeof sendingOptions>,
): AsyncGenerator<ChatChunk> {
  const calls = new Map<unknown, { id: string; name: string; text: string }>()
  const tokens = { input: 0, output: 0 }
  let called = 0
  let stop: unknown
  for await (const data of eventData(response, runtime)) {
    const event = parseObject(data)
    if (event === undefined || event.type === 'error') throw unexpected(data, secrets)
    if (event.type === 'message_start' && isObject(event.message)) {
      Object.assign(tokens, readUsage(event.message.usage))
    }
    const block = isObject(event.content_block) ? event.content_block : {}
    if (event.type === 'content_block_start' && block.type === 'tool_use') {
      calls.set(event.index, { id: String(block.id), name: String(block.name), text: '' })
    }
    const delta = isObject(event.delta) ? event.delta : {}
    if (delta.type === 'text_delta' && typeof delta.text === 'string' && delta.text !== '') {
      yield { text: delta.text }
    }
    if (delta.type === 'thinking_delta' && typeof delta.thinking === 'string') {
      if (delta.thinking !== '') yield { reasoning: delta.thinking }
    }
    const call = calls.get(event.index)
    if (delta.type === 'input_json_delta' && call !== undefined) {
      call.text += typeof delta.partial_json === 'string' ? delta.partial_json : ''
    }
    if (event.type === 'content_block_stop' && call !== undefined) {
      called += 1
      checkToolCalls(called)
      yield { toolCall: { id: call.id, name: call.name, args: parseToolArguments(call.text) } }
    }
    if (event.type === 'message_delta') {
      stop = delta.stop_reason
      Object.assign(tokens, readUsage(event.usage))
    }
  }
  yield {
    finish: FINISH.get(stop) ?? 'other',
    usage: { inputTokens: tokens.input, outputTokens: tokens.output },
  }
}

const FINISH = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['tool_use', 'tool_calls'],
])

function readUsage(usage: unknown): { input?: number; output?: number } {
  if (!isObject(usage)) return {}
  return {
    ...(typeof usage.input_tokens === 'number' ? { input: usage.input_tokens } : {}),
    ...(typeof usage.output_tokens === 'number' ? { output: usage.output_tokens } : {}),
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  const value = parseAnswer(text)
  return isObject(value) ? value : undefined
}

function unexpected(text: string, secrets: readonly string[]): ModelError {
  const { code, message } = readFailure(text)
  return new ModelError({
    status: null,
    code,
    message: redact(`Unexpected answer: ${message}`, secrets),
  })
}
