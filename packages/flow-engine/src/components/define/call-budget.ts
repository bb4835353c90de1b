import type { FlowError } from '../../errors.ts'
import type { ChatRequest, TokenUsage } from '../../models/chat-model.ts'

/** A request to a model, before it is made. */
export interface BudgetedCall {
  readonly provider?: string | undefined
  readonly model: string
  /** The messages, tools and schema of a chat, or the texts of an embedding. */
  readonly request:
    | Pick<ChatRequest, 'messages' | 'tools' | 'responseFormat' | 'maxTokens'>
    | readonly string[]
  /** The same request once more: its answer cannot be cut any further. */
  readonly isRepeated?: boolean
}

/** What a call may use, and does not share with others. */
export interface Reservation {
  /** The longest answer, in tokens; undefined without a limit. */
  readonly maxTokens: number | undefined
  /** Whether a repetition must be reserved too. */
  readonly isLimited: boolean
  /** Called once with what the call used; undefined if nobody told. A promise never rejects. */
  settle(usage?: TokenUsage): void | Promise<void>
  /** Called instead of `settle` if the call was not made. */
  undo(): void | Promise<void>
}

/** Counts the model calls of a run. */
export interface CallBudget {
  /**
   * A promise only if other calls must end first.
   * @throws FlowError `budget_exceeded`; `invalid_request` for a model without a price
   */
  reserve(call: BudgetedCall, signal?: AbortSignal): Reservation | Promise<Reservation>
}

/** The key under which a context holds its CallBudget. */
export const BUDGET: unique symbol = Symbol.for('@x/flow-engine.budget')

export function callBudgetOf(context: object): CallBudget | undefined {
  return Reflect.get(context, BUDGET) as CallBudget | undefined
}

/** A budget that runs share. */
export interface SharedBudget extends CallBudget {
  /**
   * Counts the working time of a run from now on.
   * @param exceed called when nothing is left
   * @returns what to call when the run has ended; undefined if time is not limited
   */
  work(exceed: (error: FlowError) => void): (() => void) | undefined
}

/** The budget that the services of a host hold, which its runs share. */
export function sharedBudgetOf(services: object | undefined): SharedBudget | undefined {
  return services === undefined ? undefined : (callBudgetOf(services) as SharedBudget | undefined)
}

/** Services whose model calls count on a shared budget too. */
export const withBudget = <Services extends object>(
  services: Services,
  budget: SharedBudget,
): Services => ({ ...services, [BUDGET]: budget })

/**
 * Reserves a call in the budgets of its run and of its host.
 * @throws FlowError as of either; nothing stays reserved
 */
export function reserveCall(
  host: { readonly services?: object },
  call: BudgetedCall,
  signal: AbortSignal | undefined,
): Reservation | undefined | Promise<Reservation | undefined> {
  const own = callBudgetOf(host)?.reserve(call, signal)
  const shared = sharedBudgetOf(host.services)
  return shared === undefined ? own : reserveShared(shared, { own, call, signal })
}

async function reserveShared(
  budget: SharedBudget,
  {
    own,
    call,
    signal,
  }: {
    readonly own: ReturnType<CallBudget['reserve']> | undefined
    readonly call: BudgetedCall
    readonly signal: AbortSignal | undefined
  },
): Promise<Reservation> {
  const held = await own
  const { maxTokens } = held ?? {}
  const isChat = 'messages' in call.request
  const request = isChat && maxTokens !== undefined ? { ...call.request, maxTokens } : call.request
  try {
    const shared = await budget.reserve({ ...call, request }, signal)
    return held === undefined ? shared : both(held, shared)
  } catch (error) {
    await held?.undo()
    throw error
  }
}

const both = (a: Reservation, b: Reservation): Reservation => ({
  maxTokens: b.maxTokens ?? a.maxTokens,
  isLimited: a.isLimited || b.isLimited,
  async settle(usage) {
    await a.settle(usage)
    await b.settle(usage)
  },
  async undo() {
    await a.undo()
    await b.undo()
  },
})
