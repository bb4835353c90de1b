import type { AuditRecord } from '@x/flow-service/store'
import { createAuditStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { expect, test } from 'vitest'
import { fileDatabase } from './databases.ts'

const record = (n: number): AuditRecord => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  at: new Date(Date.UTC(2031, 0, 1, 0, 0, n)),
  action: 'user.changed',
  outcome: 'ok',
  actorId: null,
  via: 'scim',
  targetType: 'user',
  targetId: null,
  requestId: null,
  clientAddress: null,
  details: {},
})

test('OP-11 audit records that come together share a commit, and are kept when the database is closed meanwhile', async () => {
  const database = await fileDatabase()
  const kinds: string[] = []
  const none = () => undefined
  const db = openSqlite<unknown>(database.address, {
    metrics: {
      counter: () => ({ add: none }),
      gauge: () => ({ set: none }),
      histogram: () => ({ observe: ({ kind = '' }) => void kinds.push(kind) }),
      onCollect: () => none,
    },
  })
  await migrateFlow(db)
  kinds.length = 0
  const store = createAuditStore(db)
  const written = Promise.all([1, 2, 3, 4, 5].map((n) => store.append([record(n)])))
  const more = store.append([record(6), record(7)])
  await db.destroy()
  await Promise.all([written, more])
  const counts = countsOf(kinds)
  expect(counts.get('insert')).toBe(7)
  // Begin and commit of all; the two that come together stand behind a savepoint.
  expect(counts.get('transaction')).toBe(4)
  const kept = await createAuditStore(database.db).list({ limit: 10 })
  expect(kept.map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1].map((n) => record(n).id))
  await database.close()
})

function countsOf(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
