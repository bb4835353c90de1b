import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { inParallel } from '../../web/in-parallel.ts'
import { rowOutputs } from './search-rows.ts'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const PARALLEL = 4
const MAX_PAGES = 50

const fields = {
  input_value: field.multiline({ displayName: 'Input', toolMode: true }),
  lang: field.text({ displayName: 'Language', default: 'en' }),
  k: field.int({ displayName: 'Number of results', default: 4, required: true }),
  load_all_available_meta: field.bool({
    displayName: 'Load all available meta',
    default: false,
    advanced: true,
  }),
  doc_content_chars_max: field.int({
    displayName: 'Document content characters max',
    default: 4000,
    advanced: true,
  }),
}

type Search = Values<typeof fields>

/** Finds Wikipedia pages that match a query. */
export const wikipedia = defineComponent({
  type: 'WikipediaComponent',
  displayName: 'Wikipedia',
  description: 'Searches Wikipedia and reads the pages found.',
  icon: 'Wikipedia',
  category: 'wikipedia',
  module: 'lfx.components.wikipedia.wikipedia.WikipediaComponent',
  inputs: fields,
  outputs: rowOutputs<typeof fields>(search, '\n'),
})

async function search(
  { input_value, lang, k, doc_content_chars_max: length, ...inputs }: Search,
  ctx: ComponentContext,
): Promise<object[]> {
  if (!/^[a-z-]{2,12}$/.test(lang)) throw new TypeError(`Wikipedia has no language '${lang}'`)
  if (input_value.trim() === '') return []
  const api = `https://${lang}.wikipedia.org/w/api.php`
  const limit = Math.min(Math.max(k, 1), MAX_PAGES)
  const params = { list: 'search', srsearch: input_value, srlimit: String(limit) }
  const hits = await query(api, params, ctx)
  const titles = recordsIn(hits.search).map(({ title }) => textIn(title))
  const options = { limit: PARALLEL, signal: ctx.signal }
  const rows = await inParallel(titles, options, (title) =>
    readPage(api, title, { length, meta: inputs.load_all_available_meta }, ctx),
  )
  const found = rows.filter((row) => row !== null)
  ctx.status(found)
  return found
}

async function query(
  api: string,
  params: Readonly<Record<string, string>>,
  ctx: ComponentContext,
): Promise<Record<string, unknown>> {
  const parameters = new URLSearchParams({ action: 'query', format: 'json', ...params })
  const answer = await vendorRequest({ url: `${api}?${parameters.toString()}` }, ctx)
  const { body } = requireSuccess('Wikipedia', answer)
  return isObject(body) && isObject(body.query) ? body.query : {}
}

async function readPage(
  api: string,
  title: string,
  { length, meta }: { readonly length: number; readonly meta: boolean },
  ctx: ComponentContext,
): Promise<object | null> {
  const params = { prop: 'extracts|info', explaintext: '1', inprop: 'url', redirects: '1' }
  const { pages } = await query(api, { ...params, titles: title }, ctx)
  const [page] = isObject(pages) ? Object.values(pages).filter(isObject) : []
  if (page === undefined) return null
  const text = textIn(page.extract)
  const { extract: _, ...further } = page
  return {
    ...(meta ? further : {}),
    title: textIn(page.title),
    summary: text.split('\n', 1)[0] ?? '',
    source: textIn(page.fullurl),
    text: text.slice(0, Math.max(length, 0)),
  }
}
