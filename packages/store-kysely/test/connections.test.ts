import { needs } from '@x/test-kit/needs'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSqlConnections } from '@x/store-kysely/connections'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresUrl } from './databases.ts'

const socketFolder = new URL(postgresUrl ?? 'none:').searchParams.get('host')
const folder = mkdtempSync(join(tmpdir(), 'x-connections-'))
const path = join(folder, 'shop.db')
const address = `sqlite:///${path}`

beforeAll(async () => {
  const db = openSqlite(path)
  await sql`create table product (name text, data blob)`.execute(db)
  await sql`insert into product values ('pear', x'0102')`.execute(db)
  await db.destroy()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ENDLESS = 'with recursive n(i) as (select 1 union all select i + 1 from n) select'

function connections(options = {}) {
  return createSqlConnections({ allow: [`sqlite:${path}`], setting: 'ALLOWED', ...options })
}

async function query(text: string, options = {}, url = address) {
  return (await connections(options).connect(url)).query(text)
}

describe('SQLite of flows (CO-77)', () => {
  test('rows with their columns; bytes as base64; changes without rows', async () => {
    expect(await query('select * from product')).toEqual({
      columns: ['name', 'data'],
      rows: [{ name: 'pear', data: 'AQI=' }],
    })
    expect(await query("insert into product (name) values ('fig')")).toEqual({
      columns: [],
      rows: [],
    })
    expect((await query('/* how many */ select count(*) as n from product')).rows).toEqual([
      { n: 2 },
    ])
  })

  test('CO-77, AB-30: endless comments, brackets and quotes take linear time', async () => {
    const nasty = [
      `${'/**/'.repeat(50_000)}x`,
      `${'-- a\n'.repeat(50_000)}x`,
      `select ${'['.repeat(200_000)}`,
      `select ${"'".repeat(199_999)}`,
      `select ${'/*'.repeat(100_000)}`,
      `select 1 ${';'.repeat(200_000)}`,
      ' '.repeat(500_000),
    ]
    const { user: before } = process.cpuUsage()
    for (const text of nasty) await query(text).catch(() => undefined)
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(10_000)
    for (const hidden of [
      "select 'a''b'; drop table product",
      'select 1 /* ; */; drop table product',
    ])
      await expect(query(hidden)).rejects.toThrow('Only one statement')
    expect((await query('select \';\' as "a;b" /* ; */ ;  -- ; ')).rows).toEqual([{ 'a;b': ';' }])
  })

  test('placeholder values are never SQL', async () => {
    const connection = await connections().connect(address)
    const text = 'select count(*) as n from product where name = ?'
    const count = async (name: string) =>
      (await connection.query(text, { parameters: [name] })).rows
    expect(await count('pear')).toEqual([{ n: 1 }])
    expect(await count("' or 1 = 1 --")).toEqual([{ n: 0 }])
  })

  test('spelled in each usual way it is the same database', async () => {
    for (const url of [
      `sqlite:${path}`,
      `sqlite:///${path.slice(1)}`,
      `sqlite+pysqlite:///${path}`,
    ]) {
      expect((await query('select 1 as one', {}, url)).rows).toEqual([{ one: 1 }])
    }
  })

  test('another file, another scheme, and statements that reach other files are refused', async () => {
    for (const url of [
      `sqlite:///${path}2`,
      'sqlite://',
      'mysql://h/db',
      'nothing',
      `file:${path}`,
    ]) {
      await expect(connections().connect(url)).rejects.toThrow('is not open to flows')
    }
    for (const text of [
      `attach '${path}2' as b`,
      `-- select\nvacuum into '${path}2'`,
      'pragma journal_mode = off',
      'begin',
      '; select 1',
      '',
    ]) {
      await expect(query(text)).rejects.toThrow('Only SELECT')
    }
    await expect(query(`select 1; attach '${path}2' as b`)).rejects.toThrow('Only one statement')
  })

  test(
    'a query that never ends, or gives too many rows, ends with an error that says why',
    { tags: ['long'] },
    async () => {
      const limits = { timeoutMs: 1500, rows: 100 }
      await expect(query(`${ENDLESS} count(*) from n`, limits)).rejects.toThrow(
        'took longer than 1.5 seconds',
      )
      await expect(query(`${ENDLESS} i from n`, { rows: 100 })).rejects.toThrow(
        'more than 100 rows',
      )
    },
  )

  test('AB-70 a query that waits for a place leaves when its run ends; more than may wait are refused', async () => {
    const open = await connections({ concurrency: 1, waiting: 1 }).connect(address)
    const [first, second] = [new AbortController(), new AbortController()]
    const running = open.query(`${ENDLESS} count(*) from n`, { signal: first.signal })
    const waiting = open.query('select 1 as one', { signal: second.signal })
    await expect(open.query('select 2')).rejects.toThrow('1 queries are running and 1 are waiting')
    second.abort(new Error('the run ended'))
    await expect(waiting).rejects.toThrow('the run ended')
    const next = open.query('select 3 as three')
    first.abort()
    await expect(running).rejects.toThrow(/abort/)
    expect((await next).rows).toEqual([{ three: 3 }])
    expect((await open.query('select 4 as four')).rows).toEqual([{ four: 4 }])
  })

  test('an invalid address in the list is refused at start', () => {
    expect(() => connections({ allow: ['shop.db'] })).toThrow(
      'ALLOWED: shop.db must be sqlite:PATH',
    )
  })
})

describe('PostgreSQL of flows (CO-77)', needs('postgres'), () => {
  let url = ''
  let bare = ''
  const proxy = createServer((client) => {
    const server = connect(join(socketFolder ?? '', '.s.PGSQL.5432'))
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => to.destroy()).pipe(to)
    }
  })
  beforeAll(async () => {
    url = postgresUrl ?? ''
    // Flows reach databases by host and port, the server of the tests listens on a socket in a folder.
    if (socketFolder !== null) {
      proxy.listen(0, '127.0.0.1')
      await once(proxy, 'listening')
      url = `postgres://postgres@127.0.0.1:${(proxy.address() as AddressInfo).port}/postgres`
    }
    bare = url.replace(/\/\/[^@/]*@/, '//')
  })
  afterAll(() => void proxy.close())

  test('MO-33: placeholder values are never SQL', async () => {
    const connection = await connections({ allow: [bare] }).connect(url)
    const { rows } = await connection.query('select $1::text as one, $2::int as two', {
      parameters: ["'; drop table x", 7],
    })
    expect(rows).toEqual([{ one: "'; drop table x", two: 7 }])
  })

  test('reached with the credentials of the flow; others are refused without showing them', async () => {
    const options = { allow: [bare], rows: 50 }
    expect((await query('select 1 as one', options, url)).rows).toEqual([{ one: 1 }])
    await expect(query('select * from generate_series(1, 100000)', options, url)).rejects.toThrow(
      'more than 50 rows',
    )
    const short = { ...options, timeoutMs: 1000 }
    await expect(query('select pg_sleep(20)', short, url)).rejects.toThrow(/timeout/)
    await expect(query('select broken', options, url)).rejects.toThrow('broken')
    const ends = new AbortController()
    const open = await connections({ allow: [bare] }).connect(url)
    const sleeping = open.query('select pg_sleep(20)', { signal: ends.signal })
    setImmediate(() => ends.abort(new Error('the run ended')))
    await expect(sleeping).rejects.toThrow('the run ended')
    const foreign = `postgres://me:${randomUUID()}@127.0.0.1:1/other?host=/tmp`
    await expect(query('select 1', options, foreign)).rejects.toThrow(
      'postgres://127.0.0.1:1/other is not open to flows',
    )
  })
})
