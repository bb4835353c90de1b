import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import {
  createAuditStore,
  createFlowStore,
  createJobStore,
  migrateFlow,
} from '@x/store-kysely/flow'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import {
  defineConnectionStoreContract,
  defineOutboxStoreContract,
  defineResourceStoreContract,
  defineScimStoreContract,
  defineTokenStoreContract,
} from '@x/scim-core/testing'
import { defineAuditStoreContract, defineFlowStoreContract } from '@x/flow-service/testing'
import { defineJobStoreContract } from '@x/flow-engine/testing'
import { emptyTables, type TestDatabase } from './databases.ts'

const frame = { describe, it, beforeEach, afterEach }

/**
 * All contracts on one kind of database, which is emptied between tests; `scim`: those of provisioning
 * alone.
 */
export function defineContracts(
  name: string,
  open: () => Promise<TestDatabase>,
  which: 'all' | 'scim' = 'all',
): void {
  let database: TestDatabase
  const empty = async (): Promise<TestDatabase['db']> => {
    await emptyTables(database.db)
    return database.db
  }

  describe(`contracts: ${name}`, () => {
    beforeAll(async () => {
      database = await open()
      await migrateFlow(database.db)
      await migrateScim(database.db)
    })
    afterAll(() => database.close())

    defineScimStoreContract(frame, { name, create: async () => createScimStore(await empty()) })
    defineOutboxStoreContract(frame, { name, create: async () => createScimStore(await empty()) })
    defineTokenStoreContract(frame, {
      name,
      create: async () => createScimStore(await empty()).tokens,
    })
    defineConnectionStoreContract(frame, {
      name,
      create: async () => createScimStore(await empty()).connections,
    })
    defineResourceStoreContract(frame, {
      name,
      create: async () => createScimStore(await empty()).resources('Role'),
    })
    if (which === 'scim') return
    defineFlowStoreContract(frame, { name, create: async () => createFlowStore(await empty()) })
    defineAuditStoreContract(frame, { name, create: async () => createAuditStore(await empty()) })
    defineJobStoreContract(frame, { name, create: async () => createJobStore(await empty()) })
  })
}
