import { expect, test } from 'vitest'
import { createTestRuntime } from '@x/wire'
import { createRunQuota } from './run-quota.ts'

test('OP-18: allows a day of runs at once, then the same number over the next day', async () => {
  const runtime = createTestRuntime()
  const quota = createRunQuota({ settings: { maxRunsPerDayPerUser: 24 }, runtime })
  const started = async (count: number, userId = 'ada'): Promise<number> => {
    const all = await Promise.allSettled(Array.from({ length: count }, () => quota.take(userId)))
    return all.filter(({ status }) => status === 'fulfilled').length
  }
  expect([await started(30), await started(30, 'bob')]).toEqual([24, 24])
  await expect(quota.take('ada')).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': '3600' },
  })
  await runtime.advance(3_600_000)
  expect(await started(3)).toBe(1)
  await runtime.advance(24 * 3_600_000)
  expect(await started(30)).toBe(24)
})

test('OP-18: a failing store makes the service unavailable', async () => {
  const store = { take: () => Promise.reject(new Error('gone')) }
  const settings = { maxRunsPerDayPerUser: 1 }
  const quota = createRunQuota({ settings, runtime: createTestRuntime(), store })
  await expect(quota.take('ada')).rejects.toMatchObject({ name: 'StoreUnavailableError' })
})

test('OP-18: what was not started can be started again, and never more than a day', async () => {
  const runtime = createTestRuntime()
  const quota = createRunQuota({ settings: { maxRunsPerDayPerUser: 2 }, runtime })
  const giveBack = await quota.take('ada')
  await quota.take('ada')
  await expect(quota.take('ada')).rejects.toMatchObject({ status: 429 })
  await giveBack()
  await giveBack()
  await giveBack()
  await quota.take('ada')
  await quota.take('ada')
  await expect(quota.take('ada')).rejects.toMatchObject({ status: 429 })
})
