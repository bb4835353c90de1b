import { formatSseFrame } from '@x/wire'
import type { AnswerEvent, FlowAnswer } from '../answers/answer.ts'
import type { OpenAiError } from './openai-refusal.ts'

/** The facts of a chat completion known before its run. */
export interface CompletionFacts {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  /** Ends a stream with a chunk that contains the usage. */
  readonly includeUsage: boolean
}

/** A chat completion. */
export function formatCompletion(facts: CompletionFacts, { text, usage }: FlowAnswer): object {
  const message = { role: 'assistant', content: text, refusal: null }
  return {
    ...head(facts, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    usage: usageJson(usage),
    system_fingerprint: null,
  }
}

/** The serialised events of a streamed chat completion; a failed run is the last one. */
export async function* completionChunks(
  facts: CompletionFacts,
  events: AsyncIterable<AnswerEvent>,
  failureOf: (error: unknown) => OpenAiError,
): AsyncGenerator<string, void, undefined> {
  const more = facts.includeUsage ? { usage: null } : {}
  const chunk = (delta: object, reason: string | null = null): string =>
    dataEvent({
      ...head(facts, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      system_fingerprint: null,
      ...more,
    })
  yield chunk({ role: 'assistant', content: '' })
  let sent = false
  try {
    for await (const event of events) {
      if (event.kind === 'text') {
        sent = true
        yield chunk({ content: event.text })
      } else if (event.kind === 'end') {
        const { text, usage } = event.answer
        if (!sent && text !== '') yield chunk({ content: text })
        yield chunk({}, 'stop')
        if (facts.includeUsage) yield usageChunk(facts, usage)
      }
    }
  } catch (error) {
    yield dataEvent({ error: failureOf(error) })
    return
  }
  yield formatSseFrame({ data: '[DONE]' })
}

function usageChunk(facts: CompletionFacts, usage: FlowAnswer['usage']): string {
  return dataEvent({
    ...head(facts, 'chat.completion.chunk'),
    choices: [],
    system_fingerprint: null,
    usage: usageJson(usage),
  })
}

function head({ id, created, model }: CompletionFacts, object: string): object {
  return { id, object, created, model }
}

/** Zeros if no model reported usage. */
function usageJson(usage: FlowAnswer['usage']): object {
  const { inputTokens, outputTokens } = usage ?? { inputTokens: 0, outputTokens: 0 }
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

const dataEvent = (value: object): string => formatSseFrame({ data: JSON.stringify(value) })
