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
  readonly scores: Readonly<Record<string, EvaluatedScore>>
  /** Why it could not be run or scored. */
  readonly error?: { readonly code: string; readonly message: string }
  readonly durationMs: number
  readonly usage: TokenUsage
}
