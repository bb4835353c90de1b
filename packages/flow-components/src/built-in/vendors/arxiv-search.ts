import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { answerText, isSuccess, RequestError, sendRequest } from '../../web/send-request.ts'
import {
  attributeOf,
  childrenOf,
  parseXml,
  elementText,
  type XmlElement,
} from '../../web/xml-tree.ts'

const SEARCH_URL = 'http://export.arxiv.org/api/query'
const TIMEOUT_MS = 60_000
const PREFIXES = new Map([
  ['title', 'ti:'],
  ['abstract', 'abs:'],
  ['author', 'au:'],
  ['cat', 'cat:'],
])

const formerPapers = {
  displayName: 'Data',
  method: 'search_papers',
  dynamic: true,
} as const

/** Searches arXiv for papers. A failure is returned as a row that describes it. */
export const arXiv = defineComponent({
  type: 'ArXivComponent',
  displayName: 'arXiv',
  description: 'Searches arXiv for papers.',
  icon: 'arXiv',
  category: 'arxiv',
  module: 'lfx.components.arxiv.arxiv.ArXivComponent',
  inputs: {
    search_query: field.text({
      displayName: 'Search Query',
      info: 'Search terms, for example "quantum computing".',
      toolMode: true,
    }),
    search_type: field.dropdown({
      displayName: 'Search Field',
      options: ['all', 'title', 'abstract', 'author', 'cat'],
      default: 'all',
    }),
    max_results: field.int({ displayName: 'Max Results', default: 10 }),
  },
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'search_papers_dataframe',
      run: (inputs, ctx) => search(inputs, ctx),
    }),
    // The outputs in nodes of versions 1.0 to 1.4 (NX-36).
    data: output.list({ ...formerPapers, run: (inputs, ctx) => search(inputs, ctx) }),
    papers: output.list({ ...formerPapers, run: (inputs, ctx) => search(inputs, ctx) }),
  },
})

interface Query {
  readonly search_query: string
  readonly search_type: string
  readonly max_results: number
}

async function search(
  { search_query, search_type, max_results }: Query,
  ctx: ComponentContext,
): Promise<object[]> {
  const query = `${PREFIXES.get(search_type) ?? ''}${search_query}`
  const url = `${SEARCH_URL}?search_query=${encodeURIComponent(query)}&max_results=${max_results}`
  try {
    const answer = await sendRequest(url, { timeoutMs: TIMEOUT_MS }, ctx)
    if (!isSuccess(answer)) return failure(`HTTP Error ${answer.status}: ${answer.statusText}`)
    return await readPapers(answerText(answer))
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof SyntaxError)) throw error
    return failure(error.message)
  }
}

function failure(why: string): object[] {
  return [{ error: `Request error: ${why}` }]
}

/** @throws SyntaxError for text that is not a feed */
async function readPapers(text: string): Promise<object[]> {
  const [feed] = childrenOf(await parseXml(text), 'feed')
  if (feed === undefined) throw new SyntaxError('the response is not a feed')
  return childrenOf(feed, 'entry').map(readPaper)
}

function readPaper(entry: XmlElement): object {
  const text = (name: string): string | null => {
    const [element] = childrenOf(entry, name)
    return element === undefined ? null : elementText(element).trim()
  }
  const terms = (name: string): string[] =>
    childrenOf(entry, name).flatMap((element) => attributeOf(element, 'term') ?? [])
  return {
    id: text('id'),
    title: text('title'),
    summary: text('summary'),
    published: text('published'),
    updated: text('updated'),
    authors: childrenOf(entry, 'author').flatMap((author) =>
      childrenOf(author, 'name').map((name) => elementText(name).trim()),
    ),
    arxiv_url: linkOf(entry, 'alternate'),
    pdf_url: linkOf(entry, 'related'),
    comment: text('comment'),
    journal_ref: text('journal_ref'),
    primary_category: terms('primary_category')[0] ?? null,
    categories: terms('category'),
  }
}

function linkOf(entry: XmlElement, rel: string): string | null {
  const link = childrenOf(entry, 'link').find((each) => attributeOf(each, 'rel') === rel)
  return link === undefined ? null : (attributeOf(link, 'href') ?? null)
}
