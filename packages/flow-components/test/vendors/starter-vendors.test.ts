import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import type { Message } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const KEY = 'vendor-secret-key'
const component = (type: string): Component => {
  const found = builtinComponents.find((each) => each.type === type)
  if (found === undefined) throw new RangeError(type)
  return found
}

/** Time that passes as soon as somebody waits for it. */
function impatient() {
  const runtime = createTestRuntime()
  return {
    ...runtime,
    sleep: async (ms: number, signal?: AbortSignal) => {
      const slept = runtime.sleep(ms, signal)
      // The time limit of a request is waited for, too; only pauses pass.
      if (ms <= 30_000) await runtime.advance(ms)
      return slept
    },
  }
}

async function built(
  type: string,
  inputs: object,
  answers: Parameters<typeof scriptedFetch>,
  { output, ...services }: ComponentServices & { output?: string } = {},
) {
  const { fetch, requests } = scriptedFetch(...answers)
  const { value } = await testComponent(component(type), {
    inputs: { ...inputs },
    services: { fetch, ...services },
    runtime: impatient(),
    ...(output === undefined ? {} : { output }),
  })
  return { value, requests }
}
const dataOf = (value: unknown): object => (value as Data).data
const error = (body: object, status = 400): Response => jsonAnswer(body, { status })

describe('AgentQL (MO-44)', () => {
  const ask = (inputs: object, ...answers: Parameters<typeof scriptedFetch>) =>
    built('AgentQL', { api_key: KEY, url: 'https://shop.example', ...inputs }, answers)

  test('MO-44: sends the request and returns its answer as data', async () => {
    const { value, requests } = await ask(
      { query: '{ a }', wait_for: 2 },
      jsonAnswer({ data: { a: 1 }, metadata: { id: 'x' }, more: 1 }),
    )
    expect(dataOf(value)).toEqual({ result: { a: 1 }, metadata: { id: 'x' } })
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.agentql.com/v1/query-data',
        headers: { 'x-api-key': KEY },
        body: {
          url: 'https://shop.example',
          query: '{ a }',
          prompt: null,
          params: {
            mode: 'fast',
            wait_for: 2,
            is_scroll_to_bottom_enabled: false,
            is_screenshot_enabled: false,
          },
          metadata: { experimental_stealth_mode_enabled: false },
        },
      },
    ])
  })

  test('MO-44: needs either a query or a prompt, passes on vendor errors, accepts an empty answer', async () => {
    await expect(ask({})).rejects.toThrow('Either Query or Prompt must be provided.')
    await expect(ask({ query: 'a', prompt: 'b' })).rejects.toThrow(
      "Both Query and Prompt can't be provided at the same time.",
    )
    await expect(ask({ query: 'a' }, error({}, 401))).rejects.toThrow(
      'Give a valid AgentQL API key.',
    )
    await expect(ask({ query: 'a' }, error({ error_info: `bad ${KEY}` }))).rejects.toThrow(
      /^bad \*+$/,
    )
    const { value } = await ask({ prompt: 'b' }, jsonAnswer({}))
    expect(dataOf(value)).toEqual({ result: null, metadata: null })
  })

  test('MO-1: 429 and 5xx are retried twice; a redirect is not followed', async () => {
    const busy = (): Response => new Response('', { status: 429, headers: { 'retry-after': '1' } })
    const { requests } = await ask({ query: 'a' }, busy(), busy(), jsonAnswer({ data: {} }))
    expect(requests).toHaveLength(3)
    await expect(ask({ query: 'a' }, busy(), busy(), busy(), jsonAnswer({}))).rejects.toThrow()
    const away = new Response('', { status: 302, headers: { location: 'http://127.0.0.1/' } })
    await expect(ask({ query: 'a' }, away)).rejects.toThrow()
  })
})

describe('ScrapeGraphSearchApi (MO-46)', () => {
  const ask = (...answers: Parameters<typeof scriptedFetch>) =>
    built('ScrapeGraphSearchApi', { api_key: KEY, user_prompt: 'cats' }, answers)

  test('MO-46: sends the request and handles an answer, an error and an empty answer', async () => {
    const { value, requests } = await ask(jsonAnswer({ result: { n: 1 }, status: 'done' }))
    expect(dataOf(value)).toEqual({ result: { n: 1 }, status: 'done' })
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.scrapegraphai.com/v1/searchscraper',
        headers: { 'sgai-apikey': KEY },
        body: { user_prompt: 'cats' },
      },
    ])
    await expect(ask(error({ message: 'no credits' }, 402))).rejects.toThrow(
      'ScrapeGraph answered 402: no credits',
    )
    expect(dataOf((await ask(jsonAnswer({}))).value)).toEqual({})
  })
})

describe('needle (MO-47)', () => {
  const ask = (inputs: object, ...answers: Parameters<typeof scriptedFetch>) =>
    built('needle', { needle_api_key: KEY, collection_id: 'c/1', query: 'q', ...inputs }, answers)

  test('MO-47: sends the request and returns the context', async () => {
    const { value, requests } = await ask(
      { top_k: 30 },
      jsonAnswer({ result: [{ content: 'one' }, { content: 'two' }] }),
    )
    expect((value as Message).text).toBe(
      'Question: q\n\nContext:\nDocument 1:\none\n\nDocument 2:\ntwo',
    )
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://search.needle.xyz/api/v1/collections/c%2F1/search',
        headers: { 'x-api-key': KEY },
        body: { text: 'q', top_k: 30 },
      },
    ])
  })

  test('MO-47: handles no results, a missing key and API errors', async () => {
    const { value, requests } = await ask({ top_k: 3 }, jsonAnswer({ result: [] }))
    expect((value as Message).text).toBe('No relevant documents found for the query.')
    expect(requests[0]?.body).toMatchObject({ top_k: 20 })
    await expect(ask({ needle_api_key: ' ' })).rejects.toThrow(
      'The Needle API key cannot be empty.',
    )
    await expect(ask({}, error({ message: 'x' }, 403))).rejects.toThrow(
      'Error processing query: Needle answered 403: x',
    )
  })
})

describe('YouTubeCommentsComponent (MO-49)', () => {
  const ask = (inputs: object, ...answers: Parameters<typeof scriptedFetch>) =>
    built('YouTubeCommentsComponent', { api_key: KEY, video_url: 'abc123', ...inputs }, answers)
  const comment = (id: string): object => ({
    id,
    snippet: { textDisplay: `text ${id}`, authorDisplayName: 'Ann', likeCount: 3 },
  })
  const thread = (id: string, ...replies: string[]): object => ({
    snippet: { topLevelComment: comment(id), totalReplyCount: replies.length },
    replies: { comments: replies.map(comment) },
  })

  test('MO-49: reads pages until there are enough comments; replies follow their thread', async () => {
    const { value, requests } = await ask(
      { max_results: 2, include_replies: true, video_url: 'https://youtu.be/abc123?t=1' },
      jsonAnswer({ items: [thread('1', '1a')], nextPageToken: 'p2' }),
      jsonAnswer({ items: [thread('2')] }),
    )
    const { rows } = value as DataFrame
    expect(rows.map((row) => [row.comment_id, row.parent_comment_id, row.is_reply])).toEqual([
      ['1', null, false],
      ['1a', '1', true],
      ['2', null, false],
    ])
    expect(rows[0]).toMatchObject({
      video_id: 'abc123',
      author: 'Ann',
      text: 'text 1',
      like_count: 3,
      reply_count: 1,
    })
    expect(requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual([KEY, KEY])
    expect(requests[0]?.url).not.toContain(KEY)
    expect(new URL(requests[1]?.url ?? '').searchParams.get('pageToken')).toBe('p2')
    expect(new URL(requests[0]?.url ?? '').searchParams.get('videoId')).toBe('abc123')
  })

  test('MO-49: disabled comments give an error row, an unknown video fails, no comments give no rows', async () => {
    expect(((await ask({}, error({}, 403))).value as DataFrame).rows).toEqual([
      { error: 'Comments are disabled for this video or API quota exceeded.' },
    ])
    await expect(ask({}, error({}, 404))).rejects.toThrow('Video not found.')
    expect(((await ask({}, jsonAnswer({ items: [] }))).value as DataFrame).rows).toEqual([])
  })
})

describe('ApifyActors (MO-48)', () => {
  const inputs = { apify_token: KEY, actor_id: 'apify/crawler', run_input: '{"a":1}' }
  const started = (): Response => jsonAnswer({ data: { id: 'r1' } })
  const ended = (status: string): Response =>
    jsonAnswer({ data: { id: 'r1', status, defaultDatasetId: 'd1' } })

  test('MO-48: runs the actor, waits and reads the items; selected fields can be nested', async () => {
    const given = { ...inputs, dataset_fields: 'title, meta.lang' }
    const { value, requests } = await built(
      'ApifyActors',
      given,
      [
        started(),
        ended('RUNNING'),
        ended('SUCCEEDED'),
        jsonAnswer([{ title: 't', meta: { lang: 'en' } }]),
      ],
      { output: 'output' },
    )
    expect((value as Data[]).map(({ data }) => data)).toEqual([{ title: 't', meta_lang: 'en' }])
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.apify.com/v2/acts/apify~crawler/runs',
      'GET https://api.apify.com/v2/actor-runs/r1?waitForFinish=60',
      'GET https://api.apify.com/v2/actor-runs/r1?waitForFinish=60',
      'GET https://api.apify.com/v2/datasets/d1/items?clean=true&limit=1000',
    ])
    expect(requests[0]).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      body: { a: 1 },
    })
  })

  test('MO-48: a failed run and invalid input fail; no items give an empty list', async () => {
    const run = (given: object, ...answers: Response[]) =>
      built('ApifyActors', { ...inputs, ...given }, answers, { output: 'output' })
    await expect(run({}, started(), ended('FAILED'))).rejects.toThrow('Actor run ended FAILED')
    await expect(run({ run_input: '{' })).rejects.toThrow(/^Run Input is not JSON: /)
    expect((await run({}, started(), ended('SUCCEEDED'), jsonAnswer([]))).value).toEqual([])
  })

  test('MO-48: works as a tool', async () => {
    const answers = [
      jsonAnswer({ data: { description: 'Crawls.', taggedBuilds: { latest: { buildId: 'b1' } } } }),
      jsonAnswer({ data: { inputSchema: '{"type":"object"}' } }),
      started(),
      ended('SUCCEEDED'),
      jsonAnswer([{ n: 1 }, { n: 2 }]),
    ]
    const { value } = await built('ApifyActors', inputs, answers, { output: 'tool' })
    const [tool] = value as Tool[]
    expect(tool).toMatchObject({ name: 'apify_actor_apify_crawler' })
    expect(tool?.description).toContain('{"type":"object"}')
    const { signal } = new AbortController()
    expect(await tool?.call({ run_input: '{}' }, { signal })).toBe('{"n":1}\n\n{"n":2}')
  })
})

describe('AssemblyAI (MO-45)', () => {
  const file = { path: 'f/a.mp3', name: 'a.mp3', read: async () => new Uint8Array([1, 2]) }
  const start = async (inputs: object, ...answers: Parameters<typeof scriptedFetch>) => {
    const { value, requests } = await built(
      'AssemblyAITranscriptionJobCreator',
      { api_key: KEY, ...inputs },
      answers,
    )
    return { data: dataOf(value), requests }
  }

  test('MO-45: a file is uploaded, then transcribed', async () => {
    const { data, requests } = await start(
      { audio_file: [file], audio_file_url: 'https://x.example/b.mp3', speakers_expected: '2' },
      jsonAnswer({ upload_url: 'https://cdn.example/u' }),
      jsonAnswer({ id: 't1' }),
    )
    expect(data).toEqual({ transcript_id: 't1' })
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.assemblyai.com/v2/upload',
      'POST https://api.assemblyai.com/v2/transcript',
    ])
    expect(requests[0]?.headers.authorization).toBe(KEY)
    expect(requests[1]?.body).toMatchObject({
      audio_url: 'https://cdn.example/u',
      speech_model: 'best',
      speakers_expected: 2,
      punctuate: true,
    })
  })

  test('MO-45: errors at the start are returned as data', async () => {
    expect((await start({})).data).toEqual({
      error: 'Error: Either an audio file or an audio URL must be specified',
    })
    expect((await start({ audio_file_url: 'u', speakers_expected: 'x' })).data).toEqual({
      error: 'Error: Expected Number of Speakers must be a valid integer',
    })
    const vendor = error({ error: `no ${KEY}` }, 401)
    expect((await start({ audio_file_url: 'u' }, vendor)).data).toEqual({
      error: 'An error occurred: AssemblyAI answered 401: no *****',
    })
    const files = { read: async () => null, write: async () => '', list: async () => [] }
    const { value } = await built(
      'AssemblyAITranscriptionJobCreator',
      { api_key: KEY, audio_file: ['gone.mp3'] },
      [],
      { files },
    )
    expect(dataOf(value)).toEqual({ error: 'Error: Audio file not found' })
  })

  test('MO-45: polls until the job is completed; errors are passed through', async () => {
    const poll = async (job: object, ...answers: Response[]) => {
      const inputs = { api_key: KEY, transcript_id: createData({ ...job }), polling_interval: 1 }
      const { value, requests } = await built('AssemblyAITranscriptionJobPoller', inputs, answers)
      return { data: dataOf(value), requests }
    }
    const { data, requests } = await poll(
      { transcript_id: 't1' },
      jsonAnswer({ status: 'processing' }),
      jsonAnswer({ status: 'completed', words: [], id: 't1', text: 'hi', utterances: null }),
    )
    expect(Object.keys(data).slice(0, 3)).toEqual(['text', 'utterances', 'id'])
    expect(requests.map(({ url }) => url)).toEqual([
      'https://api.assemblyai.com/v2/transcript/t1',
      'https://api.assemblyai.com/v2/transcript/t1',
    ])
    expect((await poll({ error: 'before' })).data).toEqual({ error: 'before' })
    const failed = jsonAnswer({ status: 'error', error: 'bad audio' })
    expect((await poll({ transcript_id: 't1' }, failed)).data).toEqual({ error: 'bad audio' })
  })

  test('MO-45: the transcriber starts and polls a job, and fails when the job fails', async () => {
    const transcribe = async (inputs: object, ...answers: Response[]) =>
      (await built('AssemblyAITranscriber', { api_key: KEY, ...inputs }, answers)).value as Message
    const queued = (): Response => jsonAnswer({ id: 't1', status: 'queued' })
    const done = jsonAnswer({ status: 'completed', text: 'said' })
    expect((await transcribe({}, queued(), queued(), done)).text).toBe('said')
    const failed = jsonAnswer({ status: 'error', error: 'x' })
    await expect(transcribe({}, queued(), failed)).rejects.toThrow(
      'AssemblyAI transcription error: x',
    )
    await expect(transcribe({ poll_timeout: 1 }, queued(), queued())).rejects.toThrow(
      'Transcription timed out after 1s (last status: queued).',
    )
    await expect(
      transcribe({ poll_timeout: 1e9 }, ...Array.from({ length: 1202 }, queued)),
    ).rejects.toThrow('Transcription timed out after 3600s (last status: queued).')
  })
})

describe('ParseData (MO-50)', () => {
  const parse = async (inputs: object) =>
    (await testComponent(component('ParseData'), { inputs: { ...inputs } })).outputs

  test('MO-50: fills the template once for each Data; unknown keys are empty', async () => {
    const data = [createData({ text: 'a', n: 1 }), createData({ n: 2 })]
    const { text, data_list } = await parse({ data, template: '{n}:{text}', sep: '|' })
    expect((text as Message).text).toBe('1:a|2:')
    expect((data_list as Data[]).map((each) => each.data)).toEqual([
      { text: '1:a', n: 1 },
      { n: 2, text: '2:' },
    ])
    const whole = await parse({ data: [createData({ a: 1 })], template: '{data}' })
    expect((whole.text as Message).text).toBe("{'a': 1}")
    expect(((await parse({ data: [] })).text as Message).text).toBe('')
  })
})
