import type { TokenUsage } from '../models/chat-model.ts'

/** The result of one scorer. */
export interface EvaluatedScore {
  readonly score: number
  readonly passed: boolean
  readonly reason?: string
}

/** The result of one example. */
export interface EvaluatedExample {
  readonly id: string
  /** True if every score passed. */
  readonly passed: boolean
  readonly text: string | null
  /** That of the example, as text; absent if it has none. */
  readonly expected?: string
  readonly scores: Readonly<Record<string, EvaluatedScore>>
  /** Why it could not be run or scored. */
  readonly error?: { readonly code: string; readonly message: string }
  readonly durationMs: number
  readonly usage: TokenUsage
}
