import { formatSseFrame } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { AnswerEvent } from '../answers/answer.ts'
import {
  formatOpenAiResponse,
  messageItem,
  textPart,
  toolItem,
  type OpenAiResponseMetadata,
  type OpenAiResponseJson,
  type OutputItem,
} from './openai-response-format.ts'
import type { OpenAiError } from './openai-refusal.ts'

export interface ResponseEventsOptions {
  /** Creates an item id; prefixes are `msg` and `mcp`. */
  readonly newId: (prefix: string) => string
  /** The current time in seconds since 1970. */
  readonly seconds: () => number
  /** The error of a failed run. */
  readonly failureOf: (error: unknown) => OpenAiError
  /** Called with the finished response before its last event is sent. */
  readonly finished: (response: OpenAiResponseJson) => Promise<void>
}

/** One event of a streamed response. */
export interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** An event with its sequence number. */
export interface NumberedEvent {
  readonly number: number
  readonly event: StreamEvent
}

/** The serialised events of a streamed response. */
export async function* openAiResponseEvents(
  facts: OpenAiResponseMetadata,
  events: AsyncIterable<AnswerEvent>,
  options: ResponseEventsOptions,
): AsyncGenerator<string, void, undefined> {
  for await (const { event, number } of numberedEvents(facts, events, options))
    yield eventText(event, number)
}

/** The same with their numbers, not yet serialised. */
export async function* numberedEvents(
  facts: OpenAiResponseMetadata,
  events: AsyncIterable<AnswerEvent>,
  options: ResponseEventsOptions,
): AsyncGenerator<NumberedEvent, void, undefined> {
  let number = 0
  for await (const event of typedEvents(facts, events, options)) {
    yield { event, number }
    number += 1
  }
}

/** Serialises an event. */
export function eventText(event: StreamEvent, number: number): string {
  const data = JSON.stringify({ ...event, sequence_number: number })
  return formatSseFrame({ event: event.type, data })
}

async function* typedEvents(
  facts: OpenAiResponseMetadata,
  events: AsyncIterable<AnswerEvent>,
  options: ResponseEventsOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const begun = formatOpenAiResponse(facts, { status: 'in_progress' })
  yield { type: 'response.created', response: begun }
  yield { type: 'response.in_progress', response: begun }
  const output = new StreamedOutput(options.newId)
  let asked = false
  try {
    for await (const event of events) {
      if (asked) yield { type: 'response.in_progress', response: begun }
      asked = event.kind === 'asked'
      if (event.kind === 'tool') yield* output.tool(toolItem(options.newId('mcp'), event.tool))
      else if (event.kind === 'text') yield* output.text(event.text)
      else if (event.kind === 'asked') {
        const response = formatOpenAiResponse(facts, { status: 'incomplete' })
        yield { type: 'response.incomplete', response }
      } else {
        yield* output.end(event.answer.text)
        const response = formatOpenAiResponse(facts, {
          status: 'completed',
          output: output.items,
          usage: event.answer.usage,
          completed: options.seconds(),
        })
        await options.finished(response)
        yield { type: 'response.completed', response }
      }
    }
  } catch (error) {
    const progress = endOf(error, options)
    yield* output.close()
    const response = formatOpenAiResponse(facts, { ...progress, output: output.items })
    await options.finished(response).catch(() => undefined)
    yield { type: 'response.failed', response }
  }
}

function endOf(error: unknown, { failureOf }: ResponseEventsOptions) {
  if (isFlowError(error) && error.code === 'cancelled') return { status: 'cancelled' } as const
  return { status: 'failed', error: failureOf(error) } as const
}

/** The output of a response as it grows; indexes and ids of events refer to its items. */
class StreamedOutput {
  readonly items: OutputItem[] = []
  readonly #newId: ResponseEventsOptions['newId']
  /** The message in progress. */
  #message: { readonly id: string; readonly index: number; text: string } | undefined

  constructor(newId: ResponseEventsOptions['newId']) {
    this.#newId = newId
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
      const message = { id: this.#newId('msg'), index: this.items.length }
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

  /** Text that was not streamed is sent as one delta. */
  *end(text: string): Generator<StreamEvent> {
    const sent = this.#message?.text ?? ''
    const rest = text.startsWith(sent) ? text.slice(sent.length) : ''
    if (this.#message === undefined || rest !== '') yield* this.text(rest)
    // After a restart the chunks sent so far are not the whole text.
    if (this.#message !== undefined) this.#message.text = text
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
