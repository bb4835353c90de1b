import type { Runtime } from '@x/wire'
import type { AnswerEvent } from './answer.ts'
import { randomHex } from './openai-failures.ts'
import {
  formatOpenAiResponse,
  messageItem,
  textPart,
  toolItem,
  type OpenAiResponseFacts,
  type OpenAiResponseJson,
  type OutputItem,
} from './openai-response-format.ts'
import type { OpenAiError } from './openai-refusal.ts'

export interface ResponseEventsOptions {
  readonly runtime: Runtime
  /** The error of a failed run. */
  readonly failureOf: (error: unknown) => OpenAiError
  /** Told of the finished response before its last event is sent. */
  readonly finished: (response: OpenAiResponseJson) => Promise<void>
}

/** One event of a streamed response. */
interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** The events of a streamed response (RS-28), as text. */
export async function* openAiResponseEvents(
  facts: OpenAiResponseFacts,
  events: AsyncIterable<AnswerEvent>,
  options: ResponseEventsOptions,
): AsyncGenerator<string, void, undefined> {
  let number = 0
  for await (const event of typedEvents(facts, events, options)) {
    yield `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`
    number += 1
  }
}

async function* typedEvents(
  facts: OpenAiResponseFacts,
  events: AsyncIterable<AnswerEvent>,
  options: ResponseEventsOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const begun = formatOpenAiResponse(facts, { status: 'in_progress' })
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const output = new StreamedOutput(options.runtime)
  try {
    for await (const event of events) {
      if (event.kind === 'tool') yield* output.tool(toolItem(options.runtime, event.tool))
      else if (event.kind === 'text') yield* output.text(event.text)
      else {
        yield* output.end(event.answer.text)
        const response = formatOpenAiResponse(facts, {
          status: 'completed',
          output: output.items,
          usage: event.answer.usage,
          completed: Math.floor(options.runtime.now().getTime() / 1000),
        })
        await options.finished(response)
        yield { type: 'response.completed', response }
      }
    }
  } catch (error) {
    const failure = options.failureOf(error)
    yield* output.close()
    const failed = { status: 'failed', output: output.items, error: failure } as const
    const response = formatOpenAiResponse(facts, failed)
    await options.finished(response).catch(() => undefined)
    yield { type: 'response.failed', response }
  }
}

/** The output of a response as it grows; indexes and ids of events fit the items. */
class StreamedOutput {
  readonly items: OutputItem[] = []
  readonly #runtime: Runtime
  /** The message that is open. */
  #message: { readonly id: string; readonly index: number; text: string } | undefined

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  *tool(item: OutputItem): Generator<StreamEvent> {
    const at = { item_id: item.id, output_index: this.items.length }
    const given = item['arguments']
    const begun = { ...item, status: 'in_progress', arguments: '', output: null, error: null }
    this.items.push(item)
    yield {
      type: 'response.output_item.added',
      output_index: at.output_index,
      item: begun,
    }
    yield { type: 'response.mcp_call.in_progress', ...at }
    yield { type: 'response.mcp_call_arguments.delta', ...at, delta: given }
    yield { type: 'response.mcp_call_arguments.done', ...at, arguments: given }
    yield { type: `response.mcp_call.${String(item['status'])}`, ...at }
    yield { type: 'response.output_item.done', output_index: at.output_index, item }
  }

  *text(delta: string): Generator<StreamEvent> {
    if (this.#message === undefined) {
      const message = { id: `msg_${randomHex(this.#runtime, 24)}`, index: this.items.length }
      this.#message = { ...message, text: '' }
      const item = messageItem(message.id, undefined, 'in_progress')
      this.items.push(item)
      yield { type: 'response.output_item.added', output_index: message.index, item }
      const part = textPart('')
      yield { type: 'response.content_part.added', ...placeOf(message), part }
    }
    this.#message.text += delta
    yield { type: 'response.output_text.delta', ...placeOf(this.#message), delta, logprobs: [] }
  }

  /** What tokens have not brought is one delta. */
  *end(text: string): Generator<StreamEvent> {
    const sent = this.#message?.text ?? ''
    const rest = text.startsWith(sent) ? text.slice(sent.length) : ''
    if (this.#message === undefined || rest !== '') yield* this.text(rest)
    yield* this.close()
  }

  *close(): Generator<StreamEvent> {
    const message = this.#message
    if (message === undefined) return
    this.#message = undefined
    const { id, index, text } = message
    const item = messageItem(id, text)
    this.items[index] = item
    yield { type: 'response.output_text.done', ...placeOf(message), text, logprobs: [] }
    yield { type: 'response.content_part.done', ...placeOf(message), part: textPart(text) }
    yield { type: 'response.output_item.done', output_index: index, item }
  }
}

function placeOf({ id, index }: { readonly id: string; readonly index: number }) {
  return { item_id: id, output_index: index, content_index: 0 }
}
