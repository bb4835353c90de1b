import { needs } from '@x/test-kit/needs'
import { setTimeout as delay } from 'node:timers/promises'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'

describe('fences of logs on PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
  })
  afterAll(() => database.close())

  test('DR-7, AB-92: a claim waits for the write of an earlier one that is under way', async () => {
    const { db } = database
    const { log } = createJobStore(db)
    const event = { seq: 0, event: 'token', data: '{}' }
    await log.open('job', 1)

    // The write has read its fence and stands before the row of somebody who has not committed.
    const blocking = await db.startTransaction().execute()
    await sql`insert into flow_job_event (job_id, seq, event, data)
      values ('job', 0, 'token', '{}')`.execute(blocking)
    const written = log.append('job', [event], 1)
    const waiting = async (): Promise<unknown[]> => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%flow_job_event%'`.execute(db)
      return rows
    }
    await expect.poll(waiting).toHaveLength(1)

    let last: number | undefined
    const opened = log.open('job', 2).then((seq) => (last = seq))
    await delay(300)
    expect(last).toBeUndefined()
    await blocking.rollback().execute()
    await written
    // The next claim continues after it.
    expect(await opened).toBe(0)
    await expect(log.append('job', [{ ...event, seq: 1 }], 1)).rejects.toThrow()
  })
})
