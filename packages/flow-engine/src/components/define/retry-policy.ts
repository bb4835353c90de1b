import type { FlowError } from '../../errors.ts'

/** Retries of a failing vertex in the same run (DR-50). */
export interface RetryPolicy {
  /** Builds in all, 1 to 100. */
  readonly attempts: number
  /** Before the second attempt, in milliseconds; 1,000. */
  readonly delayMs?: number
  /** Each further delay is so much longer; 2. */
  readonly factor?: number
  /** Longest delay, in milliseconds; 60,000. */
  readonly maxDelayMs?: number
  /** By what part a delay is changed at random, 0 to 1; 0. */
  readonly jitter?: number
  /** Tells whether this failure is worth another attempt. Default true. */
  when?(error: FlowError, attempt: number): boolean
}

/** One policy for all vertices, or by id, display name or type of the vertex. */
export type RetryOptions =
  RetryPolicy | { readonly [vertexIdOrDisplayNameOrType: string]: RetryPolicy }
