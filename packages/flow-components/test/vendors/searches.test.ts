import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, type DataFrame } from '@x/flow-engine'
import type { Data } from '@x/flow-engine'
import type { Message } from '@x/flow-engine'
import type { Tool } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const KEY = 'vendor-secret-key'

async function use(
  type: string,
  { output, ...inputs }: Readonly<Record<string, unknown>>,
  ...answers: Parameters<typeof scriptedFetch>
) {
  const component = builtinComponents.find((each) => each.type === type)
  if (component === undefined) throw new RangeError(type)
  const { fetch, requests } = scriptedFetch(...answers)
  const { value } = await testComponent(component, {
    inputs,
    ...(typeof output === 'string' ? { output } : {}),
    services: { fetch },
  })
  return { value, requests }
}

const rowsOf = (value: unknown) => (value as DataFrame).rows
const listOf = (value: unknown) => (value as Data[]).map(({ data }) => data)

/** The error of a vendor that answers with the key in its words. */
async function expectHidden(failed: Promise<unknown>, words: string): Promise<void> {
  await expect(failed).rejects.toThrow(words)
  await expect(failed).rejects.not.toThrow(KEY)
}

describe('WikipediaComponent (MO-40)', () => {
  const found = () => jsonAnswer({ query: { search: [{ title: 'Ada Lovelace' }] } })
  const page = () =>
    jsonAnswer({
      query: {
        pages: {
          '1': {
            title: 'Ada Lovelace',
            fullurl: 'https://de.wikipedia.org/wiki/Ada',
            extract: 'First.\nSecond.',
          },
        },
      },
    })

  test('NX-36: the older outputs give the pages as Data and their texts', async () => {
    const inputs = { input_value: 'Ada', lang: 'de', doc_content_chars_max: 9 }
    const list = await use('WikipediaComponent', { ...inputs, output: 'data' }, found(), page())
    expect(listOf(list.value)).toMatchObject([{ title: 'Ada Lovelace', text: 'First.\nSe' }])
    const text = await use('WikipediaComponent', { ...inputs, output: 'text' }, found(), page())
    expect((text.value as Message).text).toBe('First.\nSe\n')
  })

  test('MO-40: searches in the given language and reads each page', async () => {
    const { value, requests } = await use(
      'WikipediaComponent',
      { input_value: 'Ada', lang: 'de', doc_content_chars_max: 9 },
      found(),
      page(),
    )
    expect(rowsOf(value)).toEqual([
      {
        title: 'Ada Lovelace',
        summary: 'First.',
        source: 'https://de.wikipedia.org/wiki/Ada',
        text: 'First.\nSe',
      },
    ])
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'GET'])
    expect(requests[0]?.url).toContain('https://de.wikipedia.org/w/api.php?action=query')
    expect(requests[0]?.url).toContain('srsearch=Ada&srlimit=4')
    expect(requests[1]?.url).toContain('titles=Ada+Lovelace')
  })

  test('MO-40: an invalid language and an API error fail; nothing found gives no rows', async () => {
    await expect(
      use('WikipediaComponent', { input_value: 'x', lang: 'de.evil.example/' }),
    ).rejects.toThrow('Wikipedia has no language')
    const refused = jsonAnswer({ error: 'slow down' }, { status: 403 })
    await expect(use('WikipediaComponent', { input_value: 'x' }, refused)).rejects.toThrow(
      'Wikipedia answered 403: slow down',
    )
    const { value } = await use(
      'WikipediaComponent',
      { input_value: 'x' },
      jsonAnswer({ query: { search: [] } }),
    )
    expect(rowsOf(value)).toEqual([])
  })
})

describe('DuckDuckGoSearchComponent (MO-41)', () => {
  const html = (body: string, status = 200) =>
    new Response(`<html><body>${body}</body></html>`, {
      status,
      headers: { 'content-type': 'text/html' },
    })
  const hit = (snippet: string) =>
    `<div class="result"><a class="result__a" href="https://x.example">T</a><a class="result__snippet">${snippet}</a></div>`

  test('MO-41: returns a row for each hit, up to max_results', async () => {
    const { value, requests } = await use(
      'DuckDuckGoSearchComponent',
      { input_value: 'cats', max_results: 1, max_snippet_length: 4 },
      html(hit('About cats') + hit('More')),
    )
    expect(rowsOf(value)).toEqual([{ content: 'About cats', snippet: 'Abou', text: 'Abou' }])
    expect(requests[0]?.url).toBe('https://html.duckduckgo.com/html/?q=cats&kl=us-en')
  })

  test('MO-41: nothing found and a failure are returned as rows', async () => {
    const nothing = await use('DuckDuckGoSearchComponent', { input_value: 'x' }, html(''))
    expect(rowsOf(nothing.value)).toMatchObject([
      { text: 'No good DuckDuckGo Search Result was found' },
    ])
    const failed = await use('DuckDuckGoSearchComponent', { input_value: 'x' }, html('', 404))
    expect(rowsOf(failed.value)).toMatchObject([
      { error: expect.stringContaining('404') as string },
    ])
  })
})

describe('FF-83: SearchAPI', () => {
  const hits = () =>
    jsonAnswer({
      organic_results: [
        { title: 'A title', link: 'https://x.example', snippet: 'A snippet' },
        { title: 'Another' },
      ],
    })
  const given = { api_key: KEY, engine: 'google_news', input_value: 'cats', max_results: 1 }

  test('FF-83: the older node gives Data, and a tool whose arguments win over its fields', async () => {
    const old = { ...given, search_params: { hl: 'de' } }
    const list = await use('SearchComponent', { output: 'api_run_model', ...old }, hits())
    expect(listOf(list.value)).toMatchObject([{ title: 'A title', text: 'A snippet' }])
    expect(list.requests[0]?.url).toBe(
      'https://www.searchapi.io/api/v1/search?engine=google_news&q=cats&hl=de',
    )
    const made = await use('SearchComponent', { output: 'api_build_tool', ...given }, hits())
    const [tool] = made.value as Tool[]
    expect(tool?.name).toBe('search_api')
    const { signal } = new AbortController()
    expect(await tool?.call({ query: 'dogs', max_results: 2 }, { signal })).toHaveLength(2)
    expect(made.requests[0]?.url).toContain('engine=google_news&q=dogs')
  })

  test('FF-83: both names are one component', () => {
    const registry = createRegistry(builtinComponents)
    expect(registry.get('SearchAPI')?.type).toBe('SearchComponent')
  })
})

describe('GoogleSerperAPI (MO-42)', () => {
  const answer = () =>
    jsonAnswer({
      organic: [{ title: 'T', link: 'https://x.example', snippet: 'S', position: 1, more: 1 }],
    })
  const row = { title: 'T', link: 'https://x.example', snippet: 'S', position: 1 }

  test('MO-42: sends the request and returns its rows', async () => {
    const { value, requests } = await use(
      'GoogleSerperAPI',
      { output: 'api_run_model', serper_api_key: KEY, query: 'cats', k: 2 },
      answer(),
    )
    expect(listOf(value)).toEqual([row])
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://google.serper.dev/search',
        headers: { 'x-api-key': KEY },
        body: { q: 'cats', num: 2, gl: 'us', hl: 'en' },
      },
    ])
  })

  test('MO-42: works as a tool of an agent', async () => {
    const inputs = { output: 'api_build_tool', serper_api_key: KEY }
    const { value, requests } = await use('GoogleSerperAPI', inputs, answer())
    const [tool] = value as Tool[]
    const { signal } = new AbortController()
    expect(await tool?.call({ query: 'dogs' }, { signal })).toEqual([row])
    expect(requests[0]?.body).toMatchObject({ q: 'dogs' })
  })

  test('MO-42: an API error does not show the key; an empty answer gives no rows', async () => {
    const inputs = { output: 'api_run_model', serper_api_key: KEY, query: 'x' }
    const refused = jsonAnswer({ message: `bad ${KEY}` }, { status: 403 })
    await expectHidden(use('GoogleSerperAPI', inputs, refused), 'Serper answered 403: bad')
    expect(listOf((await use('GoogleSerperAPI', inputs, jsonAnswer({}))).value)).toEqual([])
  })
})

describe('Serp (MO-42)', () => {
  test('MO-42: sends the key in the URL, and no error shows it', async () => {
    const inputs = { output: 'data', serpapi_api_key: KEY, input_value: 'cats' }
    const { value, requests } = await use(
      'Serp',
      inputs,
      jsonAnswer({ organic_results: [{ title: 'T', link: 'l', snippet: 'S' }] }),
    )
    expect(listOf(value)).toEqual([{ title: 'T', link: 'l', snippet: 'S', text: 'S' }])
    expect(requests[0]?.url).toBe(
      `https://serpapi.com/search.json?engine=google&q=cats&api_key=${KEY}`,
    )
    const refused = jsonAnswer({ error: `Invalid ${KEY}` }, { status: 401 })
    await expectHidden(use('Serp', inputs, refused), 'SerpAPI answered 401: Invalid')
    const text = await use('Serp', { ...inputs, output: 'text' }, jsonAnswer({}))
    expect((text.value as Message).text).toBe('')
  })
})

describe('TavilyExtractComponent (MO-42)', () => {
  test('MO-42: returns the pages that were read, then the failed ones', async () => {
    const { value, requests } = await use(
      'TavilyExtractComponent',
      { api_key: KEY, urls: 'https://a.example, https://b.example' },
      jsonAnswer({
        results: [{ url: 'https://a.example', raw_content: 'Hi', images: [] }],
        failed_results: [{ url: 'https://b.example', error: 'gone' }],
      }),
    )
    expect(listOf(value)).toEqual([
      { url: 'https://a.example', raw_content: 'Hi', images: [], text: 'Hi' },
      { url: 'https://b.example', error: 'gone' },
    ])
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.tavily.com/extract',
        headers: { authorization: `Bearer ${KEY}` },
        body: { urls: ['https://a.example', 'https://b.example'], extract_depth: 'basic' },
      },
    ])
  })

  test('MO-42: no URL fails, an API error does not show the key, an empty answer gives no rows', async () => {
    await expect(use('TavilyExtractComponent', { api_key: KEY, urls: ' , ' })).rejects.toThrow(
      'URLs is required',
    )
    const inputs = { api_key: KEY, urls: 'https://a.example' }
    const refused = jsonAnswer({ detail: `no ${KEY}` }, { status: 401 })
    await expectHidden(use('TavilyExtractComponent', inputs, refused), 'Tavily answered 401: no')
    expect(listOf((await use('TavilyExtractComponent', inputs, jsonAnswer({}))).value)).toEqual([])
  })
})

describe('FirecrawlScrapeApi (MO-43)', () => {
  const inputs = { api_key: KEY, url: 'https://a.example' }

  test('MO-43: sends the request and returns its data', async () => {
    const { value, requests } = await use(
      'FirecrawlScrapeApi',
      { ...inputs, scrapeOptions: { formats: ['markdown'], url: 'https://other.example' } },
      jsonAnswer({ success: true, data: { markdown: '# Hi' } }),
    )
    expect((value as Data).data).toEqual({ markdown: '# Hi' })
    expect(requests).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.firecrawl.dev/v1/scrape',
        headers: { authorization: `Bearer ${KEY}` },
        body: { url: 'https://a.example', formats: ['markdown'] },
      },
    ])
  })

  test('MO-43: a vendor failure and an API error fail; an empty answer gives null', async () => {
    const unable = jsonAnswer({ success: false, error: 'blocked' })
    await expect(use('FirecrawlScrapeApi', inputs, unable)).rejects.toThrow('Firecrawl: blocked')
    const refused = jsonAnswer({ error: `no ${KEY}` }, { status: 402 })
    await expectHidden(use('FirecrawlScrapeApi', inputs, refused), 'Firecrawl answered 402: no')
    const { value } = await use('FirecrawlScrapeApi', inputs, jsonAnswer({}))
    expect((value as Data).data).toEqual({ result: null })
  })
})
