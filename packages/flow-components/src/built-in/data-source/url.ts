import { toText, errorText } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { createMessage } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { createCrawlBudget } from './crawl-budget.ts'
import { htmlToMarkdown } from '../../web/html-to-markdown.ts'
import { crawl, type CrawledPage } from './crawl.ts'

const fields = {
  urls: field.text({
    displayName: 'URLs',
    list: true,
    toolMode: true,
    inputTypes: [],
    placeholder: 'Enter a URL...',
    info: 'The pages to start from.',
    attributes: { list_add_label: 'Add URL' },
  }),
  max_depth: field.slider({
    displayName: 'Depth',
    default: 1,
    min: 1,
    max: 5,
    step: 1,
    info: '1 reads only these pages, 2 also the pages they link to, and so on.',
    attributes: {
      max_label: ' ',
      max_label_icon: 'None',
      min_label: ' ',
      min_label_icon: 'None',
    },
  }),
  prevent_outside: field.bool({
    displayName: 'Prevent Outside',
    default: true,
    advanced: true,
    info: 'Follow only links that start with the URL of the first page.',
  }),
  use_async: field.bool({ displayName: 'Use Async', default: true, advanced: true }),
  format: field.dropdown({
    displayName: 'Output Format',
    default: 'Text',
    advanced: true,
    options: ['Text', 'HTML'],
    aliases: { Markdown: 'Markdown', 'Raw HTML': 'HTML' },
  }),
  timeout: field.int({
    displayName: 'Timeout',
    default: 30,
    advanced: true,
    info: 'Timeout for each page in seconds.',
  }),
  headers: field.table({
    displayName: 'Headers',
    default: [{ key: 'User-Agent', value: null }],
    advanced: true,
    inputTypes: ['DataFrame'],
    columns: [
      { display_name: 'Header', name: 'key', type: 'str' },
      { display_name: 'Value', name: 'value', type: 'str' },
    ],
  }),
  filter_text_html: field.bool({
    displayName: 'Filter Text/HTML',
    default: true,
    advanced: true,
    info: 'Exclude style sheets.',
  }),
  continue_on_failure: field.bool({
    displayName: 'Continue on Failure',
    default: true,
    advanced: true,
  }),
  check_response_status: field.bool({
    displayName: 'Check Response Status',
    advanced: true,
    info: 'Treat responses with status 400 and above as failures.',
  }),
  follow_redirects: field.bool({
    displayName: 'Follow Redirects',
    default: true,
    advanced: true,
    newer: true,
  }),
  autoset_encoding: field.bool({
    displayName: 'Autoset Encoding',
    default: true,
    advanced: true,
  }),
  separator: field.string({ displayName: 'Separator', default: '\n\n', newer: true }),
}

type PageInputs = Values<typeof fields>

/** Reads web pages as text or HTML, with the pages they link to. */
export const url = defineComponent({
  type: 'URLComponent',
  displayName: 'URL',
  description: 'Reads web pages, optionally following their links.',
  icon: 'layout-template',
  category: 'data_source',
  module: 'lfx.components.data_source.url.URLComponent',
  aliases: ['URL'],
  inputs: fields,
  outputs: {
    page_results: output.dataFrame({
      displayName: 'Extracted Pages',
      method: 'fetch_content',
      run: async (inputs, ctx) => createDataFrame(await readPages(inputs, ctx)),
    }),
    raw_results: output.message({
      displayName: 'Raw Content',
      method: 'fetch_content_as_message',
      toolMode: false,
      async run(inputs, ctx) {
        const rows = await readPages(inputs, ctx)
        const text = rows.map((row) => row.text).join('\n\n')
        return createMessage({ text, data: { data: rows }, timestamp: ctx.runtime.now() })
      },
    }),
    // The outputs in nodes of versions 1.0 to 1.4 (NX-36).
    data: output.list({
      displayName: 'Data',
      method: 'fetch_content',
      dynamic: true,
      run: (inputs, ctx) => readPages(inputs, ctx),
    }),
    text: output.message({
      displayName: 'Message',
      method: 'fetch_content_text',
      dynamic: true,
      async run(inputs, ctx) {
        const rows = await readPages(inputs, ctx)
        return rows.map((row) => row.text).join(inputs.separator)
      },
    }),
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'as_dataframe',
      dynamic: true,
      run: async (inputs, ctx) => createDataFrame(await readPages(inputs, ctx)),
    }),
  },
})

/** Formats made from the page source; nodes of versions 1.0 to 1.3 have the second. */
const SOURCE_FORMATS: ReadonlySet<string> = new Set(['HTML', 'Raw HTML', 'Markdown'])

async function formatted(page: CrawledPage, format: string): Promise<string> {
  if (!SOURCE_FORMATS.has(format)) return page.text
  const isMarkdown = format === 'Markdown' && page.contentType.includes('html')
  return isMarkdown ? htmlToMarkdown(page.source) : page.source
}

interface PageRow extends Row {
  readonly text: string
}

/** Pages by build: both outputs share one crawl. */
const pagesOf = new WeakMap<ComponentContext, Promise<PageRow[]>>()

function readPages(inputs: PageInputs, ctx: ComponentContext): Promise<PageRow[]> {
  if (ctx.asTool) return crawlPages(inputs, ctx)
  const pages = pagesOf.get(ctx) ?? crawlPages(inputs, ctx)
  pagesOf.set(ctx, pages)
  return pages
}

/** @throws TypeError with a message that starts with "Error loading documents: " */
async function crawlPages(inputs: PageInputs, ctx: ComponentContext): Promise<PageRow[]> {
  try {
    const rows: PageRow[] = []
    const budget = createCrawlBudget(ctx.services.crawlBytes)
    for (const root of addresses(inputs.urls)) {
      const pages = await crawl(
        root,
        {
          depth: Math.max(1, Math.min(5, inputs.max_depth)),
          preventOutside: inputs.prevent_outside,
          headers: headersOf(inputs.headers),
          timeoutMs: inputs.timeout > 0 ? inputs.timeout * 1000 : undefined,
          checkStatus: inputs.check_response_status,
          followRedirects: inputs.follow_redirects,
          continueOnFailure: inputs.continue_on_failure,
          keepSource: SOURCE_FORMATS.has(inputs.format),
          budget,
        },
        ctx,
      )
      const kept = pages.filter(
        ({ contentType }) => !(inputs.filter_text_html && contentType.startsWith('text/css')),
      )
      for (const page of kept) {
        rows.push({
          text: toText(await formatted(page, inputs.format)),
          url: page.url,
          title: page.title,
          description: page.description,
          content_type: page.contentType,
          language: page.language,
        })
      }
    }
    const warning = budget.warning()
    if (warning !== undefined) ctx.log('Warning', warning)
    if (rows.length === 0) {
      if (warning !== undefined) throw new TypeError(warning)
      throw new TypeError('No documents were successfully loaded from any URL')
    }
    return rows
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`Error loading documents: ${errorText(error)}`, { cause: error })
  }
}

/** Trims URLs, adds missing schemes and removes duplicates, keeping the order. */
function addresses(urls: readonly string[]): string[] {
  const given = urls.map((text) => text.trim()).filter((text) => text !== '')
  const complete = given.map((text) => (/^https?:\/\//i.test(text) ? text : `https://${text}`))
  if (complete.length === 0) throw new TypeError('No valid URLs provided.')
  for (const text of complete) {
    if (/\s/.test(text) || !URL.canParse(text)) throw new TypeError(`Invalid URL: ${text}`)
  }
  return [...new Set(complete)]
}

function headersOf(rows: readonly Record<string, unknown>[]): Record<string, string> {
  const pairs = rows.flatMap(({ key, value }) =>
    typeof key === 'string' && key !== '' && typeof value === 'string' ? [[key, value]] : [],
  )
  return Object.fromEntries(pairs) as Record<string, string>
}
