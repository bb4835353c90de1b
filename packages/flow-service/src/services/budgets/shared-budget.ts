import type { Runtime } from '@x/wire'
import type { CountTokens, FlowError, Prices, TokenUsage } from '@x/flow-engine'
import { costOf, exceeded, loweredTo, needOf, type SharedBudget } from '@x/flow-engine/internal'
import type { BudgetCount } from '../../store/budgets.ts'
import { fromCount, type BudgetCounter } from './budget-counters.ts'
import type { BudgetLedger, HeldShares } from './budget-ledger.ts'

type BudgetedCall = Parameters<SharedBudget['reserve']>[0]
type CallReservation = Awaited<ReturnType<SharedBudget['reserve']>>
type CallNeed = ReturnType<typeof needOf>

export interface RunBudgetOptions {
  readonly ledger: BudgetLedger
  /** The counters of its owner now. */
  readonly counters: () => readonly BudgetCounter[]
  readonly prices: Prices | undefined
  readonly countTokens: CountTokens | undefined
  readonly runtime: Runtime
}

/** Working time is reserved in parts, in milliseconds, so that many runs share what is left. */
const partOf = (limit: number): number => Math.ceil(Math.min(5000, Math.max(200, limit / 20)))

/** The budgets over windows that one run uses. */
export class WindowBudget implements SharedBudget {
  readonly #options: RunBudgetOptions

  constructor(options: RunBudgetOptions) {
    this.#options = options
  }

  async reserve(call: BudgetedCall, signal?: AbortSignal): Promise<CallReservation> {
    const { ledger, prices, countTokens } = this.#options
    for (;;) {
      signal?.throwIfAborted()
      const counters = this.#options.counters().filter(({ unit }) => unit !== 'seconds')
      if (counters.length === 0) return UNLIMITED
      const limitsMoney = counters.some(({ unit }) => unit === 'money')
      const limitsTokens = limitsMoney || counters.some(({ unit }) => unit === 'tokens')
      const whole = needOf(call, { prices, countTokens, limitsTokens, limitsMoney })
      let need = whole
      let held = await ledger.reserve(counters, amountsOf(counters, need))
      if (!('settle' in held)) {
        const lowered = this.#lowered(whole, counters, held)
        if (lowered !== undefined) {
          need = lowered
          held = await ledger.reserve(counters, amountsOf(counters, need))
        }
      }
      if ('settle' in held) return reservation(held, { counters, need, limitsTokens })
      await ledger.settled(signal)
    }
  }

  /**
   * What fits, if no other call holds what is missing; undefined if one has to be awaited.
   * @throws FlowError `budget_exceeded` if it would not fit then either
   */
  #lowered(
    need: CallNeed,
    counters: readonly BudgetCounter[],
    counts: readonly BudgetCount[],
  ): CallNeed | undefined {
    const least = fitting(
      need,
      counters,
      counts.map(({ used, reserved }) => used - reserved),
    )
    if (typeof least === 'number') throw this.#refusal(least, { need, counters, counts })
    const now = fitting(
      need,
      counters,
      counts.map(({ used }) => used),
    )
    const amounts = amountsOf(counters, need)
    const isHeld = counters.some(({ limit }, index) => {
      const { used = 0, reserved = 0 } = counts[index] ?? {}
      return reserved > 0 && used + (amounts[index] ?? 0) > limit
    })
    return isHeld || typeof now === 'number' ? undefined : now
  }

  #refusal(
    index: number,
    {
      need,
      counters,
      counts,
    }: {
      readonly need: CallNeed
      readonly counters: readonly BudgetCounter[]
      readonly counts: readonly BudgetCount[]
    },
  ): FlowError {
    const counter = counters[index] as BudgetCounter
    const { unit, most, per } = counter
    const { used = 0, reserved = 0 } = counts[index] ?? {}
    this.#options.ledger.refused(counter)
    const [asks = 0] = amountsOf([counter], need)
    return exceeded(unit, most, fromCount(unit, used - reserved), fromCount(unit, asks), per)
  }

  work(exceed: (error: FlowError) => void): (() => void) | undefined {
    const isLimited = this.#options.counters().some(({ unit }) => unit === 'seconds')
    if (!isLimited) return undefined
    const ended = new AbortController()
    this.#work(exceed, ended.signal).catch(exceed)
    return () => ended.abort()
  }

  #timeIsUp(counter: BudgetCounter, exceed: (error: FlowError) => void): void {
    const { most, per } = counter
    this.#options.ledger.refused(counter)
    exceed(exceeded('seconds', most, most, undefined, per))
  }

  async #work(exceed: (error: FlowError) => void, ended: AbortSignal): Promise<void> {
    const { ledger, runtime } = this.#options
    let from = ledger.now.getTime()
    while (!ended.aborted) {
      const counters = this.#options.counters().filter(({ unit }) => unit === 'seconds')
      let part = counters.reduce((least, { limit }) => Math.min(least, partOf(limit)), Infinity)
      let held = await ledger.reserve(
        counters,
        counters.map(() => part),
      )
      if (!('settle' in held)) {
        for (const [index, { limit }] of counters.entries())
          part = Math.min(part, limit - (held[index]?.used ?? 0))
        if (part <= 0) {
          const counts = held
          const last = counters.find(({ limit }, index) => limit <= (counts[index]?.used ?? 0))
          if (last !== undefined) this.#timeIsUp(last, exceed)
          return
        }
        held = await ledger.reserve(
          counters,
          counters.map(() => part),
        )
        if (!('settle' in held)) continue
      }
      await runtime.sleep(part, ended).catch(() => undefined)
      const now = ledger.now.getTime()
      const used = Math.max(0, now - from)
      from = now
      await held.settle(counters.map(() => used))
    }
  }
}

const UNLIMITED: CallReservation = {
  maxTokens: undefined,
  isLimited: false,
  settle: () => undefined,
  undo: () => undefined,
}

function reservation(
  held: HeldShares,
  {
    counters,
    need,
    limitsTokens,
  }: {
    readonly counters: readonly BudgetCounter[]
    readonly need: CallNeed
    readonly limitsTokens: boolean
  },
): CallReservation {
  const settle = async (usage: TokenUsage | undefined): Promise<void> => {
    const used = usage === undefined ? need : { ...usage, money: costOf(need.price, usage) }
    await held.settle(amountsOf(counters, used))
  }
  return {
    maxTokens: limitsTokens && !need.isFixed ? need.outputTokens : undefined,
    isLimited: true,
    settle,
    undo: () => held.settle([]),
  }
}

/** The call within what is left; the index of the counter that does not hold even its shortest answer. */
function fitting(
  need: CallNeed,
  counters: readonly BudgetCounter[],
  used: readonly number[],
): CallNeed | number {
  let lowered = need
  for (const [index, { unit, limit }] of counters.entries()) {
    const left = limit - (used[index] ?? 0)
    const [amount = 0] = amountsOf([{ unit }], lowered)
    if (left > 0 && amount <= left) continue
    if (unit === 'modelCalls' || left <= 0) return index
    const within = loweredTo(lowered, {
      tokens: unit === 'tokens' ? left : undefined,
      money: unit === 'money' ? BigInt(left) * UNITS_OF_BILLIONTH : undefined,
    })
    if (within === undefined) return index
    lowered = within
  }
  return lowered
}

/** Money of a call is counted in 10^-15 of the currency. */
const UNITS_OF_BILLIONTH = 1_000_000n

/** Parts of a billionth count as a whole one. */
function amountsOf(
  counters: readonly Pick<BudgetCounter, 'unit'>[],
  { inputTokens, outputTokens, money }: Pick<CallNeed, 'inputTokens' | 'outputTokens' | 'money'>,
): number[] {
  return counters.map(({ unit }) => {
    if (unit === 'tokens') return inputTokens + outputTokens
    if (unit === 'money') return Number((money + UNITS_OF_BILLIONTH - 1n) / UNITS_OF_BILLIONTH)
    return 1
  })
}
