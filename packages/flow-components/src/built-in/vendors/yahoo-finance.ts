import { isObject } from '@x/wire'
import { toLiteralText } from '@x/flow-engine/internal'
import { type ComponentContext, errorText } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { rowOutputs } from './search-rows.ts'

const METHODS = [
  'get_info',
  'get_news',
  'get_actions',
  'get_analysis',
  'get_balance_sheet',
  'get_calendar',
  'get_cashflow',
  'get_institutional_holders',
  'get_recommendations',
  'get_sustainability',
  'get_major_holders',
  'get_mutualfund_holders',
  'get_insider_purchases',
  'get_insider_transactions',
  'get_insider_roster_holders',
  'get_dividends',
  'get_capital_gains',
  'get_splits',
  'get_shares',
  'get_fast_info',
  'get_sec_filings',
  'get_recommendations_summary',
  'get_upgrades_downgrades',
  'get_earnings',
  'get_income_stmt',
] as const

const fields = {
  symbol: field.text({
    displayName: 'Stock Symbol',
    info: 'For example AAPL.',
    toolMode: true,
  }),
  method: field.dropdown({
    displayName: 'Data Method',
    info: 'The query.',
    options: METHODS,
    default: 'get_news',
  }),
  num_news: field.int({ displayName: 'Number of News', default: 5 }),
}

type Search = Values<typeof fields>

/**
 * Facts and news about a company, from the finance source supplied by the host, because the vendor's
 * own API is not public.
 */
export const yahooFinance = defineComponent({
  type: 'YfinanceComponent',
  displayName: 'Yahoo! Finance',
  description: 'Returns facts, figures and news about a listed company.',
  icon: 'trending-up',
  category: 'yahoosearch',
  module: 'lfx.components.yahoosearch.yahoo.YfinanceComponent',
  inputs: fields,
  outputs: rowOutputs<typeof fields>(search, '\n'),
})

async function search(
  { symbol, method, num_news }: Search,
  ctx: ComponentContext,
): Promise<object[]> {
  if (!METHODS.some((known) => known === method)) {
    throw new TypeError(`Unsupported data method: ${method}`)
  }
  const result = await ask({ symbol, method, count: num_news }, ctx)
  if (method !== 'get_news') return [{ text: printed(result), result: printed(result) }]
  const articles = Array.isArray(result) ? result.filter(isObject) : []
  return articles.slice(0, num_news).map(articleRow)
}

interface Question {
  readonly symbol: string
  readonly method: string
  readonly count: number
}

async function ask({ symbol, method, count }: Question, ctx: ComponentContext): Promise<unknown> {
  const { finance } = ctx.services
  if (finance === undefined) {
    throw new TypeError('Yahoo! Finance needs a finance source, and this server has none')
  }
  try {
    return await finance.get(symbol, method, { count, signal: ctx.signal })
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`Error retrieving data: ${errorText(error)}`, { cause: error })
  }
}

function articleRow(article: Readonly<Record<string, unknown>>): object {
  const [title, link] = [toLiteralText(article.title ?? ''), toLiteralText(article.link ?? '')]
  return { ...article, text: `${title}: ${link}` }
}

function printed(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result, null, 1)
}
