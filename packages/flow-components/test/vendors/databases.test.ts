import { describe, expect, test } from 'vitest'
import { openSearchVectorStore, pgvector } from '@x/flow-components'
import { documentId } from '../../src/built-in/vectors/document-id.ts'
import type { ComponentServices } from '@x/flow-engine'
import { createData, type Data } from '@x/flow-engine'
import { testComponent } from '@x/flow-engine/testing'
import { jsonAnswer, scriptedFetch, textAnswer } from '@x/test-kit'

const embedding = {
  embed: async (texts: readonly string[]) => texts.map((text) => [text.length, 1]),
}
const ingest_data = [createData({ text: 'one', page: 1 }), createData({ text: 'three' })]
const rowsOf = (outputs: Readonly<Record<string, unknown>>) =>
  (outputs['search_results'] as Data[]).map(({ data }) => data)

describe('pgvector (MO-33, MO-4)', () => {
  const url = 'postgresql+psycopg2://ada:pw-secret@db.example/texts'

  function database(answer: (sql: string) => object[] | Error = () => []) {
    const queries: { sql: string; parameters: readonly unknown[] }[] = []
    const opened: string[] = []
    let open = 0
    const sql: NonNullable<ComponentServices['sql']> = {
      async connect(address) {
        opened.push(address)
        open += 1
        return {
          async query(text, { parameters = [] } = {}) {
            queries.push({ sql: text.replaceAll(/\s+/g, ' '), parameters })
            const rows = answer(text)
            if (rows instanceof Error) throw rows
            return { columns: [], rows: rows as Record<string, unknown>[] }
          },
          close: async () => void (open -= 1),
        }
      },
    }
    return { services: { sql }, queries, opened, stillOpen: () => open }
  }
  const build = (inputs: object, services: ComponentServices) =>
    testComponent(pgvector, {
      inputs: { embedding, pg_server_url: url, collection_name: 'docs', ...inputs },
      services,
    })

  test('MO-33: creates the tables and the collection, inserts rows as parameters, finds the nearest', async () => {
    const db = database((sql) =>
      sql.startsWith('SELECT') ? [{ document: 'one', cmetadata: { page: 1 } }] : [],
    )
    const { outputs } = await build({ ingest_data, search_query: "o'ne" }, db.services)
    expect(rowsOf(outputs)).toEqual([{ page: 1, text: 'one' }])
    expect(outputs['dataframe']).toMatchObject({ rows: [{ page: 1, text: 'one' }] })
    expect(new Set(db.opened)).toEqual(new Set([url]))
    expect(db.stillOpen()).toBe(0)
    const texts = db.queries.map(({ sql }) => sql)
    expect(texts[0]).toBe('CREATE EXTENSION IF NOT EXISTS vector')
    expect(texts[1]).toContain('CREATE TABLE IF NOT EXISTS langchain_pg_collection')
    expect(texts[2]).toContain('CREATE TABLE IF NOT EXISTS langchain_pg_embedding')
    expect(db.queries[3]?.parameters.slice(1)).toEqual(['docs'])
    const [collection, rows] = db.queries[4]?.parameters ?? []
    expect(collection).toBe('docs')
    expect(JSON.parse(String(rows))).toEqual([
      {
        id: documentId({ text: 'one', metadata: { collection: 'docs', metadata: { page: 1 } } }),
        embedding: '[3,1]',
        document: 'one',
        cmetadata: { page: 1 },
      },
      expect.objectContaining({ document: 'three', cmetadata: {} }),
    ])
    expect(texts[5]).toContain('ORDER BY embedding <=> $2::vector LIMIT $3::int')
    expect(db.queries[5]?.parameters).toEqual(['docs', '[4,1]', 4])
    expect(texts.join('\n')).not.toMatch(/o'ne|docs|three/)
  })

  test('MO-33: an empty query opens no connection; an empty answer gives no rows', async () => {
    const db = database()
    expect(rowsOf((await build({ search_query: ' ' }, db.services)).outputs)).toEqual([])
    expect(db.opened).toEqual([])
    expect(rowsOf((await build({ search_query: 'x' }, db.services)).outputs)).toEqual([])
  })

  test('MO-33: database errors are passed on and close the connection', async () => {
    const db = database(() => new Error('relation "x" does not exist'))
    await expect(build({ search_query: 'x' }, db.services)).rejects.toThrow(
      'PGVector: relation "x" does not exist',
    )
    expect(db.stillOpen()).toBe(0)
    await expect(build({ search_query: 'x' }, {})).rejects.toThrow(
      'This server has no SQL connections',
    )
    const other = { pg_server_url: 'sqlite:///a.db', search_query: 'x' }
    await expect(build(other, db.services)).rejects.toThrow(
      'PGVector needs the URL of a PostgreSQL database',
    )
  })
})

describe('OpenSearchVectorStoreComponent (MO-34)', () => {
  const server = {
    opensearch_url: 'https://search.example/',
    index_name: 'docs',
    username: 'admin',
    password: 'pw-secret',
  }
  const basic = `Basic ${btoa('admin:pw-secret')}`
  const found = () => jsonAnswer({ hits: { hits: [{ _source: { text: 'one', page: 1 } }] } })
  const nearest = (more: object = {}) => ({
    knn: { chunk_embedding: { vector: [3, 1], k: 10, ...more } },
  })
  const build = async (inputs: object, ...answers: Parameters<typeof scriptedFetch>) => {
    const { fetch, requests } = scriptedFetch(...answers)
    const { outputs } = await testComponent(openSearchVectorStore, {
      inputs: { embedding, number_of_results: 10, ...server, ...inputs },
      services: { fetch },
    })
    return { rows: rowsOf(outputs), requests }
  }

  test('MO-34: creates the index, adds documents and searches', async () => {
    const docs_metadata = [{ key: 'source', value: 'manual' }]
    const { rows, requests } = await build(
      { ingest_data, docs_metadata, search_query: 'two' },
      new Response(null, { status: 404 }),
      jsonAnswer({ acknowledged: true }),
      jsonAnswer({ errors: false, items: [] }),
      found,
    )
    expect(rows).toEqual([{ page: 1, text: 'one' }])
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'HEAD https://search.example/docs',
      'PUT https://search.example/docs',
      'POST https://search.example/_bulk?refresh=true',
      'POST https://search.example/docs/_search',
    ])
    expect(requests.every(({ headers }) => headers['authorization'] === basic)).toBe(true)
    expect(requests[1]?.body).toEqual({
      settings: { index: { knn: true } },
      mappings: {
        properties: {
          chunk_embedding: {
            type: 'knn_vector',
            dimension: 2,
            method: {
              name: 'disk_ann',
              engine: 'jvector',
              space_type: 'l2',
              parameters: { ef_construction: 512, m: 16 },
            },
          },
        },
      },
    })
    expect(requests[2]?.headers['content-type']).toBe('application/x-ndjson')
    const lines = String(requests[2]?.body).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown).slice(0, 2)).toEqual([
      { index: { _index: 'docs', _id: documentId({ text: 'one', metadata: { page: 1 } }) } },
      { page: 1, source: 'manual', text: 'one', chunk_embedding: [3, 1] },
    ])
    expect(requests[3]?.body).toEqual({
      size: 10,
      query: nearest(),
      _source: { excludes: ['chunk_embedding'] },
    })
  })

  test('MO-34: supports hybrid search and filters', async () => {
    const filter = { term: { source: 'manual' } }
    const filter_expression = JSON.stringify(filter)
    const plain = await build({ search_query: 'two', filter_expression }, found)
    expect(plain.requests[0]?.body).toMatchObject({
      query: { bool: { must: [nearest()], filter: [filter] } },
    })
    const jwt = { auth_mode: 'jwt', jwt_token: 'token-secret' }
    const hybrid = await build({ search_query: 'two', hybrid: true, ...jwt }, jsonAnswer({}))
    expect(hybrid.rows).toEqual([])
    expect(hybrid.requests[0]?.headers['authorization']).toBe('Bearer token-secret')
    expect(hybrid.requests[0]?.body).toMatchObject({
      query: {
        bool: {
          should: [nearest({ boost: 0.7 }), { match: { text: { query: 'two', boost: 0.3 } } }],
          minimum_should_match: 1,
        },
      },
    })
    await expect(build({ search_query: 'x', filter_expression: '{' })).rejects.toThrow(
      'Search Filters (JSON) is not JSON',
    )
    await expect(build({ search_query: 'x', filter_expression: '7' })).rejects.toThrow(
      'must be a query clause or a list of clauses',
    )
  })

  test('MO-34: errors name the store and show no secret', async () => {
    const refused = textAnswer(
      '{"error": {"reason": "pw-secret is wrong"}}',
      'application/json',
      403,
    )
    await expect(build({ search_query: 'x' }, refused)).rejects.toThrow(
      /^OpenSearch answered 403: (?!.*pw-secret)/,
    )
    const bulk = jsonAnswer({ errors: true, items: [{ index: { error: { reason: 'too long' } } }] })
    await expect(build({ ingest_data }, new Response(null, { status: 200 }), bulk)).rejects.toThrow(
      'OpenSearch: too long',
    )
    await expect(build({ search_query: 'x', auth_mode: 'jwt' })).rejects.toThrow(
      'OpenSearch needs a JWT token.',
    )
  })
})
