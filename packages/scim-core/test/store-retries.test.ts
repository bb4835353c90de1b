import { StoreUnavailableError, type ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { createScim } from './support.ts'

/** A store whose next transactions fail when their work is done, and the pauses between them. */
function failingStore(retryable: boolean) {
  const memory = createMemoryScimStore()
  let failures = 0
  let attempts = 0
  const store: ScimStore & Pick<typeof memory, 'outbox'> = {
    ...memory,
    transaction: (tenant, work, options) =>
      memory.transaction(
        tenant,
        async (tx) => {
          const result = await work(tx)
          attempts += 1
          if (failures === 0) return result
          failures -= 1
          throw new StoreUnavailableError('deadlock', { retryable })
        },
        options,
      ),
  }
  const pauses: number[] = []
  const runtime = {
    ...createTestRuntime(),
    sleep: async (ms: number) => {
      pauses.push(ms)
    },
  }
  const scim = createScim({ store, runtime, outbox: true })
  const fail = (count: number): void => {
    failures = count
    attempts = 0
    pauses.length = 0
  }
  return { memory, scim, fail, pauses, attempts: () => attempts }
}

describe('SH-62 a transaction that the store could not complete', () => {
  test('is repeated up to five times, after growing pauses, and leaves one set of events', async () => {
    const { memory, scim, fail, pauses } = failingStore(true)
    fail(5)
    const { status, body } = await scim.post('/Users', { userName: 'ada@corp.example' })
    expect(status).toBe(201)
    const bases = [5, 10, 20, 40, 80]
    expect(pauses).toHaveLength(5)
    for (const [n, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(bases[n] ?? 0)
      expect(pause).toBeLessThanOrEqual((bases[n] ?? 0) * 1.5)
    }
    const { events } = await memory.outbox.read('default')
    expect(events).toMatchObject([{ type: 'user.created', resourceId: body.id }])
    expect(scim.events.filter((name) => name === 'user.created')).toHaveLength(1)
    expect((await scim.get('/Users')).body['totalResults']).toBe(1)
  })

  test('is 503 after the sixth attempt, and nothing is written', async () => {
    const { memory, scim, fail, attempts } = failingStore(true)
    fail(6)
    const answer = await scim.post('/Users', { userName: 'ada@corp.example' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(attempts()).toBe(6)
    expect((await memory.outbox.read('default')).events).toEqual([])
    expect((await scim.get('/Users')).body['totalResults']).toBe(0)
  })

  test('is not repeated when that cannot help', async () => {
    const { scim, fail, attempts, pauses } = failingStore(false)
    fail(1)
    expect((await scim.post('/Users', { userName: 'ada@corp.example' })).status).toBe(503)
    expect([attempts(), pauses]).toEqual([1, []])
  })
})
