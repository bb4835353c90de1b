import type { CompiledQuery } from 'kysely'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { expect, test } from 'vitest'

test('the turns of a chat are found by index, whatever other jobs there are', async () => {
  const seen: CompiledQuery[] = []
  const db = openSqlite(':memory:', { log: ({ query }) => void seen.push(query) })
  const explainer = openSqlite(':memory:')
  await migrateFlow(db)
  await migrateFlow(explainer)
  const { queue } = createJobStore(db)
  seen.length = 0
  await queue.list?.({ userId: 'u', sessionId: 's', offset: 1, limit: 1 })
  const plans = await Promise.all(
    seen.map(({ sql, ...query }) =>
      explainer.executeQuery<{ detail: string }>({ ...query, sql: `explain query plan ${sql}` }),
    ),
  )
  expect(plans.map(({ rows }) => rows[0]?.detail)).toEqual(
    Array.from({ length: 2 }, () =>
      expect.stringMatching(
        /^SEARCH flow_job USING .*flow_job_chat \(user_id=\? AND session_id=\?/,
      ),
    ),
  )
  await db.destroy()
  await explainer.destroy()
})
