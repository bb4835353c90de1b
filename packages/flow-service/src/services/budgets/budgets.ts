import type { Metrics, Runtime } from '@x/wire'
import type { BudgetUnit, RunBudget } from '@x/flow-engine'
import { refuse } from '../../refusal.ts'
import { type SharedBudget } from '@x/flow-engine/internal'
import type { FlowEngineOptions } from '../../options.ts'
import type { BudgetStore } from '../../store/budgets.ts'
import type { Caller } from '../base/caller.ts'
import { budgetOfRun, countersOf, fromCount, type BudgetOwner } from './budget-counters.ts'
import { BudgetLedger } from './budget-ledger.ts'
import type { BudgetScope, BudgetWindow } from './budget-options.ts'
import { BudgetUsedUp } from './budget-used-up.ts'
import { WindowBudget } from './shared-budget.ts'

type Amounts = { readonly [unit in BudgetUnit]?: number }

/** A budget over a window, as its users see it. */
export interface BudgetView {
  readonly per: BudgetScope
  readonly window: BudgetWindow
  readonly limit: Amounts
  readonly spent: Amounts
  readonly reserved: Amounts
  readonly endsAt: Date
}

/** Budgets of runs, flows, keys, users and the service. */
export interface BudgetService {
  /** What each run of a user may use. */
  ofRun(userId: string): RunBudget | undefined
  /** What the model calls of an owner share with others; undefined if there is no such limit. */
  of(owner: BudgetOwner): SharedBudget | undefined
  /**
   * Admits a run, whatever it needs.
   * @throws Refusal 429 until the window ends; StoreUnavailableError
   */
  admit(owner: BudgetOwner): Promise<void>
  /**
   * The caller's budgets; those of another user for a superuser, who also sees those of the service.
   * @throws Refusal 403
   */
  list(caller: Caller, userId: string | null): Promise<readonly BudgetView[]>
}

export interface BudgetServiceOptions {
  readonly options: Pick<FlowEngineOptions, 'budgets' | 'prices' | 'countTokens'>
  readonly store: BudgetStore
  readonly runtime: Runtime
  readonly metrics: Metrics | undefined
  readonly report: (error: unknown) => void
}

export function createBudgetService({
  options,
  store,
  runtime,
  metrics,
  report,
}: BudgetServiceOptions): BudgetService {
  const { limits = [], prices = options.prices } = options.budgets ?? {}
  const { countTokens = options.countTokens } = options.budgets ?? {}
  const ofRuns = limits.filter(({ per }) => per === 'run')
  const ofWindows = limits.filter(({ per }) => per !== 'run')
  const ledger =
    ofWindows.length === 0 ? undefined : new BudgetLedger({ store, runtime, metrics, report })
  return {
    ofRun: (userId) => (ofRuns.length === 0 ? undefined : budgetOfRun(ofRuns, userId)),
    of(owner) {
      if (ledger === undefined) return undefined
      const counters = () => countersOf(ofWindows, owner, ledger.now)
      return new WindowBudget({ ledger, counters, prices, countTokens, runtime })
    },
    async admit(owner) {
      if (ledger === undefined) return
      const counters = countersOf(ofWindows, owner, ledger.now)
      const counts = await ledger.read(counters)
      const usedUp = counters.find(({ limit }, index) => {
        const { used = 0, reserved = 0 } = counts[index] ?? {}
        return used - reserved >= limit
      })
      if (usedUp === undefined) return
      ledger.refused(usedUp)
      throw new BudgetUsedUp(usedUp, ledger.now)
    },
    async list(caller, userId) {
      const isOwn = userId === null || userId === caller.id
      if (!isOwn && !caller.isSuperuser) throw refuse(403, 'You may not read the budgets of others')
      if (ledger === undefined) return []
      const keyHash = isOwn ? (caller.keyHash ?? undefined) : undefined
      const owner = { userId: userId ?? caller.id, keyHash }
      const counters = countersOf(ofWindows, owner, ledger.now).filter(
        ({ per }) => per !== 'service' || caller.isSuperuser,
      )
      const counts = await ledger.read(counters)
      const views = new Map<string, BudgetView>()
      for (const [index, { per, window, unit, most, endsAt }] of counters.entries()) {
        const name = `${per} ${window}`
        const none = { per, window, limit: {}, spent: {}, reserved: {}, endsAt }
        const { limit, spent, reserved } = views.get(name) ?? none
        const { used = 0, reserved: held = 0 } = counts[index] ?? {}
        views.set(name, {
          ...none,
          limit: { ...limit, [unit]: most },
          spent: { ...spent, [unit]: fromCount(unit, used - held) },
          reserved: { ...reserved, [unit]: fromCount(unit, held) },
        })
      }
      return [...views.values()]
    },
  }
}
