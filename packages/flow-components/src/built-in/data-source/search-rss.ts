import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { answerText } from '../../web/send-request.ts'
import { parseFeed, type FeedItem } from './feed.ts'
import { tryRequest } from './search-web.ts'

const COLUMNS = ['title', 'link', 'published', 'summary'] as const

/** Reads the entries of a feed. A failure is returned as a row that describes it. */
export async function readRss(
  url: string,
  timeoutMs: number,
  ctx: ComponentContext,
): Promise<DataFrame> {
  return createDataFrame(await readItems(url, timeoutMs, ctx), COLUMNS)
}

async function readItems(
  url: string,
  timeoutMs: number,
  ctx: ComponentContext,
): Promise<readonly FeedItem[]> {
  if (url === '') return [failure('No RSS URL provided')]
  const answer = await tryRequest(url, { timeoutMs }, ctx)
  if (typeof answer === 'string') return [failure(answer)]
  const text = answerText(answer)
  if (text.trim() === '') return [failure('Empty response received')]
  return parseFeed(text)
}

function failure(why: string): FeedItem {
  return { title: 'Error', link: '', published: '', summary: why }
}
