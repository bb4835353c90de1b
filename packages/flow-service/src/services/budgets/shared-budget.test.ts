import type { FlowError } from '@x/flow-engine'
import { createTestRuntime } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'
import { createMemoryFlowStore } from '../../memory/flow-store.ts'
import type { BudgetLimit } from './budget-options.ts'
import { createBudgetService } from './budgets.ts'

function serviceOf(limits: readonly BudgetLimit[]) {
  const runtime = createTestRuntime()
  const { budgets: store } = createMemoryFlowStore()
  const errors: unknown[] = []
  const budgets = createBudgetService({
    options: { budgets: { limits, countTokens: (_model, text) => text.length } },
    store,
    runtime,
    metrics: undefined,
    report: (error) => errors.push(error),
  })
  const owner = { userId: 'u', flowId: 'f' }
  const shared = () => {
    const budget = budgets.of(owner)
    if (budget === undefined) throw new TypeError('There is a budget')
    return budget
  }
  return { runtime, store, budgets, owner, shared, errors }
}

const call = (length: number, maxTokens: number) => ({
  model: 'm',
  request: { messages: [{ role: 'user' as const, content: 'x'.repeat(length) }], maxTokens },
})

test('FC-93 a call that does not fit waits for those of other runs, and is lowered to what is left', async () => {
  const { shared, owner, budgets } = serviceOf([{ per: 'user', window: 'day', tokens: 100 }])
  const first = await shared().reserve(call(10, 60))
  let isHeld = false
  const second = Promise.resolve(shared().reserve(call(10, 60))).then((held) => {
    isHeld = true
    return held
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isHeld).toBe(false)
  await first.settle({ inputTokens: 10, outputTokens: 50 })
  const held = await second
  expect(held.maxTokens).toBe(30)
  await held.settle()
  await expect(budgets.admit(owner)).rejects.toThrow('The budget of the user for today is used up')
})

test('FC-93 waiting ends with the run', async () => {
  const { shared } = serviceOf([{ per: 'service', window: 'hour', tokens: 100 }])
  await shared().reserve(call(10, 60))
  const left = new AbortController()
  const waits = shared().reserve(call(10, 60), left.signal)
  left.abort(new Error('left'))
  await expect(waits).rejects.toThrow('left')
})

test('FC-101 what a dead process holds is spent after 15 minutes', async () => {
  const { runtime, shared } = serviceOf([{ per: 'user', window: 'day', tokens: 100 }])
  await shared().reserve(call(10, 60))
  const waits = shared().reserve(call(31, 16))
  const later = runtime.advance(15 * 60_000 + 500)
  await expect(waits).rejects.toMatchObject({
    code: 'budget_exceeded',
    status: 429,
    details: { scope: 'user', unit: 'tokens', limit: 100, spent: 70 },
  })
  await later
})

test('FC-101 a call that was not made gives back what it held', async () => {
  const { shared, store, runtime } = serviceOf([{ per: 'flow', window: 'hour', modelCalls: 1 }])
  const held = await shared().reserve(call(1, 16))
  await held.undo()
  expect(await store.read(['flow f hour 2030-01-01T00 modelCalls'], runtime.now())).toEqual([
    { used: 0, reserved: 0 },
  ])
  await (await shared().reserve(call(1, 16))).settle()
  await expect(shared().reserve(call(1, 16))).rejects.toThrow(
    'The budget of 1 model calls is used up (1 spent; the next request needs about 1)',
  )
})

test('FC-100 FC-95 seconds of several runs are counted together, and end them', async () => {
  const { runtime, shared, store, errors } = serviceOf([
    { per: 'user', window: 'day', seconds: 30 },
  ])
  const ended: FlowError[] = []
  const first = shared().work((error) => ended.push(error))
  shared().work((error) => ended.push(error))
  await runtime.advance(10_000)
  first?.()
  await runtime.advance(9000)
  expect(ended).toEqual([])
  await runtime.advance(2000)
  expect(ended).toMatchObject([
    { code: 'budget_exceeded', details: { scope: 'user', unit: 'seconds', limit: 30 } },
  ])
  const [count] = await store.read(['user u day 2030-01-01T00 seconds'], runtime.now())
  expect(count?.used).toBeGreaterThanOrEqual(29_500)
  expect(count?.used).toBeLessThanOrEqual(30_000)
  expect(errors).toEqual([])
})
