import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFlowService } from '@x/flow-service'
import { memoryStorage } from '@x/flow-service/memory'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { postgresStorage, sqliteStorage, type SqlStorage } from '@x/store-kysely/storage'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const secretKey = 'at least 32 characters of your own secret'
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storage-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe.each(['sqlite', 'postgres'] as const)('storage in one call: %s', (kind) => {
  if (kind === 'postgres' && postgresUrl === null) return
  let database: TestDatabase | undefined
  const open = async (migrate?: boolean): Promise<SqlStorage> => {
    const options = { files: join(folder, 'files'), ...(migrate === undefined ? {} : { migrate }) }
    if (kind === 'sqlite') return await sqliteStorage(join(folder, 'service.db'), options)
    database ??= await postgresDatabase()
    return await postgresStorage(database.address, options)
  }
  afterEach(async () => {
    await database?.close()
    database = undefined
  })

  test('keeps users with passwords, and their files, over a restart', async () => {
    let storage = await open()
    let engine = createFlowService({ storage, secretKey })
    const user = { username: 'ada', password: 'secret-1', isActive: true }
    const { id } = await engine.services.users.create(user)
    await storage.files.write('a/b', new Uint8Array([1, 2]))
    await engine.close()
    await storage.close()

    storage = await open(false)
    engine = createFlowService({ storage, secretKey })
    expect(await storage.flows.users.get(id)).toMatchObject({ username: 'ada' })
    expect(await storage.files.read('a/b')).toEqual(new Uint8Array([1, 2]))
    const body = new URLSearchParams({ username: 'ada', password: 'secret-1' })
    const request = new Request('http://host.example/api/v1/login', { method: 'POST', body })
    expect((await engine.handler(request)).status).toBe(200)
    await engine.close()
    await storage.close()
  })

  test('without migrations, tables that are not up to date are refused, and nothing stays open', async () => {
    await expect(open(false)).rejects.toMatchObject({ name: 'MigrationError' })
    const storage = await open()
    await migrateScim(storage.db)
    expect(createScimStore(storage.db)).toBeDefined()
    await storage.close()
  })
})

describe('the option storage', () => {
  test('holds all stores in memory, too', async () => {
    const engine = createFlowService({ storage: memoryStorage(), secretKey })
    expect((await engine.handler(new Request('http://host.example/health'))).status).toBe(200)
    await engine.close()
  })

  test.each(['store', 'jobs', 'files'] as const)('excludes %s', (name) => {
    const storage = memoryStorage()
    const given = { store: storage.flows, jobs: storage.jobs, files: storage.files }[name]
    expect(() => createFlowService({ storage, secretKey, [name]: given })).toThrow(
      `createFlowService: the options "storage" and "${name}" exclude each other`,
    )
  })

  test('may be missing only where store and files are given', () => {
    const { flows: store } = memoryStorage()
    expect(() => createFlowService({ secretKey })).toThrow(
      'createFlowService: option "store" is required',
    )
    expect(() => createFlowService({ secretKey, store })).toThrow(
      'createFlowService: option "files" is required',
    )
  })
})
