import type { TokenUsage } from '../models/chat-model.ts'

/** What one scorer gave. */
export interface EvaluatedScore {
  readonly score: number
  readonly passed: boolean
  readonly reason?: string
}

/** What became of one example. */
export interface EvaluatedExample {
  readonly id: string
  /** Every score reached what it had to. */
  readonly passed: boolean
  readonly text: string | null
  readonly scores: Readonly<Record<string, EvaluatedScore>>
  /** Why it could not be run or judged. */
  readonly error?: { readonly code: string; readonly message: string }
  readonly durationMs: number
  readonly usage: TokenUsage
}
