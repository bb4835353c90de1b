import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { searchNews, type NewsQuery } from './search-news.ts'
import { readRss } from './search-rss.ts'
import { searchWeb } from './search-web.ts'

/** Searches the web or the news, or reads a feed; needs no key. */
export const unifiedWebSearch = defineComponent({
  type: 'UnifiedWebSearch',
  displayName: 'Web Search',
  description: 'Searches the web or the news, or reads a feed.',
  icon: 'search',
  category: 'data_source',
  module: 'lfx.components.data_source.web_search.WebSearchComponent',
  inputs: {
    search_mode: field.tab({
      displayName: 'Search Mode',
      options: ['Web', 'News', 'RSS'],
      default: 'Web',
      refresh: true,
      toolMode: true,
    }),
    query: field.text({
      displayName: 'Search Query',
      info: 'Search terms; in RSS mode the URL of the feed.',
      required: true,
      toolMode: true,
    }),
    hl: field.text({
      displayName: 'Language (hl)',
      info: 'Language of the news, en-US by default.',
      advanced: true,
      inputTypes: [],
    }),
    gl: field.text({
      displayName: 'Country (gl)',
      info: 'Country of the news, US by default.',
      advanced: true,
      inputTypes: [],
    }),
    ceid: field.text({
      displayName: 'Country:Language (ceid)',
      default: 'US:en',
      advanced: true,
      inputTypes: [],
    }),
    topic: field.text({
      displayName: 'Topic',
      info: 'World, technology or another section of the news.',
      advanced: true,
      inputTypes: [],
    }),
    location: field.text({
      displayName: 'Location (Geo)',
      info: 'A place that the news is about.',
      advanced: true,
      inputTypes: [],
    }),
    timeout: field.int({
      displayName: 'Timeout',
      info: 'Timeout for each request in seconds.',
      default: 5,
      advanced: true,
    }),
    max_results: field.int({
      displayName: 'Max Results',
      info: '0 for no limit.',
      default: 5,
      advanced: true,
      newer: true,
    }),
    max_content_length: field.int({
      displayName: 'Max Content Length',
      info: 'Maximum characters of a page or feed field; 0 for no limit.',
      default: 5000,
      advanced: true,
      newer: true,
    }),
  },
  outputs: {
    results: output.dataFrame({
      displayName: 'Results',
      method: 'perform_search',
      async run({ search_mode, ...inputs }, ctx) {
        const search = SEARCHES.get(search_mode) ?? webSearch
        const bounds = boundsOf(inputs, ctx)
        const rows = await search({ ...inputs, ...bounds, timeoutMs: inputs.timeout * 1000 }, ctx)
        const found = within(rows, bounds)
        ctx.status(found)
        return found
      },
    }),
  },
  refresh(template, name, value) {
    if (name !== 'search_mode' || template.query === undefined) return
    template.query.display_name = value === 'RSS' ? 'RSS Feed URL' : 'Search Query'
    template.query.info = HINTS.get(String(value)) ?? template.query.info
  },
})

const HINTS = new Map([
  ['Web', 'Search terms.'],
  ['News', 'Search terms for the news.'],
  ['RSS', 'The URL of the feed.'],
])

interface Bounds {
  readonly maxResults: number
  readonly maxLength: number
}

/** Nodes of older versions lack these fields and have no limits. */
function boundsOf(
  inputs: { readonly max_results: number; readonly max_content_length: number },
  ctx: ComponentContext,
): Bounds {
  const bound = (name: 'max_results' | 'max_content_length'): number =>
    ctx.inputType(name) === undefined || inputs[name] <= 0 ? Infinity : inputs[name]
  return { maxResults: bound('max_results'), maxLength: bound('max_content_length') }
}

function within(frame: DataFrame, { maxResults, maxLength }: Bounds): DataFrame {
  if (maxResults === Infinity && maxLength === Infinity) return frame
  const rows = frame.rows.slice(0, maxResults).map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => {
        const isAddress = name === 'link' || name === 'url'
        return [name, typeof cell === 'string' && !isAddress ? cell.slice(0, maxLength) : cell]
      }),
    ),
  )
  return createDataFrame(rows, frame.columns)
}

interface SearchInputs extends NewsQuery {
  readonly maxResults: number
}

type Search = (inputs: SearchInputs, ctx: ComponentContext) => Promise<DataFrame>

const webSearch: Search = async ({ query, timeoutMs, maxResults }, ctx) =>
  createDataFrame(await searchWeb(query, { timeoutMs, maxResults }, ctx))

const SEARCHES = new Map<string, Search>([
  ['Web', webSearch],
  ['News', async (inputs, ctx) => createDataFrame(await searchNews(inputs, ctx))],
  ['RSS', ({ query, timeoutMs }, ctx) => readRss(query, timeoutMs, ctx)],
])
