import type { FlowError } from '../../errors.ts'

/** Retries of a failing vertex within the same run. */
export interface RetryPolicy {
  /** Total number of attempts, 1 to 100. */
  readonly attempts: number
  /** Milliseconds before the second attempt. Default 1,000. */
  readonly delayMs?: number
  /** Factor by which each further delay grows. Default 2. */
  readonly factor?: number
  /** Maximum delay in milliseconds. Default 60,000. */
  readonly maxDelayMs?: number
  /** Fraction of each delay that is randomised, 0 to 1. Default 0. */
  readonly jitter?: number
  /** Decides whether to retry after this error. Default: always. */
  when?(error: FlowError, attempt: number): boolean
}

/** One policy for all vertices, or policies by id, display name or type of the vertex. */
export type RetryOptions =
  | RetryPolicy
  | { readonly [vertexIdOrDisplayNameOrType: string]: RetryPolicy }
