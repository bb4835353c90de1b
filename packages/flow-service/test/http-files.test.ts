import { expect, test } from 'vitest'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import type { FlowStore } from '../src/store/flow-store.ts'
import { FlowFileError, type FlowFiles } from '../src/store/flow-files.ts'
import { createUserCalls } from '@x/test-kit'

/** A memory store that knows whether a transaction is open. */
function watchedStore(): { store: FlowStore; isOpen: () => boolean } {
  const store = createMemoryFlowStore()
  let open = 0
  return {
    isOpen: () => open > 0,
    store: {
      ...store,
      transaction: (work) =>
        store.transaction(async (tx) => {
          open += 1
          try {
            return await work(tx)
          } finally {
            open -= 1
          }
        }),
    },
  }
}

/** Takes every file but those called `refused`. */
function flowFiles(isOpen: () => boolean): FlowFiles & { readonly inside: boolean[] } {
  const inside: boolean[] = []
  return {
    inside,
    relative: () => null,
    async write(_userId, path) {
      inside.push(isOpen())
      if (path.startsWith('refused')) throw new FlowFileError('it is a folder')
    },
  }
}

const upload = (name: string) => {
  const body = new FormData()
  body.set('file', new File(['text'], name))
  return { body }
}

test('AB-77 no file is written inside a transaction', async () => {
  const { store, isOpen } = watchedStore()
  const written: boolean[] = []
  const blobs = createMemoryBlobStore()
  const files = {
    ...blobs,
    async stage() {
      const stage = await blobs.stage?.()
      if (stage === undefined) throw new TypeError('No stage')
      const create = (key: string) => {
        written.push(isOpen())
        return stage.create(key)
      }
      return { ...stage, create }
    },
  }
  const paths = flowFiles(isOpen)
  const { call, create, request } = await createUserCalls({ store, files, flowFiles: paths })
  const id = await create({ nodes: [], edges: [] }, { fs_path: 'a.json' })
  await call('PATCH', `/api/v1/flows/${id}`, { description: 'new' })
  expect((await request('POST', '/api/v2/files', upload('a.txt'))).status).toBe(201)
  expect(paths.inside).toEqual([false, false])
  expect(written).toEqual([false])
})

test('AB-77 a flow whose file is refused stays unchanged or is not created', async () => {
  const { store, isOpen } = watchedStore()
  const { call, create } = await createUserCalls({ store, flowFiles: flowFiles(isOpen) })
  const body = { name: 'new', data: null, fs_path: 'refused.json' }
  expect((await call('POST', '/api/v1/flows/', body)).status).toBe(400)
  const id = await create(null, { description: 'old', fs_path: 'a.json' })
  const change = { description: 'new', fs_path: 'refused.json' }
  expect((await call('PATCH', `/api/v1/flows/${id}`, change)).status).toBe(400)
  const { body: flows } = await call('GET', '/api/v1/flows/')
  expect(flows).toMatchObject([{ id, description: 'old' }])
  expect(await store.flows.get(id)).toMatchObject({ description: 'old', fsPath: 'a.json' })
})

test('AB-77 uploaded bytes are removed when their record cannot be stored', async () => {
  const store = createMemoryFlowStore()
  const files = createMemoryBlobStore()
  const failing: FlowStore = {
    ...store,
    userFiles: { ...store.userFiles, insert: () => Promise.reject(new Error('the disk is full')) },
  }
  const { request, record } = await createUserCalls({ store: failing, files })
  expect((await request('POST', '/api/v2/files', upload('a.txt'))).status).toBe(500)
  expect(await files.list(`users/${record.id}`)).toEqual([])
})

test('files of a user are removed when another program removes the user', async () => {
  const files = createMemoryBlobStore()
  const { engine, request, record } = await createUserCalls({ files })
  await request('POST', '/api/v2/files', upload('a.txt'))
  expect(await files.list(`users/${record.id}`)).toEqual(['a.txt'])
  engine.userWritten({ kind: 'remove', before: record, after: null })
  await expect.poll(() => files.list(`users/${record.id}`)).toEqual([])
})
