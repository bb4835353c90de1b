import { iterateStream as readStream } from '@x/wire'
import type { ChatChunk, ChatMessage, ChatModel, ChatRequest, FinishReason } from './chat-model.ts'
import { parseToolArguments } from './tool-arguments.ts'

/** The part of an `ai` SDK language model (specification v2 or v3) that is used here. */
export interface AiSdkModel {
  readonly modelId: string
  doStream(options: AiSdkCall): PromiseLike<{ stream: ReadableStream<AiSdkPart> }>
  doGenerate(options: AiSdkCall): PromiseLike<AiSdkAnswer>
}

export interface AiSdkCall {
  prompt: unknown[]
  abortSignal?: AbortSignal
  temperature?: number
  maxOutputTokens?: number
  seed?: number
  tools?: unknown[]
  toolChoice?: { type: 'auto' } | { type: 'tool'; toolName: string }
  responseFormat?: { type: 'text' } | { type: 'json'; schema?: object; name?: string }
}

interface AiSdkPart {
  readonly type: string
  readonly [key: string]: unknown
}

interface AiSdkAnswer {
  readonly content: readonly AiSdkPart[]
  readonly finishReason: unknown
  readonly usage?: unknown
}

/**
 * Wraps a language model of the `ai` SDK as a chat model. It relies on the model's shape, so the SDK is not a
 * dependency.
 * @param model for example `openai('gpt-4o-mini')`
 */
export function fromAiSdk(model: object): ChatModel {
  const sdk = model as AiSdkModel
  return {
    name: sdk.modelId,
    async *stream(request) {
      if (request.stream === false) {
        const answer = await sdk.doGenerate(toCall(request))
        yield* wholeAnswer(answer)
        return
      }
      const { stream } = await sdk.doStream(toCall(request))
      for await (const part of readStream(stream)) yield* partChunks(part)
    },
  }
}

function toCall(request: ChatRequest): AiSdkCall {
  const { temperature, maxTokens, seed, tools, toolChoice, responseFormat } = request
  return {
    prompt: request.messages.map(toPrompt),
    abortSignal: request.signal,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            inputSchema: parameters,
          })),
          toolChoice:
            toolChoice === undefined
              ? ({ type: 'auto' } as const)
              : ({ type: 'tool', toolName: toolChoice } as const),
        }),
    ...(responseFormat === undefined ? {} : { responseFormat: toFormat(responseFormat) }),
  }
}

function toFormat(format: NonNullable<ChatRequest['responseFormat']>) {
  return format === 'json'
    ? ({ type: 'json' } as const)
    : ({ type: 'json', schema: format.schema, name: format.name } as const)
}

function toPrompt(message: ChatMessage): unknown {
  const parts =
    typeof message.content === 'string'
      ? [{ type: 'text' as const, text: message.content }]
      : message.content
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  switch (message.role) {
    case 'system':
      return { role: 'system', content: text }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId ?? '',
            toolName: message.name ?? '',
            output: { type: 'text', value: text },
          },
        ],
      }
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: args,
      }))
      return { role: 'assistant', content: [...(text === '' ? [] : parts), ...calls] }
    }
    default:
      return {
        role: 'user',
        content: parts.map((part) =>
          part.type === 'text' ? part : { type: 'file', mediaType: 'image/*', data: part.url },
        ),
      }
  }
}

function* wholeAnswer({ content, finishReason, usage }: AiSdkAnswer): Generator<ChatChunk> {
  const text = content.map((part) => (part.type === 'text' ? String(part.text) : '')).join('')
  if (text !== '') yield { text }
  for (const part of content) if (part.type === 'tool-call') yield toolCallOf(part)
  yield finishOf(finishReason, usage)
}

function* partChunks(part: AiSdkPart): Generator<ChatChunk> {
  if (part.type === 'text-delta') {
    const text = part.delta ?? part.textDelta
    if (typeof text === 'string' && text !== '') yield { text }
  } else if (part.type === 'reasoning-delta') {
    const { delta } = part
    if (typeof delta === 'string' && delta !== '') yield { reasoning: delta }
  } else if (part.type === 'tool-call') {
    yield toolCallOf(part)
  } else if (part.type === 'finish') {
    yield finishOf(part.finishReason, part.usage)
  } else if (part.type === 'error') {
    throw part.error instanceof Error ? part.error : new Error(String(part.error))
  }
}

function toolCallOf(part: AiSdkPart): ChatChunk {
  const { input } = part
  return {
    toolCall: {
      id: String(part.toolCallId),
      name: String(part.toolName),
      args: typeof input === 'string' ? parseToolArguments(input) : (input ?? {}),
    },
  }
}

const FINISH = new Map<unknown, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool-calls', 'tool_calls'],
])

/** Version 3 represents reason and usage as objects. */
function finishOf(reason: unknown, usage: unknown): ChatChunk {
  const unified: unknown =
    typeof reason === 'object' && reason !== null ? Reflect.get(reason, 'unified') : reason
  const finish = FINISH.get(unified) ?? 'other'
  if (typeof usage !== 'object' || usage === null) return { finish }
  const inputTokens = countOf(Reflect.get(usage, 'inputTokens'))
  const outputTokens = countOf(Reflect.get(usage, 'outputTokens'))
  return { finish, usage: { inputTokens, outputTokens } }
}

function countOf(value: unknown): number {
  const count: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'total') : value
  return typeof count === 'number' ? count : 0
}
