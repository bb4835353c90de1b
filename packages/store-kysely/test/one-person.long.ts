// Runs each night (.ci/night).
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { expect, test } from 'vitest'
import { emptyTables, memoryDatabase } from './databases.ts'
import { runHistory } from './one-person.ts'

const TIMEOUT_MS = 1_800_000

test('SF-60 100,000 steps of histories in memory', { timeout: TIMEOUT_MS }, async () => {
  for (let seed = 1_000; seed < 3_500; seed += 1) {
    await runHistory({ store: createMemoryScimStore() }, { seed, steps: 40 })
  }
  expect.hasAssertions()
})

test('SF-60 20,000 steps of histories in SQL', { timeout: TIMEOUT_MS }, async () => {
  const database = await memoryDatabase()
  const { db } = database
  try {
    await migrateScim(db)
    for (let seed = 5_000; seed < 5_500; seed += 1) {
      await emptyTables(db)
      await runHistory({ store: createScimStore(db) }, { seed, steps: 40 })
    }
    expect.hasAssertions()
  } finally {
    await database.close()
  }
})
