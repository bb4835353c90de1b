import { BUDGET_HOLD_MS, type BudgetCount, type BudgetStore } from '../store/budgets.ts'

interface Counter {
  used: number
  endsAt: number
}

interface Hold {
  readonly id: string
  readonly key: string
  readonly amount: number
  readonly at: number
}

/** Counters of budgets in memory. They are not part of transactions: what was spent stays spent. */
export function createBudgets(): BudgetStore {
  const counters = new Map<string, Counter>()
  let holds: Hold[] = []
  const read = (key: string, at: Date): BudgetCount => {
    const young = holds.filter(
      (hold) => hold.key === key && hold.at > at.getTime() - BUDGET_HOLD_MS,
    )
    return {
      used: counters.get(key)?.used ?? 0,
      reserved: young.reduce((sum, { amount }) => sum + amount, 0),
    }
  }
  return {
    async reserve(id, shares, at) {
      const fits = shares.every(
        ({ key, amount, limit }) => (counters.get(key)?.used ?? 0) + amount <= limit,
      )
      if (!fits) return shares.map(({ key }) => read(key, at))
      for (const { key, amount, endsAt } of shares) {
        const used = (counters.get(key)?.used ?? 0) + amount
        counters.set(key, { used, endsAt: endsAt.getTime() })
        holds.push({ id, key, amount, at: at.getTime() })
      }
      return null
    },
    async settle(id, used) {
      for (const hold of holds) {
        const counter = hold.id === id ? counters.get(hold.key) : undefined
        if (counter === undefined) continue
        const { amount = 0 } = used.find(({ key }) => key === hold.key) ?? {}
        counter.used += amount - hold.amount
      }
      holds = holds.filter((hold) => hold.id !== id)
    },
    read: async (keys, at) => keys.map((key) => read(key, at)),
    async trim(before) {
      for (const [key, { endsAt }] of counters) if (endsAt < before.getTime()) counters.delete(key)
      holds = holds.filter(({ at }) => at >= before.getTime())
    },
  }
}
