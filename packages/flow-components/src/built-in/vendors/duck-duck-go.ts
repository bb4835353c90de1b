import { defineComponent, type ComponentContext } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { searchHits } from '../data-source/search-web.ts'
import { dataOf, formerData, formerText, textOf, rowLimits } from './search-rows.ts'

const TIMEOUT_MS = 60_000
const NOTHING = 'No good DuckDuckGo Search Result was found'

/** Searches DuckDuckGo without reading the pages found. */
export const duckDuckGoSearch = defineComponent({
  type: 'DuckDuckGoSearchComponent',
  displayName: 'DuckDuckGo Search',
  description: 'Searches the web with DuckDuckGo.',
  icon: 'DuckDuckGo',
  category: 'duckduckgo',
  module: 'lfx.components.duckduckgo.duck_duck_go_search_run.DuckDuckGoSearchComponent',
  inputs: {
    input_value: field.text({ displayName: 'Search Query', required: true, toolMode: true }),
    ...rowLimits,
  },
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'fetch_content_dataframe',
      run: (inputs, ctx) => search(inputs, ctx),
    }),
    data: output.list({
      ...formerData,
      run: async (inputs, ctx) => dataOf(await search(inputs, ctx)),
    }),
    text: output.message({
      ...formerText,
      run: async (inputs, ctx) => textOf(await search(inputs, ctx)),
    }),
  },
})

interface Search {
  readonly input_value: string
  readonly max_results: number
  readonly max_snippet_length: number
}

async function search(
  { input_value, max_results, max_snippet_length: length }: Search,
  ctx: ComponentContext,
): Promise<object[]> {
  const found = await searchHits(input_value, TIMEOUT_MS, ctx)
  const rows: object[] =
    typeof found === 'string'
      ? [{ error: found, text: found }]
      : found.slice(0, max_results).map(({ snippet }) => rowOf(snippet, length))
  if (rows.length === 0) rows.push(rowOf(NOTHING, NOTHING.length))
  ctx.status(rows)
  return rows
}

function rowOf(content: string, length: number) {
  const snippet = content.slice(0, length)
  return { content, snippet, text: snippet }
}
