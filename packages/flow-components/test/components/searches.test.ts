import { describe, expect, test } from 'vitest'
import { arXiv, searchApi, sql, unifiedWebSearch, yahooFinance } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import type { ComponentServices } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch, textAnswer } from '@x/test-kit'

async function rowsOf(component: Component, inputs: object, services: ComponentServices) {
  const { value } = await testComponent(component, { inputs: { ...inputs }, services })
  return (value as DataFrame).rows
}
async function fetched(
  component: Component,
  inputs: object,
  ...answers: Parameters<typeof scriptedFetch>
) {
  const { fetch, requests } = scriptedFetch(...answers)
  return { rows: await rowsOf(component, inputs, { fetch }), requests }
}

describe('ArXivComponent (CO-70)', () => {
  const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
    <entry><id>http://arxiv.org/abs/1</id><title> Two
      lines </title><author><name>Ann</name></author><link rel="related" href="p"/>
      <arxiv:primary_category term="cs.AI"/><category term="cs.AI"/><category term="cs.CL"/></entry></feed>`

  test('papers become rows, with null for missing values', async () => {
    const { rows, requests } = await fetched(
      arXiv,
      { search_query: 'a b', search_type: 'author', max_results: 3 },
      textAnswer(feed, 'application/atom+xml'),
    )
    expect(requests[0]?.url).toBe(
      'http://export.arxiv.org/api/query?search_query=au%3Aa%20b&max_results=3',
    )
    expect(rows).toMatchObject([
      {
        id: 'http://arxiv.org/abs/1',
        authors: ['Ann'],
        pdf_url: 'p',
        arxiv_url: null,
        summary: null,
        primary_category: 'cs.AI',
        categories: ['cs.AI', 'cs.CL'],
      },
    ])
  })

  test.each([
    ['all', 'x'],
    ['title', 'ti%3Ax'],
    ['abstract', 'abs%3Ax'],
    ['author', 'au%3Ax'],
    ['cat', 'cat%3Ax'],
  ])('CO-70: a search in %s', async (search_type, query) => {
    const answer = textAnswer(feed, 'application/atom+xml')
    const { requests } = await fetched(arXiv, { search_query: 'x', search_type }, answer)
    expect(requests[0]?.url).toContain(`?search_query=${query}&max_results=10`)
  })

  test('CO-70: a paper fills every column', async () => {
    const whole = `<feed xmlns:arxiv="a"><entry><id>i</id><title>t</title><summary> s </summary>
      <published>p</published><updated>u</updated><arxiv:comment>c</arxiv:comment>
      <arxiv:journal_ref>j</arxiv:journal_ref><link rel="alternate" href="page"/>
      <link rel="related" href="pdf"/></entry></feed>`
    const answer = textAnswer(whole, 'application/atom+xml')
    const { rows } = await fetched(arXiv, { search_query: 'x' }, answer)
    expect(rows).toEqual([
      {
        id: 'i',
        title: 't',
        summary: 's',
        published: 'p',
        updated: 'u',
        authors: [],
        arxiv_url: 'page',
        pdf_url: 'pdf',
        comment: 'c',
        journal_ref: 'j',
        primary_category: null,
        categories: [],
      },
    ])
  })

  test.each([
    ['an error status', textAnswer('x', 'text/plain', 503), /^Request error: HTTP Error 503/],
    ['a lost connection', new Error('reset'), /^Request error: reset$/],
    [
      'a response that is not a feed',
      textAnswer('<a>', 'text/html'),
      /^Request error: the response is not a feed$/,
    ],
  ])('%s is reported in one row', async (_name, answer, text) => {
    const { rows } = await fetched(arXiv, { search_query: 'x' }, answer)
    expect(rows).toEqual([{ error: expect.stringMatching(text) as string }])
  })
})

describe('SearchComponent (CO-71)', () => {
  test('title and snippet are truncated, the whole snippet is the text', async () => {
    const { rows, requests } = await fetched(
      searchApi,
      {
        api_key: 'k',
        input_value: 'cats',
        search_params: { gl: 'us' },
        max_results: 1,
        max_snippet_length: 3,
      },
      jsonAnswer({ organic_results: [{ title: 'Title', link: 'l', snippet: 'snippet' }, {}] }),
    )
    expect(rows).toEqual([{ title: 'Tit', link: 'l', snippet: 'sni', text: 'snippet' }])
    expect(requests[0]).toMatchObject({
      url: 'https://www.searchapi.io/api/v1/search?engine=google&q=cats&gl=us',
      headers: { authorization: 'Bearer k' },
    })
  })

  test('an error status fails the component', async () => {
    const failing = fetched(searchApi, { api_key: 'k' }, jsonAnswer({}, { status: 401 }))
    await expect(failing).rejects.toThrow(/^401 /)
  })
})

describe('YfinanceComponent (CO-72)', () => {
  const articles = [
    { title: 'One', link: 'l1', id: 1 },
    { title: 'Two', link: 'l2', id: 2 },
  ]
  const finance = { get: () => Promise.resolve(articles) }

  test('news are rows with title and link as text', async () => {
    const inputs = { symbol: 'AAPL', method: 'get_news', num_news: 1 }
    expect(await rowsOf(yahooFinance, inputs, { finance })).toEqual([
      { ...articles[0], text: 'One: l1' },
    ])
  })

  test('every other method returns one printed result', async () => {
    const source = { get: () => Promise.resolve({ price: 1 }) }
    const rows = await rowsOf(yahooFinance, { method: 'get_info' }, { finance: source })
    expect(rows).toEqual([{ text: '{\n "price": 1\n}', result: '{\n "price": 1\n}' }])
  })

  test('unknown methods, a missing and a failing source are reported', async () => {
    const failing = { get: () => Promise.reject(new Error('closed')) }
    await expect(rowsOf(yahooFinance, {}, {})).rejects.toThrow('needs a finance source')
    await expect(rowsOf(yahooFinance, { method: 'constructor' }, { finance })).rejects.toThrow(
      'unknown data method "constructor". Known: get_info,',
    )
    await expect(rowsOf(yahooFinance, {}, { finance: failing })).rejects.toThrow(
      'Error retrieving data: closed',
    )
  })
})

describe('SQLComponent (CO-77)', () => {
  const inputs = { database_url: 'sqlite:///a.db', query: 'select 1' }

  test('returns the rows and leaves no connection open', async () => {
    let open = 0
    const connect = () => {
      open += 1
      return Promise.resolve({
        query: () => Promise.resolve({ columns: ['b', 'a'], rows: [{ a: 1, b: null }] }),
        close: () => Promise.resolve(void (open -= 1)),
      })
    }
    const { value } = await testComponent(sql, { inputs, services: { sql: { connect } } })
    expect(value).toMatchObject({ columns: ['b', 'a'], rows: [{ a: 1, b: null }] })
    expect(open).toBe(0)
  })

  test('a failing query also closes its connection', async () => {
    let closed = false
    const connection = {
      query: () => Promise.reject(new Error('near "selekt"')),
      close: () => Promise.resolve(void (closed = true)),
    }
    const services = { sql: { connect: () => Promise.resolve(connection) } }
    await expect(rowsOf(sql, inputs, services)).rejects.toThrow(
      'An error occurred while running the SQL Query: near "selekt"',
    )
    expect(closed).toBe(true)
  })

  test('missing database support and failing connections give clear errors', async () => {
    const services = { sql: { connect: () => Promise.reject(new Error('no such host')) } }
    await expect(rowsOf(sql, inputs, services)).rejects.toThrow(
      'An error occurred while connecting to the database: no such host',
    )
    await expect(rowsOf(sql, inputs, {})).rejects.toThrow('has no databases')
  })
})

describe('UnifiedWebSearch (CO-78)', () => {
  const page = `<div class="result"><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fhost.example%2Fp%3Fa%3D1">First <b>hit</b></a>
    <a class="result__snippet">about <b>it</b></a></div>
    <div class="result"><a class="result__a" href="other.example/q">Second</a></div><div class="result"></div>`
  const html = (body: string): Response => textAnswer(body, 'text/html; charset=utf-8')

  test('web: returns hits with the text of their pages; failing pages are reported in their row', async () => {
    const { rows, requests } = await fetched(
      unifiedWebSearch,
      { query: `"<cats>'` },
      html(page),
      ({ url }) => html(url.includes('/p') ? '<p>one</p><script>no</script>' : ''),
      new Error('reset'),
    )
    expect(requests.map(({ url }) => url)).toEqual([
      'https://html.duckduckgo.com/html/?q=cats&kl=us-en',
      'https://host.example/p?a=1',
      'https://other.example/q',
    ])
    expect(rows).toEqual([
      { title: 'Firsthit', link: 'https://host.example/p?a=1', snippet: 'aboutit', content: 'one' },
      {
        title: 'Second',
        link: 'https://other.example/q',
        snippet: '',
        content: '(Failed to fetch: reset',
      },
    ])
  })

  test('web: an empty search fails, a failing search is one row', async () => {
    await expect(fetched(unifiedWebSearch, { query: ' <>' })).rejects.toThrow('Empty search query')
    const { rows } = await fetched(unifiedWebSearch, { query: 'x' }, textAnswer('', 'x/y', 500))
    expect(rows).toMatchObject([{ title: 'Error', snippet: expect.stringContaining('500') }])
  })

  test('news: topic takes precedence over place, place over query', async () => {
    const address = async (inputs: object): Promise<unknown> =>
      (await fetched(unifiedWebSearch, { search_mode: 'News', ...inputs }, new Error('x')))
        .requests[0]?.url
    const edition = 'hl=en-US&gl=US&ceid=US%3Aen'
    const place = { query: 'q', location: 'New York' }
    expect(await address({ ...place, topic: 'world' })).toBe(
      `https://news.google.com/rss/headlines/section/topic/WORLD?${edition}`,
    )
    expect(await address(place)).toBe(
      `https://news.google.com/rss/headlines/section/geo/New+York?${edition}`,
    )
    expect(await address({ query: 'a b', hl: 'de-DE', gl: 'DE' })).toBe(
      'https://news.google.com/rss/search?q=a+b&hl=de-DE&gl=DE&ceid=DE%3Ade',
    )
  })

  test('news: an empty search and no hits are reported as rows', async () => {
    const none = await fetched(unifiedWebSearch, { search_mode: 'News' })
    expect(none.rows).toMatchObject([
      { title: 'Error', summary: 'No search query, topic, or location provided.' },
    ])
    const inputs = { search_mode: 'News', query: 'x' }
    const empty = await fetched(unifiedWebSearch, inputs, html('<rss></rss>'))
    expect(empty.rows).toMatchObject([{ title: 'No articles found' }])
  })

  test('CO-78: news are rows with title, link, time and a summary without tags', async () => {
    const item =
      '<item><title>T</title><link>l</link><pubDate>p</pubDate><description>&lt;a href="x"&gt;s&lt;/a&gt; &lt;b&gt;t&lt;/b&gt;</description></item>'
    const feed = html(`<rss><channel>${item}</channel></rss>`)
    const { rows } = await fetched(unifiedWebSearch, { search_mode: 'News', query: 'x' }, feed)
    expect(rows).toMatchObject([{ title: 'T', link: 'l', published: 'p' }])
    expect(rows[0]?.summary).toMatch(/^s +t$/)
  })

  test('rss: failures are rows, an empty feed keeps its columns', async () => {
    const read = async (...answers: Parameters<typeof scriptedFetch>) =>
      (
        await fetched(
          unifiedWebSearch,
          { search_mode: 'RSS', query: 'http://f.example' },
          ...answers,
        )
      ).rows
    expect(await read(html(' '))).toMatchObject([{ summary: 'Empty response received' }])
    expect(await read(html('<p>no feed</p>'))).toEqual([])
    const noAddress = await fetched(unifiedWebSearch, { search_mode: 'RSS', query: 'not a url' })
    expect(noAddress.rows).toMatchObject([{ title: 'Error' }])
    const { fetch } = scriptedFetch(html('<rss><channel/></rss>'))
    const { value } = await testComponent(unifiedWebSearch, {
      inputs: { search_mode: 'RSS', query: 'http://f.example' },
      services: { fetch },
    })
    expect(value).toMatchObject({ columns: ['title', 'link', 'published', 'summary'], rows: [] })
  })
})
