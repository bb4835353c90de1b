import { z } from 'zod'
import type { BudgetView } from '../services/budgets/budgets.ts'
import { maybe, uuid } from './scalars.ts'

const Amounts = z.object({
  tokens: z.number().optional(),
  money: z.number().optional(),
  seconds: z.number().optional(),
  modelCalls: z.number().optional(),
})

export const BudgetQuery = z.object({ user_id: maybe(uuid()) })

export const BudgetList = z.array(
  z.object({
    per: z.string(),
    window: z.string(),
    limit: Amounts,
    spent: Amounts,
    reserved: Amounts,
    ends_at: z.string().meta({ format: 'date-time' }),
  }),
)

export const budgetsToWire = (views: readonly BudgetView[]): z.infer<typeof BudgetList> =>
  views.map(({ per, window, limit, spent, reserved, endsAt }) => ({
    per,
    window,
    limit,
    spent,
    reserved,
    ends_at: endsAt.toISOString(),
  }))
