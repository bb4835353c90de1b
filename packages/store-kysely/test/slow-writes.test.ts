import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openSqlite } from '../src/sqlite.ts'

const WRITES = 100

test(
  'AB-78: writes that wait for a slow disk leave the event loop to others',
  { tags: ['long'] },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slow-writes-'))
    const db = openSqlite<{ numbers: { n: number } }>(join(folder, 'numbers.db'))
    try {
      await sql`create table numbers (n integer)`.execute(db)
      // Each takes as long as a commit does where the disk is slow.
      const slowly = sql`insert into numbers with recursive c(x) as
      (select 1 union all select x + 1 from c where x < 20000) select count(*) from c`
      const seen = { turns: 0, isOver: false }
      const others = (): void => {
        seen.turns += 1
        if (!seen.isOver) setImmediate(others)
      }
      setImmediate(others)
      await Promise.all(Array.from({ length: WRITES }, () => slowly.execute(db)))
      seen.isOver = true
      expect((await db.selectFrom('numbers').selectAll().execute()).length).toBe(WRITES)
      // Two of them where only writes are counted.
      expect(seen.turns).toBeGreaterThan(8)
    } finally {
      await db.destroy()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
