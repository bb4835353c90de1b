import { sql, type CompiledQuery, type Kysely } from 'kysely'
import { createFlowService, type FlowService } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const FLOW = '00000000-0000-4000-8000-000000000002'
const ROWS = 40
const SESSION = 3500

describe('AB-38 long lists of the monitor, API keys, variables, files and shared components', () => {
  let db: Kysely<unknown>
  let engine: FlowService
  let authorization: string
  let seen: CompiledQuery[] = []

  beforeAll(async () => {
    db = openSqlite(':memory:', { log: ({ query }) => void seen.push(query) })
    await migrateFlow(db)
    engine = createFlowService({
      store: createFlowStore(db),
      files: createMemoryBlobStore(),
      secretKey: 'a secret key of the tests, long enough',
      passwords: {
        hash: async (password) => password,
        verify: async (password, hash) => password === hash,
      },
    })
    const account = { username: 'admin', password: 'admin-pass-1' }
    const { id } = await engine.services.users.create({
      ...account,
      isActive: true,
      isSuperuser: true,
    })
    const { accessToken } = await engine.services.login.signIn({ ...account, clientAddress: '' })
    authorization = `Bearer ${accessToken}`
    const rows = (n: number) =>
      sql`with recursive n (n) as (select 1 union all select n + 1 from n where n < ${n})`
    const large = sql`'{"a":"' || replace(hex(zeroblob(250000)), '0', 'x') || '"}'`
    const list = sql`'["' || replace(hex(zeroblob(250000)), '0', 'x') || '"]'`
    await sql`insert into flow_flow (id, user_id, name, is_component, webhook, locked, mcp_enabled,
        access_type, created_at, updated_at)
      values (${FLOW}, ${id}, 'f', 0, 0, 0, 0, 'PRIVATE', 0, 0)`.execute(db)
    await sql`${rows(ROWS)} insert into flow_vertex_build
        (build_id, vertex_id, flow_id, owner_id, timestamp, valid, data, artifacts)
      select 'b' || n, 'v' || n, ${FLOW}, ${id}, 0, 1, ${large}, '{}' from n`.execute(db)
    await sql`${rows(ROWS)} insert into flow_transaction
        (id, flow_id, owner_id, timestamp, vertex_id, inputs, status)
      select 't' || n, ${FLOW}, ${id}, 0, 'v', ${large}, 'success' from n`.execute(db)
    await sql`${rows(ROWS)} insert into flow_api_key
        (id, user_id, name, hash, prefix, is_active, total_uses, created_at)
      select 'k' || n, ${id}, ${large}, 'h' || n, 'sk-', 1, 0, 0 from n`.execute(db)
    await sql`${rows(ROWS)} insert into flow_variable
        (id, user_id, name, type, value, default_fields, created_at, updated_at)
      select 'v' || n, ${id}, 'v' || n, 'Credential', 'x', ${list}, 0, 0 from n`.execute(db)
    await sql`${rows(ROWS)} insert into flow_project (id, user_id, name, description, created_at)
      select 'p' || n, ${id}, 'p' || n, ${large}, 0 from n`.execute(db)
    await sql`${rows(ROWS)} insert into flow_component
        (id, owner_id, name, name_key, description, description_key, metadata, is_private,
          last_tested_version, last_tested_version_key, downloads, created_at, updated_at, data)
      select 'c' || n, ${id}, 'c' || n, 'c' || n, ${large}, ${large}, '{}', 0, '1', '1', 0, 0, 0, '{}'
      from n`.execute(db)
    await sql`${rows(SESSION)} insert into flow_user_file
        (id, user_id, name, path, size, created_at, updated_at)
      select 'f' || n, ${id}, 'f' || n, 'p' || n, 1, 0, 0 from n`.execute(db)
    await sql`${rows(SESSION)} insert into flow_message
        (id, user_id, flow_id, timestamp, session_id, text, files, error, edit, category, properties,
          content_blocks)
      select 'm' || n, ${id}, ${FLOW}, 0, 'long', 'text ' || n, '[]', 0, 0, 'message', '{}', '[]'
      from n`.execute(db)
    await sql`${rows(SESSION)} insert into flow_message
        (id, user_id, flow_id, timestamp, session_id, text, files, error, edit, category, properties,
          content_blocks)
      select 'l' || n, ${id}, ${FLOW}, 0, 'session ' || n || ${'s'.repeat(400)}, '', '[]', 0, 0,
        'message', '{}', '[]' from n`.execute(db)
  })
  afterAll(async () => {
    await engine.close()
    await db.destroy()
  })

  const call = (path: string, method = 'GET'): Promise<Response> => {
    const headers = { authorization }
    return engine.handler(new Request(`http://host${path}`, { method, headers }))
  }
  /** Statements that read or change rows since `seen` was emptied. */
  const statements = (): number => seen.filter((one) => one.sql.includes(' in (select')).length

  test.each([
    ['vertex builds', `/api/v1/monitor/builds?flow_id=${FLOW}`],
    ['transactions', `/api/v1/monitor/transactions?flow_id=${FLOW}&size=100`],
    ['API keys', '/api/v1/api_key/'],
    ['variables', '/api/v1/variables/'],
    ['projects', '/api/v1/projects/'],
    ['shared components', '/api/v1/store/components/?limit=-1'],
    ['files', '/api/v2/files'],
    ['sessions', '/api/v1/monitor/messages/sessions'],
  ])('%s are read as their client takes them', async (_name, path) => {
    seen = []
    const response = await call(path)
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    await reader?.read()
    const begun = statements()
    let isOver = false
    while (!isOver) isOver = (await reader?.read())?.done ?? true
    expect(begun).toBeLessThan(statements() / 2)
  })

  test('a shared component names at most 1,000 kinds of nodes, which every list shows', async () => {
    const headers = { authorization, 'content-type': 'application/json' }
    const post = (path: string, body: unknown): Promise<Response> =>
      engine.handler(
        new Request(`http://host${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
      )
    await post('/api/v1/api_key/store', { api_key: 'a key' })
    const share = (kinds: number): Promise<Response> => {
      const nodes = Array.from({ length: kinds }, (_, n) => ({ id: `Kind${n}-1` }))
      return post('/api/v1/store/components/', {
        name: `with ${kinds}`,
        description: null,
        data: { nodes, edges: [] },
        tags: null,
        is_component: true,
      })
    }
    expect((await share(1000)).status).toBe(201)
    const refused = await share(1001)
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        detail:
          'The field data may have nodes of 1,000 kinds (ids up to the first hyphen) with 100,000 characters',
      },
    ])
  })

  test('a client that leaves ends the reading', async () => {
    seen = []
    const response = await call(`/api/v1/monitor/builds?flow_id=${FLOW}`)
    await response.body?.cancel()
    const read = statements()
    await new Promise((resolve) => setImmediate(resolve))
    expect([statements(), read < ROWS / 2]).toEqual([read, true])
  })

  test('a long session is renamed and removed in steps', async () => {
    seen = []
    const renamed = await call(
      '/api/v1/monitor/messages/session/long?new_session_id=longer',
      'PATCH',
    )
    const messages = (await renamed.json()) as { session_id: string; text: string }[]
    expect(messages.map(({ text }) => text)).toEqual(
      Array.from({ length: SESSION }, (_, n) => `text ${n + 1}`),
    )
    expect(new Set(messages.map(({ session_id: session }) => session))).toEqual(new Set(['longer']))
    expect(seen.filter((one) => one.sql.includes('update flow_message set')).length).toBe(
      SESSION / 500,
    )
    expect(
      (await call('/api/v1/monitor/messages/session/long?new_session_id=x', 'PATCH')).status,
    ).toBe(404)

    seen = []
    expect((await call('/api/v1/monitor/messages/session/longer', 'DELETE')).status).toBe(204)
    expect(seen.filter((one) => one.sql.startsWith('delete from "flow_message"')).length).toBe(
      SESSION / 500,
    )
    const left = await call('/api/v1/monitor/messages?session_id=longer')
    expect(await left.json()).toEqual([])
  })
})
