import { append } from '@x/wire'
import { type ComponentContext, errorText } from '@x/flow-engine'
import { inParallel } from '../../web/in-parallel.ts'
import { answerText, sendRequest, statusText, type Answer } from '../../web/send-request.ts'
import type { CrawlBudget } from './crawl-budget.ts'
import { readPage, type WebPage } from './read-page.ts'

const AT_ONCE = 8

export interface CrawlOptions {
  /** Link depth; 1 is the page itself. */
  readonly depth: number
  /** Follows only URLs that start with the first one. */
  readonly preventOutside: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number | undefined
  /** Treats statuses of 400 and above as failures. */
  readonly checkStatus: boolean
  readonly followRedirects: boolean
  /** Skips pages that fail. */
  readonly continueOnFailure: boolean
  /** Keeps the HTML; otherwise a page is released once its text has been extracted. */
  readonly keepSource: boolean
  /** Shared by all crawls of a run of the component. */
  readonly budget: CrawlBudget
}

export interface CrawledPage extends WebPage {
  readonly url: string
  /** The HTML; "" unless kept. */
  readonly source: string
  readonly contentType: string
}

/**
 * Reads a page and the pages it links to, level by level, each once, within the budget.
 * @throws TypeError for the first page that fails, unless failures are skipped
 */
export async function crawl(
  root: string,
  options: CrawlOptions,
  ctx: ComponentContext,
): Promise<CrawledPage[]> {
  const seen = new Set([root])
  const pages: CrawledPage[] = []
  const { budget } = options
  const inTurn = createTurns()
  let level = budget.takePage() ? [root] : []
  for (let depth = 0; depth < options.depth && level.length > 0; depth += 1) {
    const loaded = await inParallel(level, { limit: AT_ONCE, signal: ctx.signal }, (url) =>
      load(url, { ...options, inTurn }, ctx),
    )
    const found = loaded.filter((page) => page !== undefined)
    append(pages, found)
    level = []
    for (const link of linksOf(found)) {
      if (seen.has(link)) continue
      if (options.preventOutside && !link.startsWith(root)) continue
      if (budget.isSpent || !budget.takePage()) break
      seen.add(link)
      level.push(link)
    }
  }
  return pages
}

function* linksOf(pages: readonly CrawledPage[]): Generator<string> {
  for (const { links } of pages) yield* links
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** Serialises work. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
}

async function load(
  url: string,
  options: CrawlOptions & { readonly inTurn: Turns },
  ctx: ComponentContext,
): Promise<CrawledPage | undefined> {
  const { budget, inTurn, keepSource } = options
  if (budget.isSpent) return undefined
  try {
    const answer = await sendRequest(
      url,
      {
        headers: options.headers,
        timeoutMs: options.timeoutMs,
        redirect: options.followRedirects ? 'follow' : 'manual',
        onBytes: (count) => budget.takeBytes(count),
      },
      ctx,
    )
    if (options.checkStatus && answer.status >= 400) throw new TypeError(statusText(answer))
    return await inTurn(() => pageOf(url, answer, { keepSource, signal: ctx.signal }))
  } catch (error) {
    ctx.signal.throwIfAborted()
    if (options.continueOnFailure || budget.isSpent) return undefined
    throw new TypeError(`${url}: ${errorText(error)}`, { cause: error })
  }
}

async function pageOf(
  url: string,
  answer: Answer,
  { keepSource, signal }: { readonly keepSource: boolean; readonly signal: AbortSignal },
): Promise<CrawledPage> {
  const source = answerText(answer)
  const page = await readPage(source, answer.url, signal)
  const contentType = answer.headers.get('content-type') ?? ''
  return { ...page, url, source: keepSource ? source : '', contentType }
}
