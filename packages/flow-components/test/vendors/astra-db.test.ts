import { describe, expect, test } from 'vitest'
import { astraDb } from '@x/flow-components'
import { createData, type Data } from '@x/flow-engine'
import type { Embedder } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch, type SentRequest } from '@x/test-kit'

const TOKEN = 'AstraCS:secret'
const embedder: Embedder = { embed: async (texts) => texts.map((text) => [text.length, 1]) }
const collection = (options: object = {}): Response =>
  jsonAnswer({ status: { collections: [{ name: 'c', options: { vector: {}, ...options } }] } })
const vectorizing = (): Response => collection({ vector: { service: { provider: 'nvidia' } } })
const noDocument = (): Response => jsonAnswer({ data: { document: null } })
const found = (...documents: object[]): Response => jsonAnswer({ data: { documents } })
const written = (): Response => jsonAnswer({ status: { insertedIds: [] } })

async function run(inputs: object, ...answers: Parameters<typeof scriptedFetch>) {
  const { fetch, requests } = scriptedFetch(...answers)
  const { outputs } = await testComponent(astraDb, {
    inputs: {
      token: TOKEN,
      api_endpoint: 'https://db.example/',
      collection_name: 'c',
      embedding_model: embedder,
      ...inputs,
    },
    output: ['search_results', 'dataframe'],
    services: { fetch },
  })
  return { rows: (outputs.search_results as Data[]).map(({ data }) => data), requests }
}
const bodies = (requests: readonly SentRequest[]): unknown[] => requests.map(({ body }) => body)

describe('AstraDB (MO-30)', () => {
  test('MO-30: detects the collection and text field, then ingests and searches once for both outputs', async () => {
    const { rows, requests } = await run(
      {
        ingest_data: [createData({ text: 'one', page: 1 }), createData({ text: 'one', page: 1 })],
        search_query: 'what',
        number_of_results: 2,
        keyspace: 'k',
      },
      collection(),
      jsonAnswer({ data: { document: { page_content: 'x' } } }),
      written(),
      found({ _id: '1', page_content: 'one', metadata: { page: 1 }, $similarity: 0.9 }),
    )
    expect(rows).toEqual([{ text: 'one', page: 1 }])
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://db.example/api/json/v1/k',
      'POST https://db.example/api/json/v1/k/c',
      'POST https://db.example/api/json/v1/k/c',
      'POST https://db.example/api/json/v1/k/c',
    ])
    expect(requests.map(({ headers }) => headers.token)).toEqual(Array(4).fill(TOKEN))
    expect(bodies(requests)).toEqual([
      { findCollections: { options: { explain: true } } },
      { findOne: { projection: { '*': 1, $vector: 0 } } },
      {
        insertMany: {
          documents: [
            {
              _id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
              page_content: 'one',
              metadata: { page: 1 },
              $vector: [3, 1],
            },
          ],
          options: { ordered: false },
        },
      },
      {
        find: {
          sort: { $vector: [4, 1] },
          projection: { '*': 1, $vector: 0 },
          options: { limit: 2, includeSimilarity: true },
        },
      },
    ])
  })

  test('MO-30: a collection that embeds texts itself needs no embedding model', async () => {
    const inputs = { embedding_model: '', ingest_data: [createData({ text: 'a' })] }
    const { rows, requests } = await run(
      { ...inputs, search_query: 'q' },
      vectorizing(),
      noDocument(),
      written(),
      found({ $vectorize: 'a', metadata: {} }),
    )
    expect(rows).toEqual([{ text: 'a' }])
    expect(requests[2]?.body).toMatchObject({ insertMany: { documents: [{ $vectorize: 'a' }] } })
    expect(requests[3]?.body).toMatchObject({ find: { sort: { $vectorize: 'q' } } })
    await expect(run({}, vectorizing(), noDocument())).rejects.toThrow(
      'This collection embeds texts itself; remove the embedding model.',
    )
    await expect(run({ embedding_model: '' }, collection(), noDocument())).rejects.toThrow(
      'Astra DB needs an embedding model.',
    )
  })

  test('MO-30: existing documents are replaced; old ones are deleted first', async () => {
    const known = jsonAnswer({ errors: [{ message: 'x', errorCode: 'DOCUMENT_ALREADY_EXISTS' }] })
    const { requests } = await run(
      {
        ingest_data: [createData({ text: 'a', source: 's' })],
        deletion_field: 'source',
        autodetect_collection: false,
      },
      collection(),
      jsonAnswer({ status: { moreData: true } }),
      jsonAnswer({ status: { deletedCount: 1 } }),
      known,
      written(),
    )
    expect(requests[1]?.body).toEqual({
      deleteMany: { filter: { 'metadata.source': { $in: ['s'] } } },
    })
    expect(requests).toHaveLength(5)
    expect(requests[4]?.body).toMatchObject({
      findOneAndReplace: { replacement: { content: 'a' }, options: { upsert: true } },
    })
  })

  test('MO-30: uses hybrid search when the collection supports it', async () => {
    const able = collection({ lexical: { enabled: true }, rerank: { enabled: true } })
    const inputs = { search_query: 'q', search_method: 'Hybrid Search', lexical_terms: 'k w' }
    const { requests } = await run(
      { ...inputs, number_of_results: 30 },
      able,
      noDocument(),
      found(),
    )
    expect(requests[2]?.body).toEqual({
      findAndRerank: {
        sort: { $hybrid: { $vector: [1, 1], $lexical: 'k w' } },
        options: { limit: 30, hybridLimits: 100, rerankQuery: 'q', rerankOn: 'content' },
      },
    })
    const plain = await run(inputs, collection(), noDocument(), found())
    expect(plain.requests[2]?.body).toHaveProperty('find')
  })

  test('MO-30: applies filters, score thresholds and MMR', async () => {
    const filter = { advanced_search_filter: { lang: 'en', $or: [], 'metadata.x': 1 } }
    const only = await run(filter, collection(), noDocument(), found({ content: 'a' }))
    expect(only.requests[2]?.body).toEqual({
      find: {
        filter: { 'metadata.lang': 'en', $or: [], 'metadata.x': 1 },
        projection: { '*': 1, $vector: 0 },
        options: { limit: 4 },
      },
    })
    const scored = await run(
      {
        search_query: 'q',
        search_type: 'Similarity with score threshold',
        search_score_threshold: 0.5,
      },
      collection(),
      noDocument(),
      found({ content: 'a', $similarity: 0.6 }, { content: 'b', $similarity: 0.4 }),
    )
    expect(scored.rows).toEqual([{ text: 'a' }])
    const varied = await run(
      { search_query: 'q', search_type: 'MMR (Max Marginal Relevance)', number_of_results: 2 },
      collection(),
      noDocument(),
      found(
        { content: 'a', $vector: [1, 0.8] },
        { content: 'b', $vector: [1, 0.8] },
        { content: 'c', $vector: [0.8, 1] },
      ),
    )
    expect(varied.requests[2]?.body).toMatchObject({ find: { options: { limit: 20 } } })
    expect(varied.rows.map(({ text }) => text)).toEqual(['a', 'c'])
  })

  test('MO-30: finds the database by name; errors name what is missing', async () => {
    const list = jsonAnswer([
      { id: 'i', status: 'TERMINATED', info: { name: 'db', region: 'r' } },
      { id: 'j', status: 'ACTIVE', info: { name: 'db', region: 'r' } },
    ])
    const named = { api_endpoint: '', database_name: 'db' }
    const { requests, rows } = await run(named, list, collection(), noDocument())
    expect(rows).toEqual([])
    expect(requests[0]).toMatchObject({
      method: 'GET',
      url: 'https://api.devops.astra.datastax.com/v2/databases',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(requests[1]?.url).toBe(
      'https://j-r.apps.astra.datastax.com/api/json/v1/default_keyspace',
    )
    await expect(run(named, jsonAnswer([]))).rejects.toThrow("Astra DB database 'db' not found.")
    await expect(run({ token: ' ' })).rejects.toThrow('Astra DB needs an application token.')
    await expect(run({ collection_name: '' })).rejects.toThrow(
      'Select a collection of the Astra DB database.',
    )
    const none = jsonAnswer({ status: { collections: [] } })
    await expect(run({}, none)).rejects.toThrow(
      "Collection 'c' does not exist in keyspace 'default_keyspace'.",
    )
    const refused = jsonAnswer({ errors: [{ message: `no ${TOKEN}`, errorCode: 'X' }] })
    await expect(run({}, refused)).rejects.toThrow(/^Astra DB: no \*+$/)
    await expect(run({ ingest_data: ['x'] })).rejects.toThrow(
      'Vector Store Inputs must be Data objects.',
    )
  })
})
