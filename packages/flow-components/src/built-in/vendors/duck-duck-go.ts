import { defineComponent, type ComponentContext } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { searchHits } from '../data-source/search-web.ts'
import { rowLimits, rowOutputs } from './search-rows.ts'

const TIMEOUT_MS = 60_000
const NOTHING = 'No good DuckDuckGo Search Result was found'

const fields = {
  input_value: field.text({ displayName: 'Search Query', required: true, toolMode: true }),
  ...rowLimits,
}

type Search = Values<typeof fields>

/** Searches DuckDuckGo without reading the pages found. */
export const duckDuckGoSearch = defineComponent({
  type: 'DuckDuckGoSearchComponent',
  displayName: 'DuckDuckGo Search',
  description: 'Searches the web with DuckDuckGo.',
  icon: 'DuckDuckGo',
  category: 'duckduckgo',
  module: 'lfx.components.duckduckgo.duck_duck_go_search_run.DuckDuckGoSearchComponent',
  inputs: fields,
  outputs: rowOutputs<typeof fields>(search),
})

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
