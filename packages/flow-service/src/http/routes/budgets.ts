import { BudgetList, BudgetQuery, budgetsToWire } from '../../wire/budget.ts'
import { route, type Route } from '../route/route.ts'

/** What the caller may still spend. */
export const budgetRoutes: readonly Route[] = [
  route(
    {
      method: 'GET',
      path: '/api/v1/budgets',
      summary: 'Get Budgets',
      auth: 'user',
      query: BudgetQuery,
      output: BudgetList,
    },
    async ({ services, caller, query }) =>
      budgetsToWire(await services.budgets.list(caller, query.user_id ?? null)),
  ),
]
