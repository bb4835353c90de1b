import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { tavilySearch } from '@x/flow-components'
import type { DataFrame } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch, textAnswer } from '@x/test-kit'

const hit = { title: 'A', url: 'http://a', content: 'ca', score: 0.9, raw_content: 'RAW' }
const found = { answer: 'Yes.', images: ['http://i'], results: [hit] }

async function search(inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const network = scriptedFetch(...answers)
  const options = {
    inputs: { api_key: 'k', query: 'cats', ...inputs },
    services: { fetch: network.fetch },
  }
  const { value } = await testComponent(tavilySearch, options)
  return { rows: (value as DataFrame).rows, requests: network.requests }
}

describe('TavilySearchComponent (CO-50)', () => {
  test('answer, hits and images are rows in this order', async () => {
    const { rows } = await search({}, jsonAnswer(found))
    const { raw_content: _raw, ...plain } = hit
    expect(rows).toEqual([
      { text: 'Yes.' },
      { ...plain, text: 'ca' },
      { images: ['http://i'], text: 'Images found' },
    ])
  })

  test('rows contain only the requested parts', async () => {
    const off = { include_answer: false, include_images: false, include_raw_content: true }
    const { rows } = await search(off, jsonAnswer(found))
    expect(rows).toEqual([{ ...hit, text: 'ca' }])
  })

  test('domains are split, chunks are sent only with advanced searches', async () => {
    const domains = { include_domains: ' a.com, ,b.org ', exclude_domains: 'c.net' }
    const { requests } = await search({ ...domains, search_depth: 'basic' }, jsonAnswer({}))
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://api.tavily.com/search',
      body: { include_domains: ['a.com', 'b.org'], exclude_domains: ['c.net'], time_range: null },
    })
    expect(requests[0]?.body).not.toHaveProperty('chunks_per_source')
  })

  test.each([
    ['an error status', textAnswer('no', 'text/plain', 429), 'HTTP error occurred: 429 - no'],
    ['a lost connection', new Error('reset'), 'Request error occurred: reset'],
    [
      'no JSON',
      textAnswer('<p>', 'text/html'),
      'Invalid response format: the response is not JSON',
    ],
  ])('%s is reported in one row', async (_name, answer, text) => {
    const { rows } = await search({}, answer)
    expect(rows).toEqual([{ error: text, text }])
  })

  test('the search is aborted after 90 seconds', async () => {
    const runtime = createTestRuntime()
    const never: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
        void runtime.advance(90_000)
      })
    const { value } = await testComponent(tavilySearch, {
      inputs: { api_key: 'k', query: 'cats' },
      services: { fetch: never },
      runtime,
    })
    const text = 'Request timed out (90s). Please try again or adjust parameters.'
    expect((value as DataFrame).rows).toEqual([{ error: text, text }])
  })
})
