import type { ComponentContext } from '@x/flow-engine'
import { parseHtmlPage } from '../../web/html-page.ts'
import { inParallel } from '../../web/in-parallel.ts'
import {
  answerText,
  isSuccess,
  RequestError,
  sendRequest,
  statusText,
  type Answer,
} from '../../web/send-request.ts'

const SEARCH_URL = 'https://html.duckduckgo.com/html/'
const PARALLEL_PAGES = 8
/** Some servers reject requests without a browser-like user agent. */
const HEADERS = { 'user-agent': 'Mozilla/5.0 (compatible; flow-engine)' } as const

type WebRow = Readonly<Record<'title' | 'link' | 'snippet' | 'content', string>>

/**
 * Searches the web and reads the pages found. A failed search is returned as a row that describes it; a
 * failed page has the error as its content.
 * @throws TypeError for an empty query
 */
export async function searchWeb(
  given: string,
  { timeoutMs, maxResults }: { readonly timeoutMs: number; readonly maxResults: number },
  ctx: ComponentContext,
): Promise<WebRow[]> {
  const found = await searchHits(given, timeoutMs, ctx)
  if (typeof found === 'string') return [failure(found)]
  const hits = found.slice(0, maxResults)
  const options = { headers: HEADERS, timeoutMs }
  const { runtime, services } = ctx
  return inParallel(hits, { limit: PARALLEL_PAGES, signal: ctx.signal }, async (hit, signal) => ({
    ...hit,
    content: await pageText(hit.link, options, { runtime, services, signal }),
  }))
}

/**
 * Searches the web; returns the hits, or a string that describes a failure.
 * @throws TypeError for an empty query
 */
export async function searchHits(
  given: string,
  timeoutMs: number,
  ctx: ComponentContext,
): Promise<Omit<WebRow, 'content'>[] | string> {
  const query = given.replaceAll(/[<>"']/g, '').trim()
  if (query === '') throw new TypeError('Empty search query')
  const url = `${SEARCH_URL}?${new URLSearchParams({ q: query, kl: 'us-en' }).toString()}`
  const answer = await tryRequest(url, { headers: HEADERS, timeoutMs }, ctx)
  if (typeof answer === 'string') return answer
  const text = answerText(answer)
  const isHtml = (answer.headers.get('content-type') ?? '').toLowerCase().includes('text/html')
  return text === '' || !isHtml ? 'No results found' : readHits(text)
}

/** Returns the response, or a description of the error. */
export async function tryRequest(
  url: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs: number },
  ctx: Pick<ComponentContext, 'runtime' | 'services' | 'signal'>,
): Promise<Answer | string> {
  if (!URL.canParse(url)) return `Invalid URL: ${url}`
  try {
    const answer = await sendRequest(url, options, ctx)
    return isSuccess(answer) ? answer : statusText(answer)
  } catch (error) {
    if (error instanceof RequestError) return error.message
    throw error
  }
}

async function readHits(html: string): Promise<Omit<WebRow, 'content'>[]> {
  const page = await parseHtmlPage(html)
  return page.elements('div', 'result').flatMap((result) => {
    const title = result.first('a', 'result__a')
    if (title === undefined) return []
    return {
      title: title.texts().join(''),
      link: targetOf(title.attribute('href') ?? ''),
      snippet: result.first('a', 'result__snippet')?.texts().join('') ?? '',
    }
  })
}

/** Hits link to a redirect page of the search engine with the target in `uddg`. */
function targetOf(href: string): string {
  const target = URL.canParse(href, SEARCH_URL)
    ? new URL(href, SEARCH_URL).searchParams.get('uddg')
    : null
  const link = target === null || target === '' ? href : target
  return /^[a-z][a-z\d+.-]*:/i.test(link) ? link : `https://${link.replace(/^\/+/, '')}`
}

async function pageText(
  url: string,
  options: { readonly timeoutMs: number },
  ctx: Pick<ComponentContext, 'runtime' | 'services' | 'signal'>,
): Promise<string> {
  const answer = await tryRequest(url, options, ctx)
  if (typeof answer === 'string') return `(Failed to fetch: ${answer}`
  return (await parseHtmlPage(answerText(answer))).texts().join(' ')
}

function failure(why: string): WebRow {
  return { title: 'Error', link: '', snippet: why, content: '' }
}
