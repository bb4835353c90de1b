import { Refusal } from '../../refusal.ts'
import { inUnit } from '@x/flow-engine/internal'
import type { BudgetCounter } from './budget-counters.ts'

const PERIODS = { hour: 'this hour', day: 'today', month: 'this month' } as const

/** A run is not started: a budget over a window is used up (429, until the window ends). */
export class BudgetUsedUp extends Refusal {
  constructor({ per, window, unit, most, endsAt }: BudgetCounter, now: Date) {
    const again = endsAt.toISOString().replace('.000', '')
    super(
      429,
      `The budget of the ${per} for ${PERIODS[window]} is used up (${inUnit(unit, most)}). It starts again at ${again}.`,
      { headers: { 'retry-after': String(Math.ceil((endsAt.getTime() - now.getTime()) / 1000)) } },
    )
  }
}
