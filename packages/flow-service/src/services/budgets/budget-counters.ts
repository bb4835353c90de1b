import type { BudgetUnit, RunBudget } from '@x/flow-engine'
import { codeHash, tighterBudget } from '@x/flow-engine/internal'
import {
  SCOPES,
  UNITS,
  WINDOWS,
  type BudgetLimit,
  type BudgetScope,
  type BudgetWindow,
} from './budget-options.ts'

/** Whose budgets a run uses. */
export interface BudgetOwner {
  readonly userId: string
  /** The stored flow; absent for calls of a user outside of flows. */
  readonly flowId?: string | undefined
  /** The hash of the API key with which it was started. */
  readonly keyHash?: string | undefined
}

/** One limited unit of one budget in its current window. */
export interface BudgetCounter {
  readonly key: string
  readonly per: Exclude<BudgetScope, 'run'>
  readonly window: BudgetWindow
  readonly unit: BudgetUnit
  /** As it was given. */
  readonly most: number
  /** In whole units, as the store counts. */
  readonly limit: number
  readonly endsAt: Date
}

/** What the store counts: tokens, calls, billionths of the currency, milliseconds. */
const STEPS: Readonly<Record<BudgetUnit, number>> = {
  tokens: 1,
  modelCalls: 1,
  money: 1e9,
  seconds: 1000,
}

export const toCount = (unit: BudgetUnit, value: number): number => Math.round(value * STEPS[unit])
export const fromCount = (unit: BudgetUnit, count: number): number => count / STEPS[unit]

/** The budget of each run of a user, besides those over windows. */
export function budgetOfRun(limits: readonly BudgetLimit[], userId: string): RunBudget | undefined {
  return limitFor(limits, { per: 'run', window: undefined }, userId)?.budget
}

/** The counters that apply to a run at a time, always in the same order. */
export function countersOf(
  limits: readonly BudgetLimit[],
  owner: BudgetOwner,
  at: Date,
): BudgetCounter[] {
  return SCOPES.flatMap((per) =>
    WINDOWS.flatMap((window) => {
      const found = limitFor(limits, { per, window }, owner.userId)
      const subject = {
        service: found?.group,
        user: owner.userId,
        key: owner.keyHash,
        flow: owner.flowId,
      }[per]
      if (found === undefined || subject === undefined) return []
      const { startsAt, endsAt } = windowAt(window, at)
      return UNITS.flatMap((unit) => {
        const most = found.budget[unit]
        if (most === undefined) return []
        const key = [per, subject, window, startsAt.toISOString().slice(0, 13), unit].join(' ')
        return [{ key, per, window, unit, most, limit: toCount(unit, most), endsAt }]
      })
    }),
  )
}

/** Those that name the user replace the general ones; of several, the smaller count. */
function limitFor(
  limits: readonly BudgetLimit[],
  { per, window }: Pick<BudgetLimit, 'per'> & { readonly window: BudgetWindow | undefined },
  userId: string,
): { readonly budget: RunBudget; readonly group: string } | undefined {
  const alike = limits.filter((limit) => limit.per === per && limit.window === window)
  const own = alike.filter(({ users }) => users?.includes(userId) === true)
  const chosen = own.length > 0 ? own : alike.filter(({ users }) => users === undefined)
  const [first] = chosen
  if (first === undefined) return undefined
  const budget = chosen.reduce<RunBudget | undefined>(
    (sum, { tokens, money, seconds, modelCalls }) =>
      tighterBudget(sum, { tokens, money, seconds, modelCalls }),
    undefined,
  )
  return {
    budget: budget ?? {},
    group: first.users === undefined ? '*' : codeHash(first.users.toSorted().join()),
  }
}

function windowAt(window: BudgetWindow, at: Date): { startsAt: Date; endsAt: Date } {
  const [year, month, day, hour] = [
    at.getUTCFullYear(),
    at.getUTCMonth(),
    at.getUTCDate(),
    at.getUTCHours(),
  ]
  const utc = (...parts: [number, number, number?, number?]): Date => new Date(Date.UTC(...parts))
  if (window === 'month') return { startsAt: utc(year, month), endsAt: utc(year, month + 1) }
  if (window === 'day')
    return { startsAt: utc(year, month, day), endsAt: utc(year, month, day + 1) }
  return { startsAt: utc(year, month, day, hour), endsAt: utc(year, month, day, hour + 1) }
}
