import type { BudgetedCall, CallBudget, Reservation } from '../../components/define/call-budget.ts'
import { FlowError, invalidRequest } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { isTokenCount, isTokenUsage } from '../../models/is-token-usage.ts'
import { estimateInput, type CountTokens } from './estimate-input.ts'
import { priceOf, type Price, type Prices } from './prices.ts'
import type { BudgetDetails, BudgetUnit, RunBudget, Spent } from '../plan/run-budget.ts'

export interface SpendingOptions {
  readonly budget: RunBudget | undefined
  readonly prices: Prices | undefined
  readonly countTokens: CountTokens | undefined
  /** Used before. Default: nothing. */
  readonly used?: TokenUsage | undefined
}

/** The answer that is reserved if the request does not limit it. */
const USUAL_ANSWER = 4096
/** A shorter answer is of no use. */
const LEAST_ANSWER = 16

/** Tokens and money, in 10^-15 of the currency: prices are whole billionths for a million tokens. */
interface Amount {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly money: bigint
}

interface Need extends Amount {
  readonly price: Rates | undefined
  /** Cannot be lowered: an embedding has no answer. */
  readonly isFixed: boolean
}

interface Rates {
  readonly input: bigint
  readonly output: bigint
}

interface Waiting {
  readonly need: Need
  resolve(held: Reservation): void
  reject(error: unknown): void
}

/** What a run and the runs within it have used and reserved. Reserving is one step: no two calls share a remainder. */
export class RunSpending implements CallBudget {
  readonly #budget: RunBudget
  readonly #prices: Prices | undefined
  readonly #countTokens: CountTokens | undefined
  readonly #open = new Set<Amount>()
  readonly #waiting: Waiting[] = []
  #modelCalls = 0
  #inputTokens: number
  #outputTokens: number
  #money = 0n
  #isPriced: boolean

  constructor({ budget = {}, prices, countTokens, used }: SpendingOptions) {
    this.#inputTokens = used?.inputTokens ?? 0
    this.#outputTokens = used?.outputTokens ?? 0
    this.#budget = budget
    this.#prices = prices
    this.#countTokens = countTokens
    this.#isPriced = prices !== undefined
  }

  reserve(call: BudgetedCall, signal?: AbortSignal): Reservation | Promise<Reservation> {
    signal?.throwIfAborted()
    const need = this.#needOf(call)
    const held = this.#waiting.length === 0 ? this.#take(need) : undefined
    return held ?? this.#wait(need, signal)
  }

  /** @param seconds of working time */
  spent(seconds: number): Spent {
    const { modelCalls, inputTokens, outputTokens } = this.#sums()
    return {
      modelCalls,
      inputTokens,
      outputTokens,
      tokens: inputTokens + outputTokens,
      seconds,
      ...(this.#isPriced ? { money: Number(this.#money) / 1e15 } : {}),
    }
  }

  #sums(): Pick<Spent, 'modelCalls' | 'inputTokens' | 'outputTokens'> {
    return {
      modelCalls: this.#modelCalls,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    }
  }

  #needOf({ provider, model, request, isRepeated = false }: BudgetedCall): Need {
    const price = this.#ratesOf({ provider, name: model })
    const isFixed = isRepeated || isTexts(request)
    const { tokens, money } = this.#budget
    if (tokens === undefined && money === undefined && price === undefined)
      return { inputTokens: 0, outputTokens: 0, money: 0n, price, isFixed }
    const inputTokens = estimateInput(request, { provider, name: model }, this.#countTokens)
    const outputTokens = isTexts(request) ? 0 : longestAnswer(request.maxTokens)
    return {
      inputTokens,
      outputTokens,
      money: costOf(price, { inputTokens, outputTokens }),
      price,
      isFixed,
    }
  }

  #ratesOf(model: {
    readonly provider: string | undefined
    readonly name: string
  }): Rates | undefined {
    const price = this.#prices === undefined ? undefined : priceOf(this.#prices, model)
    if (price !== undefined) return ratesOf(price)
    if (this.#budget.money !== undefined)
      throw invalidRequest(
        `No price for the model ${model.name}: add it to prices, or give the budget in tokens`,
      )
    this.#isPriced = false
    return undefined
  }

  /** Undefined if it may fit when other calls have ended. @throws FlowError `budget_exceeded` */
  #take(need: Need): Reservation | undefined {
    const { modelCalls } = this.#budget
    if (modelCalls !== undefined && this.#modelCalls >= modelCalls)
      throw exceeded('modelCalls', modelCalls, this.#modelCalls, 1)
    const lacks = this.#lacks(need)
    if (lacks === undefined) return this.#hold(need)
    if (this.#open.size > 0) return undefined
    const lowered = need.isFixed ? undefined : this.#lowered(need)
    if (lowered !== undefined) return this.#hold(lowered)
    const asks = need.inputTokens + need.outputTokens
    throw lacks === 'tokens'
      ? exceeded('tokens', this.#budget.tokens ?? 0, this.#inputTokens + this.#outputTokens, asks)
      : exceeded(
          'money',
          this.#budget.money ?? 0,
          Number(this.#money) / 1e15,
          Number(need.money) / 1e15,
        )
  }

  /** What is left of tokens and money; undefined without a limit. */
  #left(): { readonly tokens: number | undefined; readonly money: bigint | undefined } {
    const { tokens, money } = this.#budget
    let [used, paid] = [this.#inputTokens + this.#outputTokens, this.#money]
    for (const held of this.#open) {
      used += held.inputTokens + held.outputTokens
      paid += held.money
    }
    return {
      tokens: tokens === undefined ? undefined : tokens - used,
      money: money === undefined ? undefined : inUnits(money) - paid,
    }
  }

  #lacks(need: Need): 'tokens' | 'money' | undefined {
    const { tokens, money } = this.#left()
    if (tokens !== undefined && (tokens <= 0 || need.inputTokens + need.outputTokens > tokens))
      return 'tokens'
    return money !== undefined && (money <= 0n || need.money > money) ? 'money' : undefined
  }

  /** The same request with the longest answer that fits; undefined if that is too short. */
  #lowered(need: Need): Need | undefined {
    const { tokens, money } = this.#left()
    const { inputTokens, price } = need
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

  #hold(need: Need): Reservation {
    this.#modelCalls += 1
    const { price, outputTokens, isFixed } = need
    const { tokens, money, modelCalls } = this.#budget
    const limitsTokens = tokens !== undefined || money !== undefined
    this.#open.add(need)
    return {
      maxTokens: limitsTokens && !isFixed ? outputTokens : undefined,
      isLimited: limitsTokens || modelCalls !== undefined,
      settle: (usage) => {
        if (this.#open.delete(need)) this.#settle(need, price, usage)
      },
    }
  }

  #settle(need: Amount, price: Rates | undefined, usage: TokenUsage | undefined): void {
    const used = isTokenUsage(usage) ? usage : need
    this.#inputTokens += used.inputTokens
    this.#outputTokens += used.outputTokens
    this.#money += costOf(price, used)
    this.#serve()
  }

  /** Calls that wait are served in their order. */
  #serve(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        const held = this.#take(next.need)
        if (held === undefined) return
        this.#waiting.shift()
        next.resolve(held)
      } catch (error) {
        this.#waiting.shift()
        next.reject(error)
      }
    }
  }

  #wait(need: Need, signal: AbortSignal | undefined): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1)
        reject(signal?.reason)
        this.#serve()
      }
      const done = (): void => signal?.removeEventListener('abort', stop)
      const entry: Waiting = {
        need,
        resolve: (held) => {
          done()
          resolve(held)
        },
        reject: (error) => {
          done()
          reject(error)
        },
      }
      this.#waiting.push(entry)
      signal?.addEventListener('abort', stop, { once: true })
    })
  }
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

const inUnits = (money: number): bigint => BigInt(Math.round(money * 1e9)) * 1_000_000n

function costOf(
  rates: Rates | undefined,
  { inputTokens, outputTokens }: Pick<Amount, 'inputTokens' | 'outputTokens'>,
): bigint {
  if (rates === undefined) return 0n
  return BigInt(inputTokens) * rates.input + BigInt(outputTokens) * rates.output
}

const UNITS: Readonly<Record<BudgetUnit, string>> = {
  tokens: ' tokens',
  money: ' in money',
  seconds: ' seconds',
  modelCalls: ' model calls',
}

/** @param asks what the next request needs; undefined for a budget of time */
export function exceeded(unit: BudgetUnit, limit: number, spent: number, asks?: number): FlowError {
  const next = asks === undefined ? '' : `; the next request needs about ${shown(asks)}`
  const text = `The budget of ${shown(limit)}${UNITS[unit]} is used up (${shown(spent)} spent${next})`
  const details: BudgetDetails = { scope: 'run', unit, limit, spent }
  return new FlowError('budget_exceeded', text, { details })
}

/** A number as it was given, with at most nine digits after the point. */
const shown = (value: number): string => String(Number(value.toFixed(9)))
