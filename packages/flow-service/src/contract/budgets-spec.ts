import assert from 'node:assert/strict'
import type { Subject } from '@x/flow-engine/internal/node'
import type { BudgetShare } from '../store/budgets.ts'
import type { FlowStore } from '../store/flow-store.ts'
import { timeOf } from './records.ts'

const MINUTE = 60_000
const at = timeOf(1)
const later = (minutes: number): Date => new Date(at.getTime() + minutes * MINUTE)
const endsAt = later(60)

const share = (key: string, amount: number, limit: number): BudgetShare => ({
  key,
  amount,
  limit,
  endsAt,
})

/** Specs of budgets over windows. */
export function describeBudgets({ it, store }: Subject<FlowStore>): void {
  it('FC-101 budgets: all shares are added, or none', async () => {
    const { budgets } = store()
    assert.equal(await budgets.reserve('1', [share('b', 5, 10), share('a', 60, 100)], at), null)
    const full = [share('b', 6, 10), share('a', 1, 100), share('new', 1, 1)]
    assert.deepEqual(await budgets.reserve('2', full, at), [
      { used: 5, reserved: 5 },
      { used: 60, reserved: 60 },
      { used: 0, reserved: 0 },
    ])
    assert.deepEqual(await budgets.reserve('3', [share('large', 3, 2)], at), [
      { used: 0, reserved: 0 },
    ])
    assert.equal(await budgets.reserve('4', [share('b', 5, 10)], at), null)
    assert.deepEqual(await budgets.read(['new', 'b'], at), [
      { used: 0, reserved: 0 },
      { used: 10, reserved: 10 },
    ])
  })

  it('FC-101 budgets: calls at the same time never spend one remainder twice', async () => {
    const { budgets } = store()
    const tried = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const shares = [share('x', 3, 50), share('y', 1, 50)]
        return budgets.reserve(String(n), n % 2 === 0 ? shares : shares.toReversed(), at)
      }),
    )
    assert.equal(tried.filter((counts) => counts === null).length, 16)
    assert.deepEqual(await budgets.read(['x', 'y'], at), [
      { used: 48, reserved: 48 },
      { used: 16, reserved: 16 },
    ])
  })

  it('FC-101 budgets: a call is settled once, with less or more than it held', async () => {
    const { budgets } = store()
    await budgets.reserve('1', [share('a', 10, 50), share('b', 10, 50)], at)
    const used = [
      { key: 'a', amount: 4 },
      { key: 'b', amount: 25 },
    ]
    await budgets.settle('1', used)
    await budgets.settle('1', used)
    await budgets.settle('unknown', used)
    assert.deepEqual(await budgets.read(['a', 'b'], at), [
      { used: 4, reserved: 0 },
      { used: 25, reserved: 0 },
    ])
  })

  it('FC-101 budgets: what is not settled counts as spent after 15 minutes, and stays', async () => {
    const { budgets } = store()
    await budgets.reserve('1', [share('a', 10, 50)], at)
    assert.deepEqual(await budgets.read(['a'], later(14)), [{ used: 10, reserved: 10 }])
    assert.deepEqual(await budgets.read(['a'], later(15)), [{ used: 10, reserved: 0 }])
  })

  it('FC-101 budgets: numbers of money in billionths stay exact', async () => {
    const { budgets } = store()
    const most = 9_000_000_000_000_000
    await budgets.reserve('1', [share('a', most - 1, most)], at)
    assert.equal(await budgets.reserve('2', [share('a', 1, most)], at), null)
    assert.deepEqual(await budgets.read(['a'], at), [{ used: most, reserved: most }])
  })

  it('FC-101 budgets: old windows are removed', async () => {
    const { budgets } = store()
    await budgets.reserve('1', [share('old', 1, 2)], at)
    await budgets.reserve('2', [{ ...share('new', 1, 2), endsAt: later(120) }], later(61))
    await budgets.trim(later(61))
    assert.deepEqual(await budgets.read(['old', 'new'], later(61)), [
      { used: 0, reserved: 0 },
      { used: 1, reserved: 1 },
    ])
  })
}
