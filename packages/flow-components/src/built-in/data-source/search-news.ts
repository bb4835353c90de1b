import type { ComponentContext } from '@x/flow-engine'
import { parseHtmlPage } from '../../web/html-page.ts'
import { answerText } from '../../web/send-request.ts'
import { parseFeed, type FeedItem } from './feed.ts'
import { tryRequest } from './search-web.ts'

const NEWS_URL = 'https://news.google.com/rss'

export interface NewsQuery {
  readonly query: string
  /** Language. Default en-US. */
  readonly hl: string
  /** Country. Default US. */
  readonly gl: string
  readonly topic: string
  readonly location: string
  readonly timeoutMs: number
}

/** Searches news by topic, else by place, else by query. A failure is returned as a row that describes it. */
export async function searchNews(query: NewsQuery, ctx: ComponentContext): Promise<FeedItem[]> {
  const url = newsUrl(query)
  if (url === null) return [failure('No search query, topic, or location provided.')]
  const answer = await tryRequest(url, query, ctx)
  if (typeof answer === 'string') return [failure(answer)]
  const items = await parseFeed(answerText(answer))
  if (items.length === 0) return [{ ...failure(''), title: 'No articles found' }]
  return Promise.all(items.map(withoutTags))
}

/** The edition is derived from country and language too. */
function newsUrl({ query, topic, location, ...given }: NewsQuery): string | null {
  const [hl, gl] = [given.hl === '' ? 'en-US' : given.hl, given.gl === '' ? 'US' : given.gl]
  const edition = new URLSearchParams({ hl, gl, ceid: `${gl}:${hl.split('-')[0] ?? hl}` })
  const section = (kind: string, name: string): string =>
    `${NEWS_URL}/headlines/section/${kind}/${encodePlus(name)}?${edition.toString()}`
  if (topic !== '') return section('topic', topic.toUpperCase())
  if (location !== '') return section('geo', location)
  return query === '' ? null : `${NEWS_URL}/search?q=${encodePlus(query)}&${edition.toString()}`
}

function encodePlus(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+')
}

async function withoutTags(item: FeedItem): Promise<FeedItem> {
  return { ...item, title: await plainText(item.title), summary: await plainText(item.summary) }
}

async function plainText(html: string): Promise<string> {
  return (await parseHtmlPage(html)).texts().join(' ')
}

function failure(why: string): FeedItem {
  return { title: 'Error', link: '', published: '', summary: why }
}
