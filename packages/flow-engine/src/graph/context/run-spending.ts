import type { BudgetedCall, CallBudget, Reservation } from '../../components/define/call-budget.ts'
import { FlowError } from '../../errors.ts'
import type { TokenUsage } from '../../models/chat-model.ts'
import { isTokenUsage } from '../../models/is-token-usage.ts'
import { costOf, loweredTo, needOf, type Amount, type CallNeed, type Left } from './call-need.ts'
import type { CountTokens } from './estimate-input.ts'
import type { Prices } from './prices.ts'
import type {
  BudgetDetails,
  BudgetUnit,
  RunBudget,
  Spent,
  SpentBefore,
} from '../plan/run-budget.ts'

export interface SpendingOptions {
  readonly budget: RunBudget | undefined
  readonly prices: Prices | undefined
  readonly countTokens: CountTokens | undefined
  /** Used before. Default: nothing. */
  readonly used?: SpentBefore | undefined
  /** Called with what was used up to then, after each call. */
  readonly keep?: ((used: Omit<SpentBefore, 'seconds'>) => Promise<void>) | undefined
}

interface Waiting {
  readonly need: CallNeed
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
  readonly #secondsBefore: number
  readonly #keep: SpendingOptions['keep']
  #modelCalls: number
  #inputTokens: number
  #outputTokens: number
  #money: bigint
  #isPriced: boolean

  constructor({ budget = {}, prices, countTokens, used, keep }: SpendingOptions) {
    this.#modelCalls = used?.modelCalls ?? 0
    this.#money = BigInt(used?.money ?? 0)
    this.#secondsBefore = used?.seconds ?? 0
    this.#keep = keep
    this.#inputTokens = used?.inputTokens ?? 0
    this.#outputTokens = used?.outputTokens ?? 0
    this.#budget = budget
    this.#prices = prices
    this.#countTokens = countTokens
    this.#isPriced = prices !== undefined && (used === undefined || used.money !== undefined)
  }

  reserve(call: BudgetedCall, signal?: AbortSignal): Reservation | Promise<Reservation> {
    signal?.throwIfAborted()
    const need = this.#needOf(call)
    const held = this.#waiting.length === 0 ? this.#take(need) : undefined
    return held ?? this.#wait(need, signal)
  }

  /** @param seconds of working time since the run began or went on */
  spent(seconds: number): Spent {
    const { modelCalls, inputTokens, outputTokens } = this.#sums()
    return {
      modelCalls,
      inputTokens,
      outputTokens,
      tokens: inputTokens + outputTokens,
      seconds: this.#secondsBefore + seconds,
      ...(this.#isPriced ? { money: Number(this.#money) / 1e15 } : {}),
    }
  }

  /** The same, exactly, without what is reserved. */
  used(): Omit<SpentBefore, 'seconds'> {
    return { ...this.#sums(), ...(this.#isPriced ? { money: String(this.#money) } : {}) }
  }

  #sums(): Pick<Spent, 'modelCalls' | 'inputTokens' | 'outputTokens'> {
    return {
      modelCalls: this.#modelCalls,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
    }
  }

  #needOf(call: BudgetedCall): CallNeed {
    const { tokens, money } = this.#budget
    const need = needOf(call, {
      prices: this.#prices,
      countTokens: this.#countTokens,
      limitsTokens: tokens !== undefined || money !== undefined,
      limitsMoney: money !== undefined,
    })
    if (need.price === undefined) this.#isPriced = false
    return need
  }

  /** Undefined if it may fit when other calls have ended. @throws FlowError `budget_exceeded` */
  #take(need: CallNeed): Reservation | undefined {
    const { modelCalls } = this.#budget
    if (modelCalls !== undefined && this.#modelCalls >= modelCalls)
      throw exceeded('modelCalls', modelCalls, this.#modelCalls, 1)
    const lacks = this.#lacks(need)
    if (lacks === undefined) return this.#hold(need)
    if (this.#open.size > 0) return undefined
    const lowered = loweredTo(need, this.#left())
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
  #left(): Left {
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

  #lacks(need: CallNeed): 'tokens' | 'money' | undefined {
    const { tokens, money } = this.#left()
    if (tokens !== undefined && (tokens <= 0 || need.inputTokens + need.outputTokens > tokens))
      return 'tokens'
    return money !== undefined && (money <= 0n || need.money > money) ? 'money' : undefined
  }

  #hold(need: CallNeed): Reservation {
    this.#modelCalls += 1
    const { price, outputTokens, isFixed } = need
    const { tokens, money, modelCalls } = this.#budget
    const limitsTokens = tokens !== undefined || money !== undefined
    this.#open.add(need)
    return {
      maxTokens: limitsTokens && !isFixed ? outputTokens : undefined,
      isLimited: limitsTokens || modelCalls !== undefined,
      settle: (usage) => {
        if (!this.#open.delete(need)) return undefined
        this.#settle(need, price, usage)
        return this.#keep?.(this.used())
      },
      undo: () => {
        if (!this.#open.delete(need)) return
        this.#modelCalls -= 1
        this.#serve()
      },
    }
  }

  #settle(need: Amount, price: CallNeed['price'], usage: TokenUsage | undefined): void {
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

  #wait(need: CallNeed, signal: AbortSignal | undefined): Promise<Reservation> {
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

const inUnits = (money: number): bigint => BigInt(Math.round(money * 1e9)) * 1_000_000n

const UNITS: Readonly<Record<BudgetUnit, string>> = {
  tokens: ' tokens',
  money: ' in money',
  seconds: ' seconds',
  modelCalls: ' model calls',
}

/**
 * @param asks what the next request needs; undefined for a budget of time
 * @param scope whose budget it is, if it is not that of the run
 */
export function exceeded(
  unit: BudgetUnit,
  limit: number,
  spent: number,
  asks?: number,
  scope: BudgetDetails['scope'] = 'run',
): FlowError {
  const next = asks === undefined ? '' : `; the next request needs about ${shown(asks)}`
  const text = `The budget of ${inUnit(unit, limit)} is used up (${shown(spent)} spent${next})`
  const details: BudgetDetails = { scope, unit, limit, spent }
  const status = scope === 'run' ? {} : { status: 429 }
  return new FlowError('budget_exceeded', text, { details, ...status })
}

/** Such as `20000 tokens` and `2 in money`. */
export const inUnit = (unit: BudgetUnit, value: number): string => `${shown(value)}${UNITS[unit]}`

/** A number as it was given, with at most nine digits after the point. */
const shown = (value: number): string => String(Number(value.toFixed(9)))
