import { randomUUID } from 'node:crypto'
import { createTestRuntime } from '@x/flow-engine/testing'
import { createFlowStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { expect, test } from 'vitest'
import { startMaintenance } from '../src/maintenance.ts'

const HOUR_MS = 3_600_000

test('messages of public builds are deleted after the retention period; others are kept', async () => {
  const db = openSqlite(':memory:')
  await migrateFlow(db)
  const store = createFlowStore(db)
  const runtime = createTestRuntime()
  const insert = async (userId: string | null): Promise<string> => {
    const id = randomUUID()
    await store.messages.insert({
      id,
      userId,
      flowId: null,
      timestamp: runtime.now(),
      sender: 'User',
      senderName: 'User',
      sessionId: 's',
      contextId: null,
      text: 'hello',
      files: [],
      error: false,
      edit: false,
      category: 'message',
      properties: {},
      contentBlocks: [],
      duration: null,
    })
    return id
  }
  const isThere = async (id: string): Promise<boolean> => (await store.messages.get(id)) !== null

  const [open, own] = [await insert(null), await insert('ada')]
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const maintenance = startMaintenance({ db, store, retentionMs: 2 * HOUR_MS, runtime, onError })
  await runtime.advance(60_000)
  await runtime.advance(HOUR_MS)
  expect(await isThere(open)).toBe(true)
  const isThereAnHourLater = async (): Promise<boolean> => {
    await runtime.advance(HOUR_MS)
    return isThere(open)
  }
  await expect.poll(isThereAnHourLater).toBe(false)
  await maintenance.stop()

  expect(await isThere(own)).toBe(true)
  expect(errors).toEqual([])
  await db.destroy()
})
