import { errorText } from '../../errors.ts'
import type { ComponentContext } from '../context.ts'
import { inParallel } from '../in-parallel.ts'
import { answerText, sendRequest, statusText, type Answer } from '../send-request.ts'
import { readPage, type WebPage } from './read-page.ts'

const MAX_PAGES = 1000
const AT_ONCE = 8

export interface CrawlOptions {
  /** 1 = the page itself. */
  readonly depth: number
  /** Only addresses that begin with the first one. */
  readonly preventOutside: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number | undefined
  /** Answers of 400 and more are failures. */
  readonly checkStatus: boolean
  /** Pages that fail are left out. */
  readonly continueOnFailure: boolean
}

export interface CrawledPage extends WebPage {
  readonly url: string
  readonly source: string
  readonly contentType: string
}

/**
 * A page and those it leads to, level by level, each once; at most 1,000.
 * @throws TypeError for the first page that fails, unless failures are left out
 */
export async function crawl(
  root: string,
  options: CrawlOptions,
  ctx: ComponentContext,
): Promise<CrawledPage[]> {
  const seen = new Set([root])
  const pages: CrawledPage[] = []
  let level = [root]
  for (let depth = 0; depth < options.depth && level.length > 0; depth += 1) {
    const loaded = await inParallel(level, { limit: AT_ONCE, signal: ctx.signal }, (url) =>
      load(url, options, ctx),
    )
    const found = loaded.filter((page) => page !== undefined)
    pages.push(...found)
    level = []
    for (const link of found.flatMap(({ links }) => links)) {
      if (seen.size >= MAX_PAGES || seen.has(link)) continue
      if (options.preventOutside && !link.startsWith(root)) continue
      seen.add(link)
      level.push(link)
    }
  }
  return pages
}

async function load(
  url: string,
  options: CrawlOptions,
  ctx: ComponentContext,
): Promise<CrawledPage | undefined> {
  try {
    const answer = await sendRequest(
      url,
      { headers: options.headers, timeoutMs: options.timeoutMs },
      ctx,
    )
    if (options.checkStatus && answer.status >= 400) throw new TypeError(statusText(answer))
    return await pageOf(url, answer)
  } catch (error) {
    ctx.signal.throwIfAborted()
    if (options.continueOnFailure) return undefined
    throw new TypeError(`${url}: ${errorText(error)}`, { cause: error })
  }
}

async function pageOf(url: string, answer: Answer): Promise<CrawledPage> {
  const source = answerText(answer)
  const page = await readPage(source, answer.url)
  return { ...page, url, source, contentType: answer.headers.get('content-type') ?? '' }
}
