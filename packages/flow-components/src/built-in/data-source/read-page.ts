import { eventLoopTurn } from '@x/wire'
import { MAX_DEPTH } from '../../web/parse-markup.ts'

/** The text, metadata and links of a page. */
export interface WebPage {
  /** The concatenated text nodes, including the title, without scripts and styles. */
  readonly text: string
  readonly title: string
  readonly description: string
  readonly language: string
  /** Absolute HTTP URLs without fragments or duplicates. */
  readonly links: readonly string[]
}

/** Yields to the event loop after this many characters, which take a few milliseconds. */
const PIECE = 16 * 1024
/** Maximum number of links taken from one page; a crawl reads at most 1,000 pages. */
const MAX_LINKS = 5_000

const INVISIBLE = new Set(['script', 'style', 'template'])

/**
 * Parses any text as HTML, as browsers do; nothing is an error.
 * @throws the signal's reason
 */
export async function readPage(html: string, url: string, signal?: AbortSignal): Promise<WebPage> {
  const { Parser } = await import('htmlparser2')
  const texts: string[] = []
  const links = new Set<string>()
  let title = ''
  let description = ''
  let language = ''
  let unseen = 0
  let inTitle = false
  let seenLinks = 0
  let depth = 0

  const handler = {
    onopentag(name: string, attributes: Readonly<Record<string, string>>) {
      depth += 1
      if (INVISIBLE.has(name)) unseen += 1
      if (name === 'title' && title === '') inTitle = true
      if (name === 'html' && language === '') language = attributes.lang ?? ''
      if (name === 'meta' && attributes.name?.toLowerCase() === 'description') {
        description ||= attributes.content ?? ''
      }
      const isLink = (name === 'a' || name === 'area') && seenLinks < MAX_LINKS
      if (isLink) seenLinks += 1
      const link = isLink ? linkOf(attributes.href, url) : undefined
      if (link !== undefined) links.add(link)
    },
    ontext(text: string) {
      if (unseen > 0) return
      texts.push(text)
      if (inTitle) title += text
    },
    onclosetag(name: string) {
      depth -= 1
      if (INVISIBLE.has(name)) unseen = Math.max(0, unseen - 1)
      if (name === 'title') inTitle = false
    },
  }
  let parser = new Parser(handler)
  for (let at = 0; at < html.length;) {
    if (at > 0) await eventLoopTurn()
    signal?.throwIfAborted()
    const piece = html.slice(at, at + PIECE)
    // Ends after a tag if there is one, because the piece may be the last of its parser.
    const end = piece.lastIndexOf('>') + 1 || piece.length
    parser.write(piece.slice(0, end))
    at += end
    if (depth <= MAX_DEPTH) continue
    // Too deep: the rest is parsed from scratch.
    parser.end()
    parser = new Parser(handler)
    depth = 0
  }
  parser.end()
  return { text: texts.join(''), title, description, language, links: [...links] }
}

function linkOf(href: string | undefined, base: string): string | undefined {
  if (href === undefined || !URL.canParse(href, base)) return undefined
  const url = new URL(href, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  url.hash = ''
  return url.href
}
