import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CollectionStore } from '@x/flow-service/store'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'

/** The database of Chroma and FAISS collections when the service uses SQLite. */
export interface VectorDatabase {
  readonly collections: CollectionStore
  close(): Promise<void>
}

/** A separate database file in `folder`, created when the first collection is used. */
export function createVectorDatabase(folder: string): VectorDatabase {
  const file = join(folder, 'collections.db')
  let opened: ReturnType<typeof open> | undefined
  const store = async (): Promise<CollectionStore> =>
    (await (opened ??= open(folder, file))).collections
  return {
    collections: {
      get: async (...place) => (await store()).get(...place),
      list: async (...place) => (await store()).list(...place),
      insert: async (record) => (await store()).insert(record),
      remove: async (...place) => (await store()).remove(...place),
      async removeOfUser(userId) {
        if (opened !== undefined || existsSync(file)) await (await store()).removeOfUser(userId)
      },
      add: async (...added) => (await store()).add(...added),
      texts: async (...wanted) => (await store()).texts(...wanted),
      vectors: async (...wanted) => (await store()).vectors(...wanted),
      rows: async (...wanted) => (await store()).rows(...wanted),
    },
    async close() {
      await (await opened)?.db.destroy()
    },
  }
}

async function open(folder: string, file: string) {
  mkdirSync(folder, { recursive: true })
  const db = openSqlite(file, { cacheMiB: 8 })
  await migrateFlow(db)
  return { db, collections: createFlowStore(db).collections }
}
