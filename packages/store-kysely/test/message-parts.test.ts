import { sql, type CompiledQuery, type Kysely } from 'kysely'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MESSAGES = 12_000
const USER = '00000000-0000-4000-8000-000000000001'
const FLOW = '00000000-0000-4000-8000-000000000002'

describe('AB-38 messages read in parts from SQLite', () => {
  let db: Kysely<unknown>
  let seen: CompiledQuery[] = []

  beforeAll(async () => {
    db = openSqlite(':memory:', { log: ({ query }) => void seen.push(query) })
    await migrateFlow(db)
    await sql`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${MESSAGES})
      insert into flow_message (id, user_id, flow_id, timestamp, session_id, text, files, error, edit,
        category, properties, content_blocks)
      select 'id-' || n, ${USER}, ${FLOW}, 1000000 - n % 7000, 's' || (n % 3 / 2), 'text ' || n, '[]', 0, 0,
        'message', '{}', '[]' from n`.execute(db)
  })
  afterAll(() => db.destroy())

  test.each([
    ['all', {}],
    ['those of a flow', { flowId: FLOW }],
    ['those of a session', { sessionId: 's0' }],
    ['in the order of time', { orderBy: 'timestamp' }],
  ] as const)('%s, in order, without scanning or sorting the table', async (_name, more) => {
    const { messages } = createFlowStore(db)
    const query = { userId: USER, ...more }
    const listed = await messages.list(query)
    expect(listed.length).toBeGreaterThan(7000)
    seen = []
    const read: string[] = []
    let longest = 0
    for await (const part of messages.parts?.(query) ?? []) {
      read.push(...part.map(({ id }) => id))
      longest = Math.max(longest, part.length)
    }
    expect(read).toEqual(listed.map(({ id }) => id))
    expect(longest).toBe(500)
    const statements = new Map(seen.map((one) => [one.sql, one]))
    for (const one of statements.values()) {
      const plan = await db.executeQuery<{ detail: string }>({
        ...one,
        sql: `explain query plan ${one.sql}`,
      })
      const lines = plan.rows.map(({ detail }) => detail).join('\n')
      expect(lines).not.toMatch(/SCAN flow_message|TEMP B-TREE/)
    }
  })
})
