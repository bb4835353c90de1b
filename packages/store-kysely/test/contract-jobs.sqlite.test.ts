import { afterEach, beforeEach, describe, it } from 'vitest'
import { defineJobStoreContract } from '@x/flow-engine/testing'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'

const open = new WeakMap<object, Kysely<unknown>>()
defineJobStoreContract(
  { describe, it, beforeEach, afterEach },
  {
    name: 'SQLite in memory',
    async create() {
      const db = openSqlite<unknown>(':memory:')
      await migrateFlow(db)
      const store = createJobStore(db)
      open.set(store, db)
      return store
    },
    destroy: async (store) => {
      await open.get(store)?.destroy()
    },
  },
)
