import { append, isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { recordsIn, requireSuccess, textIn, vendorRequest } from './vendor-request.ts'

const URL = 'https://www.googleapis.com/youtube/v3/commentThreads'
const PAGE = 100
const MAX_RESULTS = 10_000

const fields = {
  video_url: field.text({ displayName: 'Video URL', required: true, toolMode: true }),
  api_key: field.secret({ displayName: 'YouTube API Key', required: true }),
  max_results: field.int({ displayName: 'Max Results', default: 20 }),
  sort_by: field.dropdown({
    displayName: 'Sort By',
    default: 'relevance',
    options: ['time', 'relevance'],
  }),
  include_replies: field.bool({ displayName: 'Include Replies', default: false, advanced: true }),
  include_metrics: field.bool({ displayName: 'Include Metrics', default: true, advanced: true }),
}

type CommentInputs = Values<typeof fields>

/** Reads the comments on a video. */
export const youTubeComments = defineComponent({
  type: 'YouTubeCommentsComponent',
  displayName: 'YouTube Comments',
  description: 'Reads the comments on a YouTube video.',
  icon: 'YouTube',
  category: 'youtube',
  module: 'lfx.components.youtube.comments.YouTubeCommentsComponent',
  inputs: fields,
  outputs: {
    comments: output.dataFrame({
      displayName: 'Comments',
      method: 'get_video_comments',
      run: (inputs, ctx) => readComments(inputs, ctx),
    }),
  },
})

type Row = Record<string, unknown>

async function readComments(inputs: CommentInputs, ctx: ComponentContext): Promise<Row[]> {
  const video = videoId(inputs.video_url)
  const wanted = Math.min(Math.max(0, inputs.max_results), MAX_RESULTS)
  const rows: Row[] = []
  let threads = 0
  let page = ''
  while (threads < wanted) {
    const count = Math.min(PAGE, wanted - threads)
    const body = await readPage(inputs, { video, count, page }, ctx)
    if ('error' in body) return [{ error: body.error }]
    const items = recordsIn(body.items).slice(0, count)
    for (const item of items) append(rows, threadRows(item, video, inputs))
    threads += items.length
    page = textIn(body.nextPageToken)
    if (page === '' || items.length === 0) break
  }
  return rows
}

async function readPage(
  inputs: CommentInputs,
  { video, count, page }: { video: string; count: number; page: string },
  ctx: ComponentContext,
): Promise<Row> {
  const query = new URLSearchParams({
    part: 'snippet,replies',
    videoId: video,
    maxResults: String(count),
    order: inputs.sort_by,
    textFormat: 'plainText',
    ...(page === '' ? {} : { pageToken: page }),
  })
  const answer = await vendorRequest(
    {
      url: `${URL}?${query.toString()}`,
      headers: { 'X-Goog-Api-Key': inputs.api_key },
      secrets: [inputs.api_key],
    },
    ctx,
  )
  if (answer.status === 403) {
    return { error: 'Comments are disabled for this video or API quota exceeded.' }
  }
  if (answer.status === 404) throw new TypeError('Video not found.')
  const { body } = requireSuccess('YouTube', answer)
  return isObject(body) ? { items: body.items, nextPageToken: body.nextPageToken } : {}
}

function threadRows(item: Row, video: string, inputs: CommentInputs): Row[] {
  const thread = isObject(item.snippet) ? item.snippet : {}
  const top = isObject(thread.topLevelComment) ? thread.topLevelComment : {}
  const replies = isObject(item.replies) ? recordsIn(item.replies.comments) : []
  return [
    commentRow(top, { video, parent: null, thread }, inputs),
    ...(inputs.include_replies
      ? replies.map((reply) => commentRow(reply, { video, parent: textIn(top.id), thread }, inputs))
      : []),
  ]
}

function commentRow(
  comment: Row,
  { video, parent, thread }: { video: string; parent: string | null; thread: Row },
  { include_metrics }: CommentInputs,
): Row {
  const snippet = isObject(comment.snippet) ? comment.snippet : {}
  return {
    video_id: video,
    video_url: `https://www.youtube.com/watch?v=${video}`,
    comment_id: textIn(comment.id),
    parent_comment_id: parent,
    is_reply: parent !== null,
    author: textIn(snippet.authorDisplayName),
    author_channel_url: textIn(snippet.authorChannelUrl),
    text: textIn(snippet.textDisplay),
    published_at: textIn(snippet.publishedAt),
    updated_at: textIn(snippet.updatedAt),
    ...(include_metrics
      ? {
          like_count: snippet.likeCount ?? 0,
          reply_count: parent === null ? (thread.totalReplyCount ?? 0) : 0,
        }
      : {}),
  }
}

/** Returns the video id in a watch, youtu.be, embed or shorts URL; other text is the id itself. */
function videoId(text: string): string {
  const given = text.trim()
  const found =
    /(?:youtu\.be\/|\/embed\/|\/shorts\/|[?&]v=)([\w-]{6,20})/.exec(given.slice(0, 2000))?.[1] ??
    given
  return found
}
