import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { documentId } from '../../src/built-in/vectors/document-id.ts'
import { createData, type Data } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch } from '@x/test-kit'

const KEY = 'store-secret-key'

const embedding = {
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length, 1]),
}
const ingest_data = [
  createData({ text: 'one', page: 1, tags: ['a'] }),
  createData({ text: 'three' }),
]
const ids = [
  documentId({ text: 'one', metadata: { page: 1, tags: ['a'] } }),
  documentId({ text: 'three', metadata: {} }),
]

async function build(type: string, inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const component = builtinComponents.find((each) => each.type === type)
  if (component === undefined) throw new RangeError(type)
  const { fetch, requests } = scriptedFetch(...answers)
  const { outputs } = await testComponent(component, {
    inputs: { embedding, ...inputs },
    services: { fetch },
  })
  return { rows: (outputs['search_results'] as Data[]).map(({ data }) => data), outputs, requests }
}

test('MO-31: equal documents get the same version 5 UUID', () => {
  expect(ids[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(ids[0]).toBe(documentId({ text: 'one', metadata: { page: 1, tags: ['a'] } }))
  expect(ids[0]).not.toBe(ids[1])
})

describe('QdrantVectorStoreComponent (MO-31)', () => {
  const base = 'https://qdrant.example/api/collections/docs'
  const server = {
    url: 'https://qdrant.example/',
    prefix: '/api/',
    api_key: KEY,
    collection_name: 'docs',
  }

  test('MO-31 MO-3: creates the collection, ingests once for both outputs and searches', async () => {
    const { rows, outputs, requests } = await build(
      'QdrantVectorStoreComponent',
      { ...server, ingest_data, search_query: 'two', distance_func: 'Dot Product' },
      jsonAnswer({ result: { exists: false } }),
      jsonAnswer({ result: true }),
      jsonAnswer({ result: { status: 'completed' } }),
      jsonAnswer({ result: [{ payload: { page_content: 'one', metadata: { page: 1 } } }] }),
    )
    expect(rows).toEqual([{ page: 1, text: 'one' }])
    expect(outputs['dataframe']).toMatchObject({ rows: [{ page: 1, text: 'one' }] })
    expect(requests).toMatchObject([
      { method: 'GET', url: `${base}/exists`, headers: { 'api-key': KEY } },
      { method: 'PUT', url: base, body: { vectors: { size: 2, distance: 'Dot' } } },
      {
        method: 'PUT',
        url: `${base}/points?wait=true`,
        body: {
          points: [
            {
              id: ids[0],
              vector: [3, 1],
              payload: { page_content: 'one', metadata: { page: 1, tags: ['a'] } },
            },
            { id: ids[1], vector: [5, 1], payload: { page_content: 'three', metadata: {} } },
          ],
        },
      },
      {
        method: 'POST',
        url: `${base}/points/search`,
        body: { vector: [3, 1], limit: 4, with_payload: true },
      },
    ])
  })

  test('MO-31: a host with the default port, no documents and an empty answer give no rows', async () => {
    const { rows, requests } = await build(
      'QdrantVectorStoreComponent',
      { host: 'qdrant.example', collection_name: 'docs', search_query: 'x' },
      jsonAnswer({ result: [] }),
    )
    expect(rows).toEqual([])
    expect(requests[0]?.url).toBe('http://qdrant.example:6333/collections/docs/points/search')
    expect(requests[0]?.headers).not.toHaveProperty('api-key')
  })

  test('MO-31 MO-3: files and a missing model are refused, and an API error does not show the key', async () => {
    const search = { ...server, search_query: 'x' }
    await expect(build('QdrantVectorStoreComponent', { ...search, path: './db' })).rejects.toThrow(
      'Local Qdrant files are not supported; use a server.',
    )
    await expect(
      build('QdrantVectorStoreComponent', { ...search, embedding: null }),
    ).rejects.toThrow('Qdrant needs an embedding model.')
    const failed = build(
      'QdrantVectorStoreComponent',
      search,
      jsonAnswer({ status: { error: `forbidden ${KEY}` } }, { status: 403 }),
    )
    await expect(failed).rejects.toThrow('Qdrant answered 403: forbidden')
    await expect(failed).rejects.not.toThrow(KEY)
    expect((await build('QdrantVectorStoreComponent', server)).requests).toEqual([])
  })
})

describe('Pinecone (MO-32)', () => {
  const index = { index_name: 'docs', namespace: 'n', pinecone_api_key: KEY }
  const described = () => jsonAnswer({ host: 'docs-1.svc.pinecone.io' })

  test('MO-32: finds the host, upserts scalars, searches', async () => {
    const { rows, requests } = await build(
      'Pinecone',
      { ...index, ingest_data, search_query: 'two', number_of_results: 2 },
      described(),
      jsonAnswer({ upsertedCount: 2 }),
      jsonAnswer({ matches: [{ metadata: { text: 'one', page: 1 } }, { metadata: { other: 1 } }] }),
    )
    expect(rows).toEqual([{ page: 1, text: 'one' }])
    const headers = { 'api-key': KEY, 'x-pinecone-api-version': '2025-04' }
    expect(requests).toMatchObject([
      { method: 'GET', url: 'https://api.pinecone.io/indexes/docs', headers },
      {
        method: 'POST',
        url: 'https://docs-1.svc.pinecone.io/vectors/upsert',
        body: {
          namespace: 'n',
          vectors: [
            { id: ids[0], values: [3, 1], metadata: { page: 1, tags: '["a"]', text: 'one' } },
            { id: ids[1], values: [5, 1], metadata: { text: 'three' } },
          ],
        },
      },
      {
        url: 'https://docs-1.svc.pinecone.io/query',
        body: { vector: [3, 1], topK: 2, includeMetadata: true, namespace: 'n' },
      },
    ])
  })

  test('MO-32: an unknown index, a missing key and an API error fail; an empty answer gives no rows', async () => {
    const search = { ...index, search_query: 'x' }
    const absent = jsonAnswer({ error: { message: 'gone' } }, { status: 404 })
    await expect(build('Pinecone', search, absent)).rejects.toThrow(
      "Pinecone index 'docs' not found.",
    )
    await expect(build('Pinecone', { ...search, pinecone_api_key: '' })).rejects.toThrow(
      'Pinecone API key is required',
    )
    const refused = jsonAnswer({ message: `bad ${KEY}` }, { status: 401 })
    const failed = build('Pinecone', search, described(), refused)
    await expect(failed).rejects.toThrow('Pinecone answered 401: bad')
    await expect(failed).rejects.not.toThrow(KEY)
    expect((await build('Pinecone', search, described(), jsonAnswer({}))).rows).toEqual([])
  })

  test('AB-43: an address in the answer that is not a host name is not called', async () => {
    const evil = jsonAnswer({ host: 'x@127.0.0.1:80/?' })
    await expect(build('Pinecone', { ...index, search_query: 'x' }, evil)).rejects.toThrow(
      'has no index host',
    )
  })
})

test.each([
  ['QdrantVectorStoreComponent', { metadata_payload_key: 'k'.repeat(17_000_000) }],
  ['OpenSearchVectorStoreComponent', { vector_field: 'v'.repeat(17_000_000) }],
  ['OpenSearchVectorStoreComponent', { index_name: 'i'.repeat(17_000_000) }],
  [
    'OpenSearchVectorStoreComponent',
    { docs_metadata: [{ key: 'k', value: 'v'.repeat(17_000_000) }] },
  ],
])('AB-29 parts that all documents of %s repeat are bounded', async (type, inputs) => {
  const server = { url: 'https://store.example', opensearch_url: 'https://store.example' }
  const done = Array.from({ length: 3 }, () => jsonAnswer({}))
  const built = build(type, { ...server, ingest_data, ...inputs }, ...done)
  await expect(built).rejects.toThrow('more than 33554432 characters in all documents together')
})
