import { afterEach, beforeEach, describe, it } from 'vitest'
import { defineFlowStoreContract } from '@x/flow-engine/testing'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'

const open = new WeakMap<object, Kysely<unknown>>()
defineFlowStoreContract(
  { describe, it, beforeEach, afterEach },
  {
    name: 'SQLite in memory',
    async create() {
      const db = openSqlite<unknown>(':memory:')
      await migrateFlow(db)
      const store = createFlowStore(db)
      open.set(store, db)
      return store
    },
    destroy: async (store) => {
      await open.get(store)?.destroy()
    },
  },
)
