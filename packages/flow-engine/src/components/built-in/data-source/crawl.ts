import { errorText } from '../../../errors.ts'
import type { ComponentContext } from '../../define/context.ts'
import { inParallel } from '../../web/in-parallel.ts'
import { answerText, sendRequest, statusText, type Answer } from '../../web/send-request.ts'
import type { CrawlBudget } from './crawl-budget.ts'
import { readPage, type WebPage } from './read-page.ts'

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
  readonly followRedirects: boolean
  /** Pages that fail are left out. */
  readonly continueOnFailure: boolean
  /** Keeps the HTML; without it, a page is released once its text is read. */
  readonly keepSource: boolean
  /** Shared by all crawls of one run of the component. */
  readonly budget: CrawlBudget
}

export interface CrawledPage extends WebPage {
  readonly url: string
  /** The HTML; "" unless it is kept. */
  readonly source: string
  readonly contentType: string
}

/**
 * A page and those it leads to, level by level, each once, as far as the budget reaches (AB-34).
 * @throws TypeError for the first page that fails, unless failures are left out
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
    pages.push(...found)
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

/** One piece of work after the other. */
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
