import { createBuildJobs, createRegistry, defineComponent, field, output } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { needs } from '@x/test-kit/needs'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { postgresDatabase } from './databases.ts'

const RUNS = 20

test(
  'FL-107 a durable run of three steps on PostgreSQL takes at most 11 statements, besides announcements',
  { ...needs('postgres'), tags: ['long'] },
  async () => {
    const database = await postgresDatabase()
    await migrateFlow(database.db)
    const step = defineComponent({
      type: 'Step',
      inputs: { text: field.message({}) },
      outputs: { out: output.message({ run: () => Promise.resolve('x') }) },
    })
    const flow = flowBuilder()
    for (const n of [1, 2, 3]) flow.add(step, { id: `Step-${n}` })
    flow.connect('Step-1.out', 'Step-2.text')
    flow.connect('Step-2.out', 'Step-3.text')
    const store = createJobStore(database.db)
    const jobs = createBuildJobs({
      components: createRegistry([step]),
      store,
      leaseMs: 600_000,
    })
    const run = async (): Promise<string> => {
      const { id } = await jobs.start({ flow: flow.toJSON(), resumable: true })
      return (await jobs.result(id)).status
    }
    expect(await run()).toBe('succeeded')
    await store.bus.flush?.()
    const query = vi.spyOn(Client.prototype, 'query')
    for (let n = 0; n < RUNS; n += 1) await run()
    await store.bus.flush?.()
    // Announcements of 50 ms are one statement, whatever runs then.
    const isCounted = ([asked]: readonly unknown[]): boolean =>
      !/pg_notify/.test(typeof asked === 'string' ? asked : String(Object(asked).text))
    const each = query.mock.calls.filter(isCounted).length / RUNS
    query.mockRestore()
    await jobs.close({ timeoutMs: 0 })
    await database.close()
    expect(each).toBeLessThanOrEqual(11)
  },
)
