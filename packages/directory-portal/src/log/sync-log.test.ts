import type { ScimObservation } from '@x/scim-core'
import { createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { createMemoryPortalStore } from '../memory/store.ts'
import type { LogBatch } from '../store/portal-store.ts'
import { createSyncLog } from './sync-log.ts'

/** A log over a database that writes when it is told to. */
function slowLog() {
  const runtime = createTestRuntime()
  const store = createMemoryPortalStore()
  const errors: unknown[] = []
  const batches: LogBatch[] = []
  const writes: { resolve: () => void; reject: (error: unknown) => void }[] = []
  const append = (batch: LogBatch): Promise<void> => {
    batches.push(batch)
    return new Promise((resolve, reject) => writes.push({ resolve, reject }))
  }
  const log = createSyncLog({
    store: { ...store, log: { ...store.log, append } },
    runtime,
    onError: (error) => errors.push(error),
  })
  const observe = (count: number): void => {
    for (let n = 0; n < count; n += 1) log.observe(observation(`r${n}`))
  }
  /** Lets promises that are ready go on. */
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return { log, runtime, errors, batches, writes, observe, settle }
}

function observation(requestId: string): ScimObservation {
  return {
    requestId,
    at: '2026-01-01T00:00:00.000Z',
    tenant: 'acme',
    connectionId: 'c1',
    op: 'list',
    resourceType: 'User',
    resourceId: null,
    name: null,
    path: '/Users',
    detail: null,
    status: 200,
    changed: [],
    ignored: [],
    durationMs: 1,
    secretId: null,
    clientAddress: null,
  } as unknown as ScimObservation
}

describe('createSyncLog', () => {
  test('DP-33 one batch is on its way at a time, however many requests arrive', async () => {
    const { log, batches, writes, observe, settle } = slowLog()
    observe(5_000)
    await settle()
    expect(batches).toHaveLength(1)
    const flushed = log.flush()
    while (batches.length < 50) {
      writes.at(-1)?.resolve()
      await settle()
    }
    writes.at(-1)?.resolve()
    await flushed
    expect(batches.map(({ log: rows }) => rows.length)).toEqual(
      Array.from({ length: 50 }, () => 100),
    )
  })

  test('DP-33 a flush does not wait for what arrives after it', async () => {
    const { log, writes, observe, settle } = slowLog()
    observe(3)
    const flushed = log.flush()
    observe(3)
    await settle()
    writes[0]?.resolve()
    await flushed
    expect(writes).toHaveLength(1)
  })

  test('DP-33 requests that a slow database loses are told with their number', async () => {
    const { errors, writes, observe, settle } = slowLog()
    observe(10_150)
    await settle()
    writes[0]?.resolve()
    await settle()
    expect(errors).toEqual([new Error('The sync log lost 50 requests: the database was too slow.')])
  })

  test('DP-33 a batch that cannot be written is told, and the next one is written', async () => {
    const { log, errors, batches, writes, observe, settle } = slowLog()
    observe(1)
    const first = log.flush()
    writes[0]?.reject(new Error('gone'))
    await first
    observe(1)
    const second = log.flush()
    await settle()
    writes[1]?.resolve()
    await second
    expect([errors, batches.length]).toEqual([[new Error('gone')], 2])
  })
})
