import { integer, kindOf, optionCheck, options } from '@x/wire'

/** What a run may use. A part that is not given is not limited. */
export interface RunBudget {
  /** Input and output of all model calls together; an integer of at least 1. */
  readonly tokens?: number | undefined
  /** In the currency of the prices; above 0. */
  readonly money?: number | undefined
  /** Working time; above 0. */
  readonly seconds?: number | undefined
  /** An integer of at least 1. */
  readonly modelCalls?: number | undefined
}

export type BudgetUnit = keyof RunBudget

/** What a run has used. */
export interface Spent {
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Input and output. */
  readonly tokens: number
  readonly seconds: number
  /** In the currency of the prices; undefined without prices, and if a model has none. */
  readonly money?: number | undefined
}

/** What earlier parts of a run have used, in a form that survives its process. */
export interface SpentBefore {
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** An integer of 10^-15 of the currency; undefined if a model had no price. */
  readonly money?: string | undefined
  readonly seconds: number
}

/** `FlowError.details` of the code `budget_exceeded`. */
export interface BudgetDetails {
  /** Whose budget it is: that of the run, or one of a service. */
  readonly scope: 'run' | 'flow' | 'key' | 'user' | 'service'
  readonly unit: BudgetUnit
  readonly limit: number
  readonly spent: number
}

const above = kindOf(
  'a number above 0',
  (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
)

/** The check of a budget among the options of a function. */
export const budgetOption = options({
  tokens: integer(1),
  money: above,
  seconds: above,
  modelCalls: integer(1),
})

const read = optionCheck<{ readonly budget?: RunBudget }>('run-flows.md', { budget: budgetOption })

/** @throws TypeError that names the wrong or unknown part */
export function readBudget(called: string, budget: RunBudget | undefined): RunBudget | undefined {
  return budget === undefined ? undefined : read(called, { budget }).budget
}

/** The smaller of both, part by part. */
export function tighterBudget(
  a: RunBudget | undefined,
  b: RunBudget | undefined,
): RunBudget | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const least = (unit: BudgetUnit): number | undefined => {
    const [x, y] = [a[unit], b[unit]]
    return x === undefined || y === undefined ? (x ?? y) : Math.min(x, y)
  }
  return {
    tokens: least('tokens'),
    money: least('money'),
    seconds: least('seconds'),
    modelCalls: least('modelCalls'),
  }
}
