import type { FlowEngineOptions } from '../../options.ts'

type Spending = Pick<FlowEngineOptions, 'budget' | 'prices' | 'countTokens'>
type Given = Pick<FlowEngineOptions, keyof Spending | 'budgets'>

/** What limits and counts the model calls of all runs and jobs. */
export function spendingOf({ budget, budgets = { limits: [] }, ...given }: Given): Spending {
  const { prices = given.prices, countTokens = given.countTokens } = budgets
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(countTokens === undefined ? {} : { countTokens }),
  }
}
