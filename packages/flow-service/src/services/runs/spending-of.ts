import type { StoredEngineOptions } from '../../options.ts'

type Spending = Pick<StoredEngineOptions, 'budget' | 'prices' | 'countTokens'>
type Given = Pick<StoredEngineOptions, keyof Spending | 'budgets'>

/** What limits and counts the model calls of all runs and jobs. */
export function spendingOf({ budget, budgets = { limits: [] }, ...given }: Given): Spending {
  const { prices = given.prices, countTokens = given.countTokens } = budgets
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(countTokens === undefined ? {} : { countTokens }),
  }
}
