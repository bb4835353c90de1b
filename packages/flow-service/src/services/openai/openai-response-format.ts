import { isObject, type Runtime } from '@x/wire'
import type { OpenAiResponseRequest } from './openai-requests.ts'
import type { FlowAnswer } from '../answers/answer.ts'
import { textOrJson, type AnswerTool } from '../answers/answer-tools.ts'
import type { OpenAiError } from './openai-refusal.ts'
import { randomHex } from './openai-failures.ts'

/** An OpenAI response object. */
export interface OpenAiResponseJson {
  readonly id: string
  readonly object: 'response'
  readonly status: ResponseProgress['status']
  readonly output: readonly object[]
  readonly [field: string]: unknown
}

/** The facts of a response known before its run. */
export interface OpenAiResponseMetadata {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly request: OpenAiResponseRequest
  readonly store: boolean
  /** The run is a job that outlives the request. */
  readonly background?: boolean
}

/** An item of the output. */
export interface OutputItem {
  readonly id: string
  readonly [field: string]: unknown
}

/** The state of a response. */
export type ResponseProgress =
  /** An incomplete response waits for a person's answer. */
  | { readonly status: 'queued' | 'in_progress' | 'incomplete' }
  | { readonly status: 'cancelled'; readonly output: readonly OutputItem[] }
  | {
      readonly status: 'completed'
      readonly output: readonly OutputItem[]
      readonly usage: FlowAnswer['usage']
      readonly completed: number
    }
  | {
      readonly status: 'failed'
      readonly output: readonly OutputItem[]
      readonly error: OpenAiError
    }

/** Formats the response: echoes the request's values; everything else has its default. */
export function formatOpenAiResponse(
  { id, created, request, store, background = false }: OpenAiResponseMetadata,
  progress: ResponseProgress,
): OpenAiResponseJson {
  const echoed = (key: string, standard: unknown): unknown => request[key] ?? standard
  return {
    id,
    object: 'response',
    created_at: created,
    status: progress.status,
    background,
    completed_at: progress.status === 'completed' ? progress.completed : null,
    error:
      progress.status === 'failed'
        ? { code: 'server_error', message: progress.error.message }
        : null,
    incomplete_details: progress.status === 'incomplete' ? { reason: 'input_required' } : null,
    instructions: request.instructions ?? null,
    max_output_tokens: echoed('max_output_tokens', null),
    metadata: request.metadata ?? {},
    model: request.model,
    output: 'output' in progress ? progress.output : [],
    parallel_tool_calls: echoed('parallel_tool_calls', true),
    previous_response_id: request.previous_response_id ?? null,
    reasoning: echoed('reasoning', { effort: null, summary: null }),
    service_tier: echoed('service_tier', 'default'),
    store,
    temperature: echoed('temperature', 1),
    text: echoed('text', { format: { type: 'text' } }),
    tool_choice: echoed('tool_choice', 'auto'),
    tools: [],
    top_p: echoed('top_p', 1),
    truncation: echoed('truncation', 'disabled'),
    usage: progress.status === 'completed' ? usageJson(progress.usage) : null,
    user: echoed('user', null),
  }
}

/** Null if no model reported usage. */
function usageJson(usage: FlowAnswer['usage']): object | null {
  if (usage === null) return null
  const { inputTokens, outputTokens } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}

/** The message item of an answer. */
export function messageItem(
  id: string,
  text: string | undefined,
  status: 'in_progress' | 'completed' = 'completed',
): OutputItem {
  return {
    id,
    type: 'message',
    status,
    role: 'assistant',
    content: text === undefined ? [] : [textPart(text)],
  }
}

export function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

/**
 * A call made on the server by an agent of the flow. Not a `function_call`, which asks the client to
 * run the function.
 */
export function toolItem(id: string, tool: AnswerTool): OutputItem {
  const { name, input, output, error } = tool
  return {
    id,
    type: 'mcp_call',
    status: error === null ? 'completed' : 'failed',
    approval_request_id: null,
    arguments: textOrJson(input),
    error,
    name,
    output: output === null ? null : textOrJson(output),
    server_label: 'flow',
  }
}

/** The input as items with ids, as listed by `input_items`; file contents are omitted. */
export function inputItems(runtime: Pick<Runtime, 'randomBytes'>, input: unknown): OutputItem[] {
  const items: unknown[] = Array.isArray(input) ? input : [{ role: 'user', content: input }]
  return items.filter(isObject).map(({ id, type = 'message', content, ...item }) => ({
    id: typeof id === 'string' ? id : `msg_${randomHex(runtime, 24)}`,
    type,
    ...(type === 'message' ? { status: 'completed' } : {}),
    ...item,
    ...(content === undefined ? {} : { content: partsOf(content) }),
  }))
}

function partsOf(content: unknown): unknown {
  if (!Array.isArray(content)) return [{ type: 'input_text', text: content }]
  return content.map((part: unknown) => {
    if (!isObject(part)) return part
    const { file_data: data, image_url: url, ...rest } = part
    const shown = typeof url === 'string' && !url.startsWith('data:') ? { image_url: url } : {}
    return { ...rest, ...shown, ...(data === undefined ? {} : { file_data: null }) }
  })
}
