import type { StoredEngineOptions } from '../../options.ts'

type Spending = Pick<StoredEngineOptions, 'budget' | 'prices' | 'countTokens'>

/** What limits and counts the model calls of all runs and jobs. */
export function spendingOf({ budget, prices, countTokens }: Spending): Spending {
  return {
    ...(budget === undefined ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(countTokens === undefined ? {} : { countTokens }),
  }
}
