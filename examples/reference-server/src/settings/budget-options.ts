import { readFileSync } from 'node:fs'
import { pricesFromJson } from '@x/flow-engine'
import type { BudgetLimit, BudgetsOptions } from '@x/flow-service'
import { SettingsError, type Settings } from './read-settings.ts'

/** Budgets over windows, and the prices with which money is counted. @throws SettingsError */
export function budgetOptions({ SERVICE_BUDGETS: given, SERVICE_PRICES: prices }: Settings): {
  budgets?: BudgetsOptions
} {
  if (given === undefined && prices === undefined) return {}
  const limits = given === undefined ? [] : parse('SERVICE_BUDGETS', given, JSON.parse)
  return {
    budgets: {
      // What is wrong in one of them is told when the service is made.
      limits: limits as readonly BudgetLimit[],
      ...(prices !== undefined && { prices: parse('SERVICE_PRICES', prices, pricesFromJson) }),
    },
  }
}

/** The value itself, or the file that it names as `@/path`. */
function parse<T>(name: string, value: string, read: (text: string) => T): T {
  try {
    return read(value.startsWith('@') ? readFileSync(value.slice(1), 'utf8') : value)
  } catch (error) {
    throw new SettingsError(`${name} must be JSON, or @ and a file: ${(error as Error).message}`)
  }
}
