import { createReconciliation } from '@x/scim-core/reconcile'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { seedLargeGroups } from '../../packages/store-kysely/test/large-groups.ts'
import { cpuPerOperation } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'

const USERS = 100_000
const TENANT = 'default'

/** Each hundredth user is missing. */
async function* directoryList() {
  for (let n = 0; n < USERS; n += 1)
    if (n % 100 !== 0)
      yield { userName: `u${String(n).padStart(6, '0')}@corp.example`, active: true }
}

/** What a review of many users takes; all of them have a reason. @param path of the database */
export async function reconcileFigures(path: string): Promise<Figure[]> {
  const db = openSqlite<unknown>(path)
  await seedLargeGroups(db, { groups: 0, members: USERS })
  const reviews = createReconciliation({ store: createScimStore(db) })
  await reviews.report(TENANT)
  globalThis.gc?.()
  const before = process.memoryUsage().rss
  const first = await cpuPerOperation(1, async () => void (await reviews.report(TENANT)))
  const compared = await cpuPerOperation(1, async () => {
    const { notListed } = await reviews.compare(TENANT, directoryList())
    if (notListed.count !== USERS / 100) throw new Error(`${notListed.count} are not listed`)
  })
  const grown = (process.memoryUsage().rss - before) / 1_048_576
  await db.destroy()
  return [
    {
      name: 'report of 100,000 users: first page',
      value: first / 1_000,
      unit: 'ms CPU',
      limit: 300,
    },
    {
      name: 'compare with a list of 99,000',
      value: compared / 1_000,
      unit: 'ms CPU',
      limit: 10_000,
    },
    { name: 'report and compare: RSS grows', value: grown, unit: 'MiB', limit: 150 },
  ]
}
