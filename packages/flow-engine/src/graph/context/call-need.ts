import type { BudgetedCall } from '../../components/define/call-budget.ts'
import { invalidRequest } from '../../errors.ts'
import { isTokenCount } from '../../models/is-token-usage.ts'
import { estimateInput, type CountTokens } from './estimate-input.ts'
import { priceOf, type Price, type Prices } from './prices.ts'

/** Tokens and money, in 10^-15 of the currency: prices are whole billionths for a million tokens. */
export interface Amount {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly money: bigint
}

/** What a model call may use. */
export interface CallNeed extends Amount {
  readonly price: Rates | undefined
  /** Cannot be lowered: an embedding has no answer. */
  readonly isFixed: boolean
}

export interface Rates {
  readonly input: bigint
  readonly output: bigint
}

/** What is left; undefined without a limit. */
export interface Left {
  readonly tokens: number | undefined
  readonly money: bigint | undefined
}

export interface NeedOptions {
  readonly prices: Prices | undefined
  readonly countTokens: CountTokens | undefined
  /** Tokens are limited, so that they are counted even without a price. */
  readonly limitsTokens: boolean
  /** Money is limited, so that a model needs a price. */
  readonly limitsMoney: boolean
}

/** The answer that is reserved if the request does not limit it. */
const USUAL_ANSWER = 4096
/** A shorter answer is of no use. */
const LEAST_ANSWER = 16

/**
 * The input of a call and its longest answer, with their price.
 * @throws FlowError `invalid_request` for a model without a price, if money is limited
 */
export function needOf(
  { provider, model, request, isRepeated = false }: BudgetedCall,
  { prices, countTokens, limitsTokens, limitsMoney }: NeedOptions,
): CallNeed {
  const named = { provider, name: model }
  const found = prices === undefined ? undefined : priceOf(prices, named)
  if (found === undefined && limitsMoney)
    throw invalidRequest(
      `No price for the model ${model}: add it to prices, or give the budget in tokens`,
    )
  const price = found === undefined ? undefined : ratesOf(found)
  const isFixed = isRepeated || isTexts(request)
  if (!limitsTokens && price === undefined)
    return { inputTokens: 0, outputTokens: 0, money: 0n, price, isFixed }
  const inputTokens = estimateInput(request, named, countTokens)
  const outputTokens = isTexts(request) ? 0 : longestAnswer(request.maxTokens)
  const money = costOf(price, { inputTokens, outputTokens })
  return { inputTokens, outputTokens, money, price, isFixed }
}

/** The same request with the longest answer that fits; undefined if that is too short. */
export function loweredTo(need: CallNeed, { tokens, money }: Left): CallNeed | undefined {
  const { inputTokens, price } = need
  if (need.isFixed) return undefined
  let outputTokens = need.outputTokens
  if (tokens !== undefined) outputTokens = Math.min(outputTokens, tokens - inputTokens)
  if (money !== undefined && price !== undefined) {
    const rest = money - costOf(price, { inputTokens, outputTokens: 0 })
    if (rest < 0n) return undefined
    if (price.output > 0n) outputTokens = Math.min(outputTokens, Number(rest / price.output))
  }
  if (outputTokens < LEAST_ANSWER) return undefined
  return { ...need, outputTokens, money: costOf(price, { inputTokens, outputTokens }) }
}

/** In 10^-15 of the currency; 0 without a price. */
export function costOf(
  rates: Rates | undefined,
  { inputTokens, outputTokens }: Pick<Amount, 'inputTokens' | 'outputTokens'>,
): bigint {
  if (rates === undefined) return 0n
  return BigInt(inputTokens) * rates.input + BigInt(outputTokens) * rates.output
}

/** A request with no limit, or one that no vendor would take, may be answered at length. */
function longestAnswer(maxTokens: number | undefined): number {
  return isTokenCount(maxTokens) && maxTokens > 0 ? maxTokens : USUAL_ANSWER
}

function isTexts(request: BudgetedCall['request']): request is readonly string[] {
  return Array.isArray(request)
}

/** Billionths of the currency for a million tokens are 10^-15 for each. */
function ratesOf({ input, output }: Price): Rates {
  return { input: BigInt(Math.round(input * 1e9)), output: BigInt(Math.round(output * 1e9)) }
}
