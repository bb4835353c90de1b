import { createMessage, readText, type Message } from '../../graph/values/message.ts'
import type {
  ChatChunk,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ContentPart,
  FinishReason,
  TokenUsage,
} from '../../models/chat-model.ts'
import type { ComponentContext } from '../define/context.ts'
import { readAttachments } from './message-attachments.ts'

/** Settings that a component adds to each model request. */
export type ModelSettings = Pick<
  ChatRequest,
  'model' | 'temperature' | 'maxTokens' | 'seed' | 'responseFormat'
>

/** Wraps a model so that its requests use the component's settings unless they have their own. */
export function withSettings(
  model: ChatModel,
  settings: ModelSettings,
  streams: boolean,
): ChatModel & { readonly name: string } {
  const name = settings.model ?? model.name ?? ''
  return {
    name,
    stream: (request) =>
      model.stream({ ...settings, ...request, stream: request.stream ?? streams }),
  }
}

/** Builds the messages of a language model component: its system message, then its input. */
export async function questionMessages(
  input: Message | null,
  systemMessage: string,
  ctx: ComponentContext,
): Promise<ChatMessage[]> {
  if (input === null && systemMessage === '') {
    throw new TypeError('The message you want to send to the model is empty.')
  }
  const system: ChatMessage[] =
    systemMessage === '' ? [] : [{ role: 'system', content: systemMessage }]
  if (input === null) return system
  return [...system, await chatMessageOf(input, ctx)]
}

/** Converts a message for a model: sender Machine becomes assistant, files become content parts. */
export async function chatMessageOf(message: Message, ctx: ComponentContext): Promise<ChatMessage> {
  const role = message.sender === 'Machine' ? 'assistant' : 'user'
  const text = await readText(message.text)
  const attached = await readAttachments(message.files, ctx)
  if (attached.length === 0) return { role, content: text }
  const parts: ContentPart[] = [{ type: 'text', text }, ...attached]
  return { role, content: parts }
}

/**
 * Asks the model. With `streams` and a chat output downstream, the answer is streaming text;
 * otherwise one plain request returns the complete text.
 */
export async function askModel(
  model: ChatModel,
  messages: readonly ChatMessage[],
  { ctx, streams, icon }: { ctx: ComponentContext; streams: boolean; icon: string },
): Promise<Message> {
  const source = { id: ctx.vertexId, display_name: ctx.displayName, source: model.name ?? null }
  if (streams && ctx.chatOutput !== undefined && !ctx.asTool) {
    return createMessage({
      text: streamedText(model.stream({ messages, stream: true, signal: ctx.signal }), ctx),
      sender: 'Machine',
      senderName: 'AI',
      sessionId: ctx.sessionId,
      flowId: ctx.flowId,
      timestamp: ctx.runtime.now(),
      properties: { icon, source, state: 'partial' },
    })
  }
  const answer = await wholeAnswer(model.stream({ messages, stream: false, signal: ctx.signal }))
  report(answer, ctx)
  return createMessage({ text: answer.text, timestamp: ctx.runtime.now() })
}

export interface WholeAnswer {
  readonly text: string
  readonly toolCalls: readonly { id: string; name: string; args: unknown }[]
  readonly finish: FinishReason
  readonly usage?: TokenUsage | undefined
}

/**
 * Collects the complete answer to a plain request.
 * @throws TypeError if the text has several parts, which a message cannot represent
 */
export async function wholeAnswer(chunks: AsyncIterable<ChatChunk>): Promise<WholeAnswer> {
  const texts: string[] = []
  const toolCalls: WholeAnswer['toolCalls'][number][] = []
  let end: { finish: FinishReason; usage?: TokenUsage } = { finish: 'other' }
  for await (const chunk of chunks) {
    if ('text' in chunk) texts.push(chunk.text)
    else if ('toolCall' in chunk) toolCalls.push(chunk.toolCall)
    else if ('finish' in chunk) end = chunk
  }
  if (texts.length > 1) {
    throw new TypeError(`The model returned ${texts.length} separate parts instead of one`)
  }
  return { text: texts[0] ?? '', toolCalls, ...end }
}

async function* streamedText(
  chunks: AsyncIterable<ChatChunk>,
  ctx: ComponentContext,
): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of chunks) {
    if ('text' in chunk) {
      text += chunk.text
      yield chunk.text
    } else if ('reasoning' in chunk) {
      ctx.reasoning(chunk.reasoning)
    } else if ('finish' in chunk) {
      report({ text, toolCalls: [], ...chunk }, ctx)
    }
  }
}

function report({ text, finish, usage }: WholeAnswer, ctx: ComponentContext): void {
  if (usage === undefined) {
    ctx.status(text)
    return
  }
  const { inputTokens, outputTokens } = usage
  ctx.status({
    tokens: {
      input: inputTokens,
      output: outputTokens,
      total: inputTokens + outputTokens,
      stop_reason: finish,
      response: text,
    },
  })
}
