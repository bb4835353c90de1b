import type { Counter, Metrics, Runtime } from '@x/wire'
import { FlowError } from '@x/flow-engine'
import { StoreUnavailableError } from '@x/flow-engine/store'
import type { BudgetCount, BudgetStore } from '../../store/budgets.ts'
import { fromCount, type BudgetCounter } from './budget-counters.ts'

/** A reservation that the store has accepted. */
export interface HeldShares {
  /** Replaces it by what was used, in the order of the counters. Never rejects. */
  settle(used: readonly number[]): Promise<void>
}

export interface BudgetLedgerOptions {
  readonly store: BudgetStore
  readonly runtime: Runtime
  readonly metrics: Metrics | undefined
  /** Receives failures of the store after a call: what it held stays spent. */
  readonly report: (error: unknown) => void
}

/** How long a call waits for those of other processes before it tries again, in milliseconds. */
const POLL_MS = 500
/** Counters are kept this long after the end of their window. */
const KEPT_MS = 62 * 86_400_000
const TRIM_MS = 3_600_000

/** What all budgets of a service have used, in the store; wakes the calls of this process that wait. */
export class BudgetLedger {
  readonly #options: BudgetLedgerOptions
  readonly #waiting = new Set<() => void>()
  readonly #spent: Counter | undefined
  readonly #refused: Counter | undefined
  #trimAt = 0

  constructor(options: BudgetLedgerOptions) {
    this.#options = options
    const { metrics } = options
    const labels = ['unit', 'per']
    this.#spent = metrics?.counter({
      name: 'flow_budget_spent_total',
      help: 'What runs of this process have used of budgets: tokens, money, seconds, calls.',
      labels,
    })
    this.#refused = metrics?.counter({
      name: 'flow_budget_refused_total',
      help: 'Runs and model calls of this process that a used up budget has refused.',
      labels,
    })
  }

  get now(): Date {
    return this.#options.runtime.now()
  }

  /** @throws StoreUnavailableError */
  async read(counters: readonly BudgetCounter[]): Promise<readonly BudgetCount[]> {
    const { store } = this.#options
    const keys = counters.map(({ key }) => key)
    return counters.length === 0 ? [] : await reached(() => store.read(keys, this.now))
  }

  /**
   * Reserves an amount of each counter, or nothing.
   * @throws FlowError `store_unavailable`
   */
  async reserve(
    counters: readonly BudgetCounter[],
    amounts: readonly number[],
  ): Promise<HeldShares | readonly BudgetCount[]> {
    const { store, runtime, report } = this.#options
    const now = this.now
    if (now.getTime() >= this.#trimAt) {
      this.#trimAt = now.getTime() + TRIM_MS
      void store.trim(new Date(now.getTime() - KEPT_MS)).catch(report)
    }
    const id = runtime.uuid()
    const shares = counters.map(({ key, limit, endsAt }, index) => ({
      key,
      limit,
      endsAt,
      amount: amounts[index] ?? 0,
    }))
    try {
      const counts = await store.reserve(id, shares, now)
      if (counts !== null) return counts
    } catch (cause) {
      throw new FlowError('store_unavailable', 'The store of budgets does not answer', { cause })
    }
    return {
      settle: async (used) => {
        counters.forEach(({ unit, per }, index) =>
          this.#spent?.add({ unit, per }, fromCount(unit, used[index] ?? 0)),
        )
        const parts = counters.map(({ key }, index) => ({ key, amount: used[index] ?? 0 }))
        await store.settle(id, parts).catch(report)
        for (const wake of this.#waiting) wake()
      },
    }
  }

  refused({ unit, per }: BudgetCounter): void {
    this.#refused?.add({ unit, per })
  }

  /** Waits until another call has been settled. @throws the reason of the signal */
  async settled(signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController()
    const wake = (): void => woken.abort()
    this.#waiting.add(wake)
    const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal])
    try {
      await this.#options.runtime.sleep(POLL_MS, either)
    } catch {
      signal?.throwIfAborted()
    } finally {
      this.#waiting.delete(wake)
    }
  }
}

async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new StoreUnavailableError({ cause, message: 'The store of budgets does not answer' })
  }
}
