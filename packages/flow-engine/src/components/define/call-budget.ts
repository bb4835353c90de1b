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
  /** Called once with what the call used; undefined if nobody told. */
  settle(usage?: TokenUsage): void
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
