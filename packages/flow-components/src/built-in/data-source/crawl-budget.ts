/** Maximum number of pages per run of the URL component. */
const MAX_PAGES = 1_000
const MAX_BYTES = 64 * 1024 * 1024

/** The pages and bytes left for a run of the URL component, across all its start pages. */
export interface CrawlBudget {
  /** True if the byte limit has been reached, so that nothing more is read. */
  readonly isSpent: boolean
  /** Counts received bytes. @throws RangeError over the limit */
  takeBytes(count: number): void
  /** Counts a page before it is read. Returns false over the limit. */
  takePage(): boolean
  /** Names the limit that stopped the crawl; undefined if everything was read. */
  warning(): string | undefined
}

/** @param maxBytes total size of all pages; default 64 MiB */
export function createCrawlBudget(maxBytes = MAX_BYTES): CrawlBudget {
  let bytes = 0
  let pages = 0
  return {
    get isSpent() {
      return bytes > maxBytes
    },
    takeBytes(count) {
      bytes += count
      if (bytes > maxBytes) throw new RangeError(bytesText(maxBytes))
    },
    takePage() {
      pages += 1
      return pages <= MAX_PAGES
    },
    warning() {
      if (bytes > maxBytes) return `Not all pages were read: ${bytesText(maxBytes)}`
      if (pages <= MAX_PAGES) return undefined
      return `Not all pages were read: one run reads at most ${MAX_PAGES.toLocaleString('en-US')} pages`
    },
  }
}

function bytesText(maxBytes: number): string {
  const mebibytes = Math.round((maxBytes / 2 ** 20) * 10) / 10
  return `one run reads at most ${mebibytes} MiB in all (SERVICE_MAX_CRAWL_MB)`
}
