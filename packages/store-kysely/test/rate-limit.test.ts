import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { createRateLimitStore, migrateRateLimits } from '@x/store-kysely/rate-limit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'

describe.each([
  { kind: 'SQLite', open: fileDatabase, skipped: false },
  { kind: 'PostgreSQL', open: postgresDatabase, skipped: postgresUrl === null },
])('OP-17 buckets in $kind', ({ open, skipped }) => {
  if (skipped) return
  let database: TestDatabase
  beforeEach(async () => {
    database = await open()
    await migrateRateLimits(database.db)
    await migrateRateLimits(database.db)
  })
  afterEach(() => database.close())

  const limit = { perSecond: 0.001, burst: 3 }

  test('OP-17: a bucket empties, another key has its own, and time fills it again', async () => {
    const store = createRateLimitStore(database.db)
    const taken = [1, 2, 3, 4, 5].map(() => store.take('ada', limit))
    expect((await Promise.all(taken)).filter(({ allowed }) => allowed)).toHaveLength(3)
    const { fullInMs } = await store.take('ada', limit)
    expect(fullInMs).toBeGreaterThan(2_900_000)
    expect(fullInMs).toBeLessThanOrEqual(3_000_000)
    expect(await store.take('bob', limit)).toMatchObject({ allowed: true })
    await sql`update rate_bucket set full_at = full_at - 1000000`.execute(database.db)
    expect(await store.take('ada', limit)).toMatchObject({ allowed: true })
    expect(await store.take('ada', limit)).toMatchObject({ allowed: false })
  })

  test('OP-18: what is given back can be taken again, and never more than a full bucket', async () => {
    const store = createRateLimitStore(database.db)
    const take = async () => (await store.take('ada', limit)).allowed
    expect([await take(), await take(), await take(), await take()]).toEqual([
      true,
      true,
      true,
      false,
    ])
    await store.giveBack('ada', limit)
    expect([await take(), await take()]).toEqual([true, false])
    for (let n = 0; n < 10; n += 1) await store.giveBack('ada', limit)
    await store.giveBack('bob', limit)
    expect([await take(), await take(), await take(), await take()]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('OP-17: a clock that was set back leaves a bucket empty for no longer than it takes to fill', async () => {
    const store = createRateLimitStore(database.db)
    await store.take('ada', limit)
    await sql`update rate_bucket set full_at = full_at + 1e12`.execute(database.db)
    const { allowed, fullInMs } = await store.take('ada', limit)
    expect(allowed).toBe(false)
    expect(fullInMs).toBe(3_000_000)
  })

  test(
    'OP-17: two processes give out no more than one bucket holds',
    { tags: ['long'] },
    async () => {
      const program = await joinedProgram('rate-limit-process.ts')
      const run = async (): Promise<number> => {
        const { stdout } = await promisify(execFile)(process.execPath, [program, database.address])
        return Number(stdout)
      }
      const [one, two] = await Promise.all([run(), run()])
      expect(one + two).toBe(50)
    },
  )
})
