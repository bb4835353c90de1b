import {
  callback,
  choice,
  OptionError,
  options,
  anything,
  required,
  texts,
  type OptionKind,
} from '@x/wire'
import type { BudgetUnit, CountTokens, Prices, RunBudget } from '@x/flow-engine'
import { budgetOption } from '@x/flow-engine/internal'

/** Whose use is limited together. */
export type BudgetScope = 'run' | 'flow' | 'key' | 'user' | 'service'

/** A fixed period in UTC. */
export type BudgetWindow = 'hour' | 'day' | 'month'

/** What a run, or all runs of a flow, an API key, a user or the whole service in a period, may use at most. */
export interface BudgetLimit extends RunBudget {
  readonly per: BudgetScope
  /** Required, except for a run, which has none. */
  readonly window?: BudgetWindow
  /** Only for these users (ids), for whom it replaces the one without `users` of the same `per` and `window`. */
  readonly users?: readonly string[]
}

/** Budgets over periods, counted in the store by all processes. */
export interface BudgetsOptions {
  readonly limits: readonly BudgetLimit[]
  /** Money for a million tokens by model. Default: the option `prices`. */
  readonly prices?: Prices
  /** Default: the option `countTokens`. */
  readonly countTokens?: CountTokens
}

/** In the order in which counters are taken. */
export const SCOPES = ['service', 'user', 'key', 'flow'] as const
export const WINDOWS = ['hour', 'day', 'month'] as const
export const UNITS = ['modelCalls', 'tokens', 'money', 'seconds'] as const satisfies BudgetUnit[]

const kinds = {
  ...budgetOption.options,
  per: required(choice('run', ...SCOPES)),
  window: choice(...WINDOWS),
  users: texts,
}

/** The limits of a service. */
const limits: OptionKind = {
  read(value, place) {
    const { called, page } = place
    const { isArray } = Array
    if (!isArray(value))
      throw new OptionError(
        place.path,
        `${called}: option "${place.path}" must be an array of budgets`,
        page,
      )
    return value.map((one: unknown, index) => {
      const path = `${place.path}[${index}]`
      const limit = options(kinds).read(one, { ...place, path }) as BudgetLimit
      const refuse = (text: string): never => {
        throw new OptionError(path, `${called}: option "${path}" ${text}`, page)
      }
      if (limit.per === 'run' && limit.window !== undefined)
        refuse('must have no window: per is run')
      if (limit.per !== 'run' && limit.window === undefined)
        refuse('must have a window: hour, day or month')
      if (UNITS.every((unit) => limit[unit] === undefined))
        refuse('must limit tokens, money, seconds or modelCalls')
      return limit
    })
  },
}

/** The check of the option `budgets`. */
export const budgetsOption = options({
  limits: required(limits),
  prices: anything,
  countTokens: callback,
})
