import { needs } from '@x/test-kit/needs'
import { rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '@x/flow-engine/metrics'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { postgresUrl } from './databases.ts'

function read(metrics = createMetrics()) {
  const value = async (name: string, label?: string): Promise<number> => {
    const found = (await metrics.collect()).find((one) => one.name === name)?.samples ?? []
    return found
      .filter(({ suffix }) => suffix === '' || suffix === '_count')
      .filter(({ labels }) => label === undefined || labels.some(([, of]) => of === label))
      .reduce((sum, one) => sum + one.value, 0)
  }
  return { metrics, value }
}

describe('OP-8 metrics of databases', () => {
  test('SQLite: statements by kind, failures, and waits of writing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'store-metrics-'))
    const { metrics, value } = read()
    const db = openSqlite<{ t: { n: number } }>(join(folder, 'a.db'), { metrics })
    try {
      await sql`create table t (n integer primary key)`.execute(db)
      await db.insertInto('t').values({ n: 1 }).execute()
      await db.selectFrom('t').selectAll().execute()
      await expect(db.insertInto('t').values({ n: 1 }).execute()).rejects.toThrow()
      await Promise.all(
        [2, 3].map((n) =>
          db.transaction().execute((tx) => tx.insertInto('t').values({ n }).execute()),
        ),
      )
      const calls = 'store_call_duration_seconds'
      expect(await value(calls, 'insert')).toBe(4)
      expect(await value(calls, 'select')).toBeGreaterThanOrEqual(1)
      expect(await value(calls, 'transaction')).toBeGreaterThanOrEqual(2)
      expect(await value('store_call_failures_total', 'insert')).toBe(1)
      expect(await value('store_writer_wait_seconds')).toBeGreaterThanOrEqual(5)
    } finally {
      await db.destroy()
      await rm(folder, { recursive: true })
    }
  })

  test('PostgreSQL: statements by kind, and the use of the pool', needs('postgres'), async () => {
    const { metrics, value } = read()
    const db = openPostgres(postgresUrl ?? '', { metrics, maxConnections: 2 })
    try {
      await sql`select 1`.execute(db)
      await expect(sql`select from nowhere_at_all`.execute(db)).rejects.toThrow()
      expect(await value('store_call_duration_seconds', 'select')).toBe(2)
      expect(await value('store_call_failures_total', 'postgres')).toBe(1)
      expect(await value('store_pool_connections', 'idle')).toBe(1)
      await db.transaction().execute(async (tx) => {
        await sql`select 1`.execute(tx)
        expect(await value('store_pool_connections', 'used')).toBe(1)
      })
      expect(await value('store_pool_waiting')).toBe(0)
    } finally {
      await db.destroy()
    }
  })
})
