import { expect, test } from 'vitest'
import { createMemoryBlobStore } from '../src/memory/blob-store.ts'
import { createMemoryFlowStore } from '../src/memory/flow-store.ts'
import type { BlobStore } from '../src/store/blob-store.ts'
import type { FlowStore } from '../src/store/flow-store.ts'
import { createUserCalls } from '@x/test-kit'

/** A store that removes its users just before it stores something of them. */
function removingUsers(store: FlowStore): FlowStore {
  const remove = async (): Promise<void> => {
    for (const { id } of (await store.users.list({})).items) await store.users.remove(id)
  }
  const inserting = <R>(table: { insert(record: R): Promise<void> }) => ({
    insert: async (record: R) => {
      await remove()
      await table.insert(record)
    },
  })
  const { apiKeys, variables, userFiles, mcpServers } = store
  return {
    ...store,
    apiKeys: { ...apiKeys, ...inserting(apiKeys) },
    variables: { ...variables, ...inserting(variables) },
    userFiles: { ...userFiles, ...inserting(userFiles) },
    mcpServers: { ...mcpServers, ...inserting(mcpServers) },
    transaction: async (work) => {
      await remove()
      return await store.transaction(work)
    },
  }
}

const upload = (): RequestInit => {
  const body = new FormData()
  body.append('file', new Blob(['text']), 'a.txt')
  return { body }
}

const json = (value: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

test.each([
  ['/api/v1/api_key/', json({ name: 'key' })],
  ['/api/v1/variables/', json({ name: 'a', value: 'b', type: 'Generic', default_fields: [] })],
  ['/api/v1/flows/', json({ name: 'flow', data: { nodes: [], edges: [] } })],
  ['/api/v1/flows/batch/', json({ flows: [{ name: 'flow', data: { nodes: [], edges: [] } }] })],
  ['/api/v1/projects/', json({ name: 'project' })],
  ['/api/v2/mcp/servers/tools', json({ url: 'https://tools.example/' })],
  ['/api/v2/files', upload()],
])('AB-78: POST %s leaves nothing of a user who is removed meanwhile', async (path, init) => {
  const store = createMemoryFlowStore()
  const files = createMemoryBlobStore()
  const { request, record, engine } = await createUserCalls({
    store: removingUsers(store),
    files,
  })
  expect(await request('POST', path, init)).toMatchObject({ status: 401 })
  const { id } = record
  expect(await store.apiKeys.list(id)).toEqual([])
  expect(await store.variables.list(id)).toEqual([])
  expect(await store.projects.list(id)).toEqual([])
  expect(await store.mcpServers.list(id)).toEqual([])
  expect(await store.userFiles.list(id)).toEqual([])
  expect(await files.list(`users/${id}`)).toEqual([])
  const flows = await store.flows.list({ userId: id, order: 'created', data: 'none' })
  expect(flows.total).toBe(0)
  await engine.close()
})

test('AB-78: a file that is uploaded while its flow is removed is removed, too', async () => {
  const store = createMemoryFlowStore()
  const files = createMemoryBlobStore()
  const removing: BlobStore = {
    write: (key, bytes) => files.write(key, bytes),
    async create(key, bytes) {
      await store.flows.remove(record.id, [flow])
      return await files.create(key, bytes)
    },
    read: (key) => files.read(key),
    size: (key) => files.size(key),
    update: (key, change) => files.update(key, change),
    list: (key) => files.list(key),
    remove: (key) => files.remove(key),
    removeFolder: (key) => files.removeFolder(key),
  }
  const { request, create, record, engine } = await createUserCalls({ store, files: removing })
  const flow = await create({ nodes: [], edges: [] })
  const answer = await request('POST', `/api/v1/files/upload/${flow}`, upload())
  expect(answer).toMatchObject({ status: 404, body: { detail: 'Flow not found' } })
  expect(await files.list(`flows/${flow}`)).toEqual([])
  await engine.close()
})

test('AB-78: uploads at once do not exceed the files of a flow', async () => {
  const settings = { maxFilesPerUser: 5 }
  const { request, create, engine } = await createUserCalls({ settings })
  const flow = await create({ nodes: [], edges: [] })
  const send = () => request('POST', `/api/v1/files/upload/${flow}`, upload())
  const statuses = (await Promise.all(Array.from({ length: 20 }, send))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(5)
  expect(statuses.filter((status) => status === 400)).toHaveLength(15)
  await engine.close()
})
