import { needs } from '@x/test-kit/needs'
import { randomUUID } from 'node:crypto'
import { createBuildJobs } from '@x/flow-engine'
import { createBullMqQueue } from '@x/flow-engine/bullmq'
import type { RunEvent } from '@x/flow-engine'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { postgresDatabase } from './databases.ts'
import { components, streamingFlow } from './streaming-flow.ts'

const connection = process.env['REDIS_URL'] ?? ''

/** The queue on Redis, everything else on PostgreSQL; two of each, as two processes have them. */
test(
  'FE-62 a build that one process queues in BullMQ (REDIS_URL) runs in another and is read in both',
  needs('redis', 'postgres'),
  async () => {
    const database = await postgresDatabase()
    await migrateFlow(database.db)
    const other = openPostgres<unknown>(database.address)
    const prefix = `{test-${randomUUID()}}`
    const queues = [database.db, other].map((db) => {
      const queue = createBullMqQueue({ connection, prefix })
      return { queue, store: { ...createJobStore(db), queue } }
    })
    const [front, back] = queues.map(({ store }, n) =>
      createBuildJobs({
        components,
        store,
        concurrency: n,
        leaseMs: 600_000,
        heartbeatMs: 300_000,
      }),
    )
    if (front === undefined || back === undefined) throw new Error('Two were made')
    await back.recover()
    const flow = streamingFlow(30)
    const builds = await Promise.all([1, 2, 3].map(() => front.start({ flow, resumable: true })))
    for (const { id } of builds) {
      for (const jobs of [front, back]) {
        const events: RunEvent[] = []
        for await (const event of jobs.events(id)) events.push(event)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
        expect(events.filter(({ event }) => event === 'token')).toHaveLength(30)
        expect(events.at(-1)?.event).toBe('end')
      }
      expect(await front.get(id)).toMatchObject({ state: 'succeeded' })
    }
    await front.close()
    await back.close()
    for (const { queue } of queues) await queue.close()
    const redis = new Redis(connection)
    await redis.del(...(await redis.keys(`${prefix}:*`)))
    redis.disconnect()
    await other.destroy()
    await database.close()
  },
)
