import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openSqlite } from '@x/store-kysely/sqlite'
import { startFakeOpenAi } from '@x/flow-engine/testing'
import { sql } from 'kysely'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { flowOf, importFlow, messageOf, runFlow, sharedService } from './flow-calls.ts'
import { knowledgeFlows, makeBase, node, storeFlows, TEXT } from './knowledge-flows.ts'
import { newPerson } from './people.ts'
import type { Service } from './service.ts'

const vendor = await startFakeOpenAi()
const folder = mkdtempSync(join(tmpdir(), 'journey-'))
const shop = join(folder, 'shop.db')
const other = join(folder, 'other.db')
for (const path of [shop, other]) {
  const db = openSqlite(path)
  await sql`create table product (name text, price integer)`.execute(db)
  await sql`insert into product values ('pear', 3), ('quince', 5)`.execute(db)
  await db.destroy()
}
const market = createServer((request, response) => {
  const asked = new URL(request.url ?? '/', 'http://x').searchParams
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify([{ title: `News of ${asked.get('symbol')}`, link: 'http://n/1' }]))
}).listen(0, '127.0.0.1')
await once(market, 'listening')
const finance = `http://127.0.0.1:${(market.address() as AddressInfo).port}/quotes`

afterAll(async () => {
  market.close()
  await vendor.close()
  rmSync(folder, { recursive: true, force: true })
})

const environment = {
  OPENAI_BASE_URL: vendor.url,
  OPENAI_API_KEY: 'sk-of-the-server',
  SERVICE_SQL_ALLOW: `sqlite:${shop}`,
  SERVICE_FINANCE_URL: finance,
  SERVICE_KNOWLEDGE_ROWS: '50',
}

describe('data that a flow stores', () => {
  const service = sharedService(environment)

  const ingestThenAnswer = async (type: 'Chroma' | 'FAISS') => {
    const { ingest, answer } = await storeFlows(service(), type, { number_of_results: 1 })
    const filled = await runFlow(service(), ingest, TEXT)
    expect(filled.text).not.toContain('"detail"')
    await service().restart()
    const found = await runFlow(service(), answer, 'blue whales swim far')
    return messageOf(found)
  }

  test('CO-73 Chroma: another flow answers from ingested data after a restart', async () => {
    expect(await ingestThenAnswer('Chroma')).toBe('blue whales swim far')
  })

  test('CO-73 FAISS: another flow answers from ingested data after a restart', async () => {
    expect(await ingestThenAnswer('FAISS')).toBe('blue whales swim far')
  })

  test('CO-73 collections of the same name are separate for each user', async () => {
    const person = await newPerson(service(), 'vera')
    const { ingest } = await storeFlows(service(), 'Chroma', { collection_name: 'shared' })
    await runFlow(service(), ingest, TEXT)
    const values = { collection_name: 'shared', number_of_results: 1 }
    const own = await storeFlows(service(), 'Chroma', values)
    const theirs = await storeFlows(service(), 'Chroma', values, person.key)
    const asVera = { key: person.key }
    const before = await runFlow(service(), theirs.answer, 'green tea is brewed', asVera)
    expect(before.status).toBe(200)
    expect(messageOf(before) ?? '').toBe('')
    await runFlow(service(), theirs.ingest, 'black coffee is hot', asVera)
    const hers = await runFlow(service(), theirs.answer, 'green tea is brewed', asVera)
    expect(messageOf(hers)).toBe('black coffee is hot')
    const mine = await runFlow(service(), own.answer, 'green tea is brewed')
    expect(messageOf(mine)).toBe('green tea is brewed')
  })

  test('CO-74 CO-75 a knowledge base is created, filled, searched after a restart, listed and deleted', async () => {
    const base = await makeBase(service(), 'my_notes')
    expect(base).toBe('my_notes')
    const { ingest, retrieve } = await knowledgeFlows(service(), 'my_notes')
    const filled = await runFlow(service(), ingest, TEXT)
    expect(filled.status).toBe(200)
    await runFlow(service(), ingest, TEXT)
    await service().restart()
    const found = await runFlow(service(), retrieve, 'green tea is brewed')
    expect(messageOf(found)).toBe('green tea is brewed')

    const listed = await service().call('GET', '/api/v1/knowledge_bases')
    expect(listed.json()).toEqual([
      {
        id: 'my_notes',
        name: 'My Notes',
        embedding_provider: 'OpenAI',
        embedding_model: 'text-embedding-3-small',
        size: expect.any(Number) as number,
        words: 12,
        characters: 59,
        chunks: 3,
        avg_chunk_size: 59 / 3,
      },
    ])
    expect(listed.text).not.toContain('sk-')
    const person = await newPerson(service(), 'nora')
    const foreign = { key: person.key }
    expect((await service().call('GET', '/api/v1/knowledge_bases/my_notes', foreign)).status).toBe(
      404,
    )
    expect(
      (await service().call('DELETE', '/api/v1/knowledge_bases/my_notes', foreign)).status,
    ).toBe(404)
    const body = { kb_names: ['my_notes', 'none'] }
    expect((await service().call('DELETE', '/api/v1/knowledge_bases', { body })).json()).toEqual({
      message: 'Successfully deleted 1 knowledge base(s)',
      deleted_count: 1,
      not_found: 'none',
    })
    const gone = await runFlow(service(), retrieve, 'green')
    expect(gone.text).toContain('Metadata not found for knowledge base: my_notes')
  })

  test('NX-30 a full knowledge base refuses texts before embedding them, and names the limit', async () => {
    await makeBase(service(), 'full')
    const { ingest } = await knowledgeFlows(service(), 'full')
    const lines = Array.from({ length: 60 }, (_, n) => `line number ${1000 + n} here`)
    const before = vendor.requests.length
    const answer = await runFlow(service(), ingest, lines.join('\n'))
    expect(answer.status).toBe(500)
    expect(answer.text).toContain('SERVICE_KNOWLEDGE_ROWS')
    expect(vendor.requests.length).toBe(before)
  })

  test('CO-74 concurrent ingestions of the same texts store them once', async () => {
    await makeBase(service(), 'at_once')
    const { ingest } = await knowledgeFlows(service(), 'at_once')
    const runs = [1, 2, 3, 4].map(() => runFlow(service(), ingest, TEXT))
    for (const { status } of await Promise.all(runs)) expect(status).toBe(200)
    const base = await service().call('GET', '/api/v1/knowledge_bases/at_once')
    expect(base.json()).toMatchObject({ chunks: 3, words: 12 })
  })

  test('CO-77 a listed database is queried; others fail with an error that names the setting', async () => {
    const ask = async (url: string, query: string) => {
      const nodes = {
        sql: await node(service(), 'SQLComponent', { database_url: url, query }),
        parser: await node(service(), 'ParserComponent', { pattern: '{name}={price}' }),
        out: await node(service(), 'ChatOutput'),
      }
      const flow = flowOf(`sql ${query} ${url}`, nodes, [
        ['sql.run_sql_query', 'parser.input_data'],
        ['parser.parsed_text', 'out.input_value'],
      ])
      return runFlow(service(), await importFlow(service(), flow), '')
    }
    const good = await ask(`sqlite:///${shop}`, 'select * from product order by price desc')
    expect(messageOf(good)).toBe('quince=5\n\npear=3')
    for (const [url, query, text] of [
      [`sqlite:///${other}`, 'select 1', 'SERVICE_SQL_ALLOW'],
      [`sqlite:///${shop}`, `attach '${other}' as o`, 'Only SELECT'],
      [`sqlite:///${shop}`, `vacuum into '${other}2'`, 'Only SELECT'],
      [
        `postgres://me:secret@127.0.0.1/x?host=${folder}`,
        'select 1',
        'postgres://127.0.0.1/x is not open',
      ],
      [`sqlite:///${shop}`, 'select * from missing', 'no such table'],
    ] as const) {
      const answer = await ask(url, query)
      expect(answer.status).toBe(500)
      expect(answer.text).toContain(text)
      expect(answer.text).not.toContain('secret')
    }
  })

  test('CO-72 the finance component queries the source configured by the operator', async () => {
    const answer = await askFinance(service())
    expect(messageOf(answer)).toBe('News of ACME: http://n/1')
  })
})

describe('unconfigured services', () => {
  const service = sharedService({})

  test('CO-72 without a finance source the component names the missing setting', async () => {
    expect((await askFinance(service())).text).toContain('SERVICE_FINANCE_URL')
  })
})

async function askFinance(service: Service) {
  const nodes = {
    finance: await node(service, 'YfinanceComponent', { symbol: 'ACME' }),
    parser: await node(service, 'ParserComponent', { pattern: '{text}' }),
    out: await node(service, 'ChatOutput'),
  }
  const flow = flowOf('finance', nodes, [
    ['finance.dataframe', 'parser.input_data'],
    ['parser.parsed_text', 'out.input_value'],
  ])
  return runFlow(service, await importFlow(service, flow), '')
}
