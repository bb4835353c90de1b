import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { rowOutputs } from './search-rows.ts'
import {
  answerText,
  isSuccess,
  RequestError,
  sendRequest,
  type Answer,
} from '../../web/send-request.ts'

const SEARCH_URL = 'https://api.tavily.com/search'
const TIMEOUT_MS = 90_000

const fields = {
  api_key: field.secret({ displayName: 'Tavily API Key', required: true }),
  query: field.text({
    displayName: 'Search Query',
    info: 'Search terms.',
    toolMode: true,
  }),
  search_depth: field.dropdown({
    displayName: 'Search Depth',
    options: ['basic', 'advanced'],
    default: 'advanced',
    advanced: true,
  }),
  chunks_per_source: field.int({
    displayName: 'Chunks Per Source',
    info: 'Passages from each source, 1 to 3; advanced searches only.',
    default: 3,
    advanced: true,
  }),
  topic: field.dropdown({
    displayName: 'Search Topic',
    options: ['general', 'news'],
    default: 'general',
    advanced: true,
  }),
  days: field.int({
    displayName: 'Days',
    info: 'Maximum age of news.',
    default: 7,
    advanced: true,
  }),
  max_results: field.int({ displayName: 'Max Results', default: 5, advanced: true }),
  include_answer: field.bool({
    displayName: 'Include Answer',
    default: true,
    advanced: true,
  }),
  time_range: field.dropdown({
    displayName: 'Time Range',
    options: ['day', 'week', 'month', 'year'],
    advanced: true,
    attributes: { value: undefined },
  }),
  include_images: field.bool({
    displayName: 'Include Images',
    default: true,
    advanced: true,
  }),
  include_domains: field.text({
    displayName: 'Include Domains',
    info: 'Search only these domains, separated by commas.',
    advanced: true,
  }),
  exclude_domains: field.text({
    displayName: 'Exclude Domains',
    info: 'Exclude these domains, separated by commas.',
    advanced: true,
  }),
  include_raw_content: field.bool({
    displayName: 'Include Raw Content',
    default: false,
    advanced: true,
  }),
}

type SearchInputs = Values<typeof fields>

/** Searches the web through Tavily. A failure is returned as a row that describes it. */
export const tavilySearch = defineComponent({
  type: 'TavilySearchComponent',
  displayName: 'Tavily Search API',
  description: 'Searches the web with Tavily for an answer, results and images.',
  icon: 'TavilyIcon',
  category: 'tavily',
  module: 'lfx.components.tavily.tavily_search.TavilySearchComponent',
  inputs: fields,
  outputs: rowOutputs<typeof fields>(shown),
})

async function shown(inputs: SearchInputs, ctx: ComponentContext): Promise<object[]> {
  const rows = await search(inputs, ctx)
  ctx.status(rows)
  return rows
}

async function search(inputs: SearchInputs, ctx: ComponentContext): Promise<object[]> {
  try {
    const answer = await sendRequest(
      SEARCH_URL,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(searchBody(inputs)),
        timeoutMs: TIMEOUT_MS,
      },
      ctx,
    )
    return isSuccess(answer) ? readResults(answer, inputs) : [failure(httpFailure(answer))]
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return [
      failure(
        error.timedOut
          ? `Request timed out (${TIMEOUT_MS / 1000}s). Please try again or adjust parameters.`
          : `Request error occurred: ${error.message}`,
      ),
    ]
  }
}

function searchBody(inputs: SearchInputs): object {
  const included = domains(inputs.include_domains)
  const excluded = domains(inputs.exclude_domains)
  return {
    api_key: inputs.api_key,
    query: inputs.query,
    search_depth: inputs.search_depth,
    topic: inputs.topic,
    max_results: inputs.max_results,
    include_images: inputs.include_images,
    include_answer: inputs.include_answer,
    include_raw_content: inputs.include_raw_content,
    days: inputs.days,
    time_range: inputs.time_range === '' ? null : inputs.time_range,
    ...(included.length === 0 ? {} : { include_domains: included }),
    ...(excluded.length === 0 ? {} : { exclude_domains: excluded }),
    ...(inputs.search_depth === 'advanced' && inputs.chunks_per_source > 0
      ? { chunks_per_source: inputs.chunks_per_source }
      : {}),
  }
}

function domains(text: string): string[] {
  return text
    .split(',')
    .map((domain) => domain.trim())
    .filter((domain) => domain !== '')
}

function readResults(answer: Answer, inputs: SearchInputs): object[] {
  const found = parseObject(answerText(answer))
  if (typeof found === 'string') return [failure(`Invalid response format: ${found}`)]
  const rows: object[] = []
  if (inputs.include_answer && isGiven(found.answer)) rows.push({ text: found.answer })
  for (const result of listOf(found.results).filter(isObject)) {
    const content = result.content ?? ''
    rows.push({
      title: result.title ?? null,
      url: result.url ?? null,
      content,
      score: result.score ?? null,
      ...(inputs.include_raw_content ? { raw_content: result.raw_content ?? null } : {}),
      text: content,
    })
  }
  const images = listOf(found.images)
  if (inputs.include_images && images.length > 0) rows.push({ images, text: 'Images found' })
  return rows
}

function parseObject(text: string): Record<string, unknown> | string {
  try {
    const parsed: unknown = parseJson(text)
    return isObject(parsed) ? parsed : 'the response is not an object'
  } catch {
    return 'the response is not JSON'
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function httpFailure(answer: Answer): string {
  return `HTTP error occurred: ${answer.status} - ${answerText(answer)}`
}

function failure(text: string): object {
  return { error: text, text }
}
