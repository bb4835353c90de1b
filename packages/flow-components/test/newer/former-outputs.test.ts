import { describe, expect, test } from 'vitest'
import { arXiv, file, url } from '@x/flow-components'
import { memory, structuredOutput } from '@x/flow-engine/components'
import type { Component } from '@x/flow-engine'
import type { Data } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'
import { scriptedFetch, textAnswer } from '@x/test-kit'

const page = () => textAnswer('<p>Ships</p>', 'text/html')
const URLS = ['http://site.test/a', 'http://site.test/b']

async function read(output: string, inputs: object = {}): Promise<unknown> {
  const { fetch } = scriptedFetch(page(), page())
  const given = { urls: URLS, ...inputs }
  return (await testComponent(url, { inputs: given, output, services: { fetch } })).value
}

describe('NX-36: outputs of older nodes', () => {
  test('NX-36: returns pages as records, as one text and as a table', async () => {
    expect((await read('data')) as Data[]).toMatchObject([
      { data: { text: 'Ships', url: URLS[0] } },
      { data: { text: 'Ships', url: URLS[1] } },
    ])
    expect(await read('text', { separator: ' | ' })).toMatchObject({ text: 'Ships | Ships' })
    expect(await read('dataframe')).toMatchObject({ rows: [{ text: 'Ships' }, { text: 'Ships' }] })
    expect(await read('text', { format: 'Raw HTML' })).toMatchObject({
      text: expect.stringContaining('<p>Ships</p>') as string,
    })
  })

  test('NX-36: returns papers and files as records', async () => {
    const feed = '<feed><entry><title>Tides</title></entry></feed>'
    const { fetch } = scriptedFetch(textAnswer(feed, 'application/xml'))
    const inputs = { search_query: 'tides' }
    const papers = await testComponent(arXiv, { inputs, output: 'data', services: { fetch } })
    expect(papers.value).toMatchObject([{ data: { title: 'Tides' } }])

    const services = createMemoryServices({ files: { 'a.txt': 'plain' } })
    const options = { inputs: { path: ['a.txt'] }, output: 'data', services }
    expect((await testComponent(file, options)).value).toMatchObject([{ data: { text: 'plain' } }])
  })

  test('NX-36: new nodes do not have the outputs of older versions', () => {
    const components: readonly Component[] = [url, arXiv, file, memory, structuredOutput]
    for (const { outputs } of components) {
      for (const name of ['data', 'text', 'messages', 'structured_output_dataframe'])
        expect(outputs[name]?.dynamic ?? true).toBe(true)
    }
  })
})
