import { describe, expect, test } from 'vitest'
import type { Reservation } from '../../components/define/call-budget.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import type { RunBudget } from '../plan/run-budget.ts'
import { RunSpending } from './run-spending.ts'

const PRICES = { m: { input: 1, output: 2 } }

function spendingOf(budget: RunBudget, prices?: typeof PRICES): RunSpending {
  return new RunSpending({ budget, prices, countTokens: (_model, text) => text.length })
}

const call = (length: number, maxTokens?: number) => ({
  model: 'm',
  request: {
    messages: [{ role: 'user' as const, content: 'x'.repeat(length) }],
    ...(maxTokens === undefined ? {} : { maxTokens }),
  },
})

const held = (made: Reservation | Promise<Reservation>): Reservation => {
  if (made instanceof Promise) throw new Error('The call has to wait')
  return made
}

describe('RunSpending', () => {
  test('FC-92 calls at the same time share no token, and those that wait are served in order', async () => {
    const spending = spendingOf({ tokens: 100 })
    const first = held(spending.reserve(call(10, 60)))
    const order: string[] = []
    const second = Promise.resolve(spending.reserve(call(10, 60))).then((got) => {
      order.push('second')
      return got
    })
    const third = Promise.resolve(spending.reserve(call(1, 16))).then((got) => {
      order.push('third')
      return got
    })
    void first.settle({ inputTokens: 10, outputTokens: 5 })
    const [next] = await Promise.all([second, Promise.resolve()])
    expect(next.maxTokens).toBe(60)
    void next.settle({ inputTokens: 10, outputTokens: 20 })
    void (await third).settle({ inputTokens: 1, outputTokens: 16 })
    expect(order).toEqual(['second', 'third'])
    expect(spending.spent(0)).toMatchObject({ tokens: 62, modelCalls: 3 })
  })

  test('FC-92 a call that waits and is cancelled leaves its place to the next', async () => {
    const spending = spendingOf({ tokens: 100 })
    const first = held(spending.reserve(call(10, 60)))
    const left = new AbortController()
    const gone = Promise.resolve(spending.reserve(call(10, 80), left.signal))
    const waits = Promise.resolve(spending.reserve(call(4, 16)))
    left.abort(new Error('left'))
    await expect(gone).rejects.toThrow('left')
    expect((await waits).maxTokens).toBe(16)
    void first.settle()
  })

  test.each<[string, TokenUsage]>([
    ['negative', { inputTokens: -1_000_000, outputTokens: 0 }],
    ['no number', { inputTokens: Number.NaN, outputTokens: Number.NaN }],
    ['a fraction', { inputTokens: 1.5, outputTokens: 1 }],
    ['endless', { inputTokens: 0, outputTokens: Number.POSITIVE_INFINITY }],
  ])('FC-92 usage that is %s costs what was reserved', (_name, usage) => {
    const spending = spendingOf({ tokens: 100, money: 1 }, PRICES)
    void held(spending.reserve(call(10, 50))).settle(usage)
    expect(spending.spent(0)).toMatchObject({ tokens: 60, money: 0.00011 })
    expect(held(spending.reserve(call(10, 50))).maxTokens).toBe(30)
  })

  test.each([-5, 0, 2.5, Number.NaN])('FC-92 a longest answer of %s is no limit', (maxTokens) => {
    const spending = spendingOf({ tokens: 10_000 }, PRICES)
    expect(held(spending.reserve(call(10, maxTokens))).maxTokens).toBe(4096)
  })

  test('FC-92 a reservation is settled once', () => {
    const spending = spendingOf({ tokens: 100 })
    const one = held(spending.reserve(call(10, 20)))
    void one.settle({ inputTokens: 10, outputTokens: 1 })
    void one.settle({ inputTokens: 10, outputTokens: 1 })
    expect(spending.spent(0)).toMatchObject({ tokens: 11 })
  })
})
