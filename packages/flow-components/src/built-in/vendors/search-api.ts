import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { toLiteralText } from '@x/flow-engine/internal'
import { createData, defineComponent, type ComponentContext } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { resultRow, rowLimits, rowOutputs } from './search-rows.ts'
import {
  answerText,
  isSuccess,
  sendRequest,
  statusText,
  type Answer,
} from '../../web/send-request.ts'

const SEARCH_URL = 'https://www.searchapi.io/api/v1/search'
const TIMEOUT_MS = 60_000

const fields = {
  engine: field.dropdown({
    displayName: 'Engine',
    // In older nodes it is a text; the service has many engines.
    closed: false,
    options: ['google', 'bing', 'duckduckgo'],
    default: 'google',
  }),
  api_key: field.secret({ displayName: 'SearchAPI API Key', required: true }),
  input_value: field.multiline({ displayName: 'Input', toolMode: true }),
  search_params: field.dict({
    displayName: 'Search parameters',
    info: 'Additional parameters of the search engine.',
    list: true,
    default: {},
    advanced: true,
  }),
  ...rowLimits,
}

type SearchInputs = Values<typeof fields>

/** Searches the web through SearchApi, also as the older node, which is a tool of agents. */
export const searchApi = defineComponent({
  type: 'SearchComponent',
  aliases: ['SearchAPI', 'SearchAPIComponent'],
  displayName: 'SearchApi',
  description: 'Searches the web with SearchApi.',
  icon: 'SearchAPI',
  category: 'searchapi',
  module: 'lfx.components.searchapi.search.SearchComponent',
  inputs: fields,
  outputs: {
    ...rowOutputs<typeof fields>(search, '\n'),
    api_run_model: output.list({
      displayName: 'Data',
      method: 'run_model',
      dynamic: true,
      async run(inputs, ctx) {
        const rows = await search(inputs, ctx)
        return rows.map((row) => createData(row))
      },
    }),
    api_build_tool: output.tools({
      displayName: 'Tool',
      method: 'build_tool',
      dynamic: true,
      run: (inputs, ctx) => [
        {
          name: 'search_api',
          description: 'Searches the web for recent results.',
          parameters: TOOL_PARAMETERS,
          tags: ['search_api'],
          call: (args) => search({ ...inputs, ...readArguments(args) }, ctx),
        },
      ],
    }),
  },
})

const TOOL_PARAMETERS = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to search for' },
    params: { type: 'object', description: 'Further parameters of the search engine' },
    max_results: { type: 'integer', description: 'Maximum number of results', default: 5 },
    max_snippet_length: { type: 'integer', description: 'Characters of a result', default: 100 },
  },
  required: ['query'],
}

function readArguments(args: unknown): Partial<SearchInputs> {
  if (!isObject(args)) return {}
  const { query, params, max_results: results, max_snippet_length: length } = args
  return {
    ...(typeof query === 'string' ? { input_value: query } : {}),
    ...(isObject(params) ? { search_params: params } : {}),
    ...(typeof results === 'number' ? { max_results: results } : {}),
    ...(typeof length === 'number' ? { max_snippet_length: length } : {}),
  }
}

/** @throws TypeError with the status of a failed search */
async function search(
  { engine, api_key: key, input_value: text, search_params: more, ...limits }: SearchInputs,
  ctx: ComponentContext,
): Promise<Record<string, unknown>[]> {
  const params = new Map([
    ['engine', engine],
    ['q', text],
  ])
  for (const [name, value] of Object.entries(more)) params.set(name, toLiteralText(value))
  const answer = await sendRequest(
    `${SEARCH_URL}?${new URLSearchParams([...params]).toString()}`,
    { headers: { authorization: `Bearer ${key}` }, timeoutMs: TIMEOUT_MS },
    ctx,
  )
  if (!isSuccess(answer)) throw new TypeError(statusText(answer))
  const rows = readResults(answer)
    .slice(0, limits.max_results)
    .map((result) => resultRow(result, limits.max_snippet_length))
  ctx.status(rows)
  return rows
}

function readResults(answer: Answer): Record<string, unknown>[] {
  const body: unknown = parseJson(answerText(answer))
  const results = isObject(body) ? body.organic_results : undefined
  return Array.isArray(results) ? results.filter(isObject) : []
}
