import { openSqlite } from '@x/store-kysely/sqlite'
import { sql, type Kysely, type Transaction } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileDatabase, type TestDatabase } from './databases.ts'

const COUNT = Array.from({ length: 40 }, (_, n) => n)

describe('transactions on SQLite that queue up share a commit', () => {
  let database: TestDatabase
  let db: Kysely<unknown>
  /** The view of another process. */
  let outside: Kysely<unknown>
  beforeEach(async () => {
    database = await fileDatabase()
    db = database.db
    await sql`create table note (n integer primary key, text text)`.execute(db)
    outside = openSqlite(database.address)
  })
  afterEach(async () => {
    await outside.destroy()
    await database.close()
  })

  const write = (tx: Kysely<unknown>, n: number, text = ''): Promise<unknown> =>
    sql`insert into note (n, text) values (${n}, ${text})`.execute(tx)
  const notes = async (from: Kysely<unknown>): Promise<number[]> =>
    (await sql<{ n: number }>`select n from note order by n`.execute(from)).rows.map(({ n }) => n)
  const transaction = <T>(work: (tx: Transaction<unknown>) => Promise<T>): Promise<T> =>
    db.transaction().execute(work)

  test('each is answered when another process can see it, and some see others before that', async () => {
    const earlier: number[][] = []
    await Promise.all(
      COUNT.map(async (n) => {
        await transaction(async (tx) => {
          const published = new Set(await notes(outside))
          earlier.push((await notes(tx)).filter((seen) => !published.has(seen)))
          await write(tx, n)
        })
        expect(await notes(outside)).toContain(n)
      }),
    )
    expect(earlier.some(({ length }) => length > 0)).toBe(true)
    expect(await notes(outside)).toEqual(COUNT)
  })

  test('a failing write is rolled back alone', async () => {
    const outcomes = await Promise.allSettled(
      COUNT.map((n) =>
        transaction(async (tx) => {
          await write(tx, n)
          if (n % 3 === 1) throw new Error(`no ${n}`)
          return n
        }),
      ),
    )
    const kept = COUNT.filter((n) => n % 3 !== 1)
    expect(outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []))).toEqual(kept)
    expect(outcomes.flatMap((o) => (o.status === 'rejected' ? [String(o.reason)] : []))).toEqual(
      COUNT.filter((n) => n % 3 === 1).map((n) => `Error: no ${n}`),
    )
    expect(await notes(outside)).toEqual(kept)
  })

  test('a refusal that stands on what another wrote is told when that is written', async () => {
    const first = transaction((tx) => write(tx, 1))
    const second = transaction((tx) => write(tx, 1)).catch(async () => notes(outside))
    await first
    expect(await second).toEqual([1])
  })

  test('single statements and reading transactions come after the commit of what was before them', async () => {
    const rows = await Promise.all([
      transaction((tx) => write(tx, 1)),
      write(db, 2),
      transaction((tx) => write(tx, 3)),
      db.transaction().setAccessMode('read only').execute(notes),
      transaction((tx) => write(tx, 4)),
    ])
    expect(rows[3]).toEqual([1, 2, 3])
    expect(await notes(outside)).toEqual([1, 2, 3, 4])
  })

  test('closing at any moment settles every call, and answered writes are kept', async () => {
    for (let moment = 0; moment < 120; moment += 4) {
      const late = openSqlite<unknown>(database.address)
      await sql`delete from note`.execute(late)
      const writing = [1, 2, 3].map((n) => late.transaction().execute((tx) => write(tx, n)))
      const outcomes = Promise.allSettled(writing)
      for (let turn = 0; turn < moment; turn += 1) await Promise.resolve()
      await late.destroy()
      const answered = (await outcomes).flatMap((o, n) => (o.status === 'fulfilled' ? [n + 1] : []))
      expect(await notes(outside)).toEqual(answered)
    }
  })

  test('when the disk is full, exactly the answered writes are kept', async () => {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db)
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 40)}`.execute(db)
    const outcomes = await Promise.allSettled(
      COUNT.map((n) =>
        transaction(async (tx) => {
          await write(tx, n, 'x'.repeat(n === 7 ? 400_000 : 100))
          return n
        }),
      ),
    )
    const answered = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []))
    expect(outcomes[7]).toMatchObject({ status: 'rejected', reason: { kind: 'full' } })
    expect(answered.length).toBeGreaterThan(0)
    expect(await notes(outside)).toEqual(answered)
    await transaction((tx) => write(tx, 100))
    expect(await notes(outside)).toContain(100)
  })
})
