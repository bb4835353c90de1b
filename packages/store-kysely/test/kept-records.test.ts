import { execFile } from 'node:child_process'
import { setImmediate as nextTask } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createMetrics } from '@x/flow-engine/metrics'
import type { ApiKeyRecord, FlowRecord, ProjectRecord, UserRecord } from '@x/flow-service/store'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileDatabase, type TestDatabase } from './databases.ts'

const NOW = new Date(Date.UTC(2031, 0, 1))

const user: UserRecord = {
  id: 'u1',
  username: 'ann',
  passwordHash: null,
  profileImage: null,
  storeApiKey: null,
  isActive: true,
  isSuperuser: false,
  tokenEpoch: 0,
  optins: null,
  createdAt: NOW,
  updatedAt: NOW,
  lastLoginAt: null,
}
const key: ApiKeyRecord = {
  id: 'k1',
  userId: 'u1',
  name: null,
  hash: 'h1',
  prefix: 'sk-12345',
  isActive: true,
  agentId: null,
  totalUses: 0,
  lastUsedAt: null,
  createdAt: NOW,
}
const flow: FlowRecord = {
  id: 'f1',
  userId: 'u1',
  folderId: null,
  name: 'Echo',
  description: null,
  icon: null,
  iconBgColor: null,
  gradient: null,
  data: '{"nodes":[],"edges":[]}',
  isComponent: false,
  webhook: false,
  endpointName: null,
  webhookName: null,
  tags: null,
  locked: false,
  mcpEnabled: false,
  actionName: null,
  actionDescription: null,
  accessType: 'PRIVATE',
  fsPath: null,
  createdAt: NOW,
  updatedAt: NOW,
}
const project: ProjectRecord = {
  id: 'p1',
  userId: 'u1',
  name: 'Tools',
  description: null,
  parentId: null,
  authSettings: null,
  createdAt: NOW,
}
/** The question of a call of a tool: which flows its project has. */
const outline = {
  userId: 'u1',
  folderId: 'p1',
  isComponent: false,
  order: 'created',
  data: 'none',
} as const

/** Runs one statement on a database in a process of its own. */
const elsewhere = async (path: string, statement: string): Promise<void> => {
  const code = `
    const driver = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'libsql'
    const Database = require(driver)
    const db = new Database(${JSON.stringify(path)})
    db.exec(${JSON.stringify(statement)})
    db.close()`
  await promisify(execFile)(process.execPath, ['-e', code], { cwd: import.meta.dirname })
}

describe('records that are kept while nothing changes (FE-62, SU-2)', () => {
  let database: TestDatabase
  let store: ReturnType<typeof createFlowStore>
  const read = () =>
    Promise.all([store.users.get('u1'), store.apiKeys.findByHash('h1'), store.flows.get('f1')])

  beforeEach(async () => {
    database = await fileDatabase()
    await migrateFlow(database.db)
    store = createFlowStore(database.db)
    await store.users.insert(user)
    await store.apiKeys.insert(key)
    await store.flows.insert([flow])
  })
  afterEach(() => database.close())

  test('unchanged records are not read again and are immutable', async () => {
    const first = await read()
    const second = await read()
    expect(first).toEqual([user, key, flow])
    for (const [index, record] of second.entries()) expect(record).toBe(first[index])
    for (const record of second) expect(Object.isFrozen(record)).toBe(true)
  })

  test('the reads of one request ask once whether another process wrote', async () => {
    const metrics = createMetrics()
    const db = openSqlite<never>(database.address, { metrics })
    const { users, flows } = createFlowStore(db)
    const readBoth = async (): Promise<void> => {
      await users.get('u1')
      await flows.get('f1')
    }
    const statements = async (): Promise<number> => {
      const all = await metrics.collect()
      const calls = all.find(({ name }) => name === 'store_call_duration_seconds')?.samples ?? []
      return calls.reduce((sum, { suffix, value }) => sum + (suffix === '_count' ? value : 0), 0)
    }
    try {
      await readBoth()
      await nextTask()
      const before = await statements()
      for (let request = 0; request < 3; request += 1) {
        await readBoth()
        await nextTask()
      }
      expect((await statements()) - before).toBe(3)
    } finally {
      await db.destroy()
    }
  })

  test('MC-111 a project and its list of flows are cached, and changes of both are seen', async () => {
    await store.projects.insert(project)
    await store.flows.update('u1', 'f1', { folderId: 'p1' })
    const readBoth = () => Promise.all([store.projects.get('u1', 'p1'), store.flows.list(outline)])
    const [kept, list] = await readBoth()
    expect([kept, list.items.map(({ name }) => name)]).toEqual([project, ['Echo']])
    const again = await readBoth()
    expect(again[0]).toBe(kept)
    expect(again[1]).toBe(list)
    expect(await store.projects.get('u2', 'p1')).toBeNull()

    await store.flows.update('u1', 'f1', { name: 'Renamed', mcpEnabled: true })
    await store.projects.update('u1', 'p1', { name: 'Other' })
    const [changed, changedList] = await readBoth()
    expect(changed?.name).toBe('Other')
    expect(changedList.items).toMatchObject([{ name: 'Renamed', mcpEnabled: true }])

    await elsewhere(database.address, `update flow_flow set folder_id = null`)
    expect((await store.flows.list(outline)).items).toEqual([])
    await elsewhere(database.address, `delete from flow_project`)
    expect(await store.projects.get('u1', 'p1')).toBeNull()
  })

  test('changes of another process are seen by the next read', async () => {
    await read()
    await elsewhere(database.address, `update flow_user set is_active = 0`)
    expect((await store.users.get('u1'))?.isActive).toBe(false)
    await elsewhere(database.address, `update flow_flow set data = '{}', user_id = 'u2'`)
    expect(await store.flows.get('f1')).toMatchObject({ data: '{}', userId: 'u2' })
    await elsewhere(database.address, `delete from flow_api_key`)
    expect(await store.apiKeys.findByHash('h1')).toBeNull()
  })

  test('changes of this process are seen by the next read, however they are written', async () => {
    await read()
    await store.users.update('u1', { isActive: false })
    expect((await store.users.get('u1'))?.isActive).toBe(false)
    await store.flows.update('u1', 'f1', { data: '{"nodes":[{}]}' })
    expect((await store.flows.get('f1'))?.data).toBe('{"nodes":[{}]}')
    await store.transaction(async (tx) => {
      await tx.flows.update('u1', 'f1', { name: 'Second' })
      expect((await tx.flows.get('f1'))?.name).toBe('Second')
      // Nobody else sees it before the commit.
      expect((await store.flows.get('f1'))?.name).toBe('Echo')
    })
    expect((await store.flows.get('f1'))?.name).toBe('Second')
    await sql`update flow_flow set name = 'Third'`.execute(database.db)
    expect((await store.flows.get('f1'))?.name).toBe('Third')
    await store.apiKeys.addUses([{ id: 'k1', uses: 2, lastUsedAt: NOW }])
    expect((await store.apiKeys.findByHash('h1'))?.totalUses).toBe(2)
    await store.apiKeys.remove('u1', 'k1')
    expect(await store.apiKeys.findByHash('h1')).toBeNull()
    expect(await store.flows.remove('u1', ['f1'])).toEqual(['f1'])
    expect(await store.flows.get('f1')).toBeNull()
  })

  test('a rolled back transaction leaves the previous records', async () => {
    await read()
    const undone = store.transaction(async (tx) => {
      await tx.users.update('u1', { isActive: false })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    expect((await store.users.get('u1'))?.isActive).toBe(true)
  })

  test('a transaction that only reads, and so looks back, holds up no news', async () => {
    await read()
    const other = openSqlite<unknown>(database.address)
    await database.db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await sql`select 1 from flow_user`.execute(tx)
        await createFlowStore(other).users.update('u1', { isActive: false })
        expect((await store.users.get('u1'))?.isActive).toBe(false)
      })
    await other.destroy()
    expect((await store.users.get('u1'))?.isActive).toBe(false)
  })

  test('more flows than fit into the cache are all read correctly', async () => {
    const flows = Array.from({ length: 600 }, (_, n) => ({ ...flow, id: `x${n}`, name: `x${n}` }))
    await store.flows.insert(flows)
    for (const turn of [1, 2]) {
      for (const { id } of flows) expect((await store.flows.get(id))?.name, `${turn}`).toBe(id)
    }
  })
})
