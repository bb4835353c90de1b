import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { toLiteralText } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { resultRow, rowLimits } from './search-rows.ts'
import {
  answerText,
  isSuccess,
  sendRequest,
  statusText,
  type Answer,
} from '../../web/send-request.ts'

const SEARCH_URL = 'https://www.searchapi.io/api/v1/search'
const TIMEOUT_MS = 60_000

/** Searches the web through SearchApi. */
export const searchApi = defineComponent({
  type: 'SearchComponent',
  displayName: 'SearchApi',
  description: 'Searches the web with SearchApi.',
  icon: 'SearchAPI',
  category: 'searchapi',
  module: 'lfx.components.searchapi.search.SearchComponent',
  inputs: {
    engine: field.dropdown({
      displayName: 'Engine',
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
  },
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'fetch_content_dataframe',
      async run({ engine, api_key, input_value, search_params, ...limits }, ctx) {
        const params = new Map([
          ['engine', engine],
          ['q', input_value],
        ])
        for (const [key, value] of Object.entries(search_params)) {
          params.set(key, toLiteralText(value))
        }
        const answer = await sendRequest(
          `${SEARCH_URL}?${new URLSearchParams([...params]).toString()}`,
          { headers: { authorization: `Bearer ${api_key}` }, timeoutMs: TIMEOUT_MS },
          ctx,
        )
        if (!isSuccess(answer)) throw new TypeError(statusText(answer))
        const rows = readResults(answer)
          .slice(0, limits.max_results)
          .map((result) => resultRow(result, limits.max_snippet_length))
        ctx.status(rows)
        return rows
      },
    }),
  },
})

function readResults(answer: Answer): Record<string, unknown>[] {
  const body: unknown = parseJson(answerText(answer))
  const results = isObject(body) ? body.organic_results : undefined
  return Array.isArray(results) ? results.filter(isObject) : []
}
