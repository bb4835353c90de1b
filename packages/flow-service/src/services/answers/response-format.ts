import { formatSseFrame } from '@x/wire'
import type { AnswerEvent, FlowAnswer } from './answer.ts'
import { textOrJson, type AnswerTool } from './answer-tools.ts'

/** The facts of a response known before its run. */
export interface ResponseMetadata {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
  readonly previousResponseId: string | null
  readonly include: readonly string[]
}

/** A response of `POST /api/v1/responses`. */
export interface ResponseJson {
  readonly id: string
  readonly object: 'response'
  readonly created_at: number
  readonly status: 'completed'
  readonly model: string
  readonly output: readonly object[]
  readonly previous_response_id: string | null
  readonly usage: object | null
  readonly [field: string]: unknown
}

export function formatResponse(facts: ResponseMetadata, answer: FlowAnswer): ResponseJson {
  const content = [{ type: 'output_text', text: answer.text, annotations: [] }]
  const message = {
    type: 'message',
    id: `msg_${facts.id}`,
    status: 'completed',
    role: 'assistant',
    content,
  }
  return {
    id: facts.id,
    object: 'response',
    created_at: facts.created,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: facts.model,
    output: [...answer.tools.map((tool) => toolItem(facts, tool)), message],
    parallel_tool_calls: true,
    previous_response_id: facts.previousResponseId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: usageJson(answer.usage),
    user: null,
    metadata: {},
  }
}

/**
 * The serialised events of a streamed response. A failed run is an event too; errors unknown to
 * `failureText` are rethrown.
 */
export async function* responseChunks(
  facts: ResponseMetadata,
  events: AsyncIterable<AnswerEvent>,
  failureText: (error: unknown) => string | undefined,
): AsyncGenerator<string, void, undefined> {
  const chunk = (delta: object, status: string | null = null, reason: string | null = null) =>
    dataEvent({
      id: facts.id,
      object: 'response.chunk',
      created: facts.created,
      model: facts.model,
      delta,
      status,
      finish_reason: reason,
    })
  yield chunk({ content: '' })
  let sent = ''
  try {
    for await (const event of events) {
      if (event.kind === 'text') {
        sent += event.text
        yield chunk({ content: event.text })
      } else if (event.kind === 'tool') yield toolEvents(facts, event.tool)
      else if (event.kind === 'end') {
        const { text, usage } = event.answer
        if (sent === '' && text !== '') yield chunk({ content: text })
        yield chunk({}, 'completed', 'stop')
        yield namedEvent('response.completed', { response: summaryOf(facts, usageJson(usage)) })
      }
    }
  } catch (error) {
    const message = failureText(error)
    if (message === undefined) throw error
    yield chunk({ content: message }, 'failed', 'error')
  }
  yield formatSseFrame({ data: '[DONE]' })
}

function summaryOf({ id, created, model }: ResponseMetadata, usage: object | null): object {
  return { id, object: 'response', created_at: created, model, status: 'completed', usage }
}

function usageJson(usage: FlowAnswer['usage']): object | null {
  if (usage === null) return null
  const { inputTokens, outputTokens } = usage
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

/** Formats a tool call as an item, numbered from 1. */
function toolItem({ include }: ResponseMetadata, tool: AnswerTool): ToolItem {
  const { index, name, input, output, error } = tool
  const status = error === null ? 'completed' : 'failed'
  const number = index + 1
  if (!include.includes('tool_call.results')) {
    return {
      id: `fc_${number}`,
      call_id: `call_${number}`,
      type: 'function_call',
      status,
      name,
      arguments: textOrJson(input),
    }
  }
  const queries = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  return {
    id: `${name}_${number}`,
    type: 'tool_call',
    status,
    tool_name: name,
    queries,
    results: error ?? output,
  }
}

interface ToolItem {
  readonly id: string
  readonly [field: string]: unknown
}

function toolEvents(facts: ResponseMetadata, tool: AnswerTool): string {
  const item = toolItem(facts, tool)
  const given = textOrJson(tool.input)
  const place = { item_id: item.id, output_index: tool.index }
  return [
    namedEvent('response.output_item.added', {
      item: { ...item, status: 'in_progress', ...('arguments' in item ? { arguments: '' } : {}) },
    }),
    namedEvent('response.function_call_arguments.delta', { delta: given, ...place }),
    namedEvent('response.function_call_arguments.done', { arguments: given, ...place }),
    namedEvent('response.output_item.done', { item }),
  ].join('')
}

const dataEvent = (value: object): string => formatSseFrame({ data: JSON.stringify(value) })
const namedEvent = (type: string, value: object): string =>
  formatSseFrame({ event: type, data: JSON.stringify({ type, ...value }) })
