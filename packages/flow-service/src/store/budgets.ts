/** A part of a reservation, in the whole units of its counter. */
export interface BudgetShare {
  /** Of the counter: whose budget, which window and which unit. */
  readonly key: string
  readonly amount: number
  /** What the counter may reach. */
  readonly limit: number
  /** When the window of the counter ends. */
  readonly endsAt: Date
}

/** A counter. */
export interface BudgetCount {
  /** What was spent and what is reserved. */
  readonly used: number
  /** The part of it that calls of the last 15 minutes hold. */
  readonly reserved: number
}

/** A reservation that was not settled within this time, in milliseconds, counts as spent. */
export const BUDGET_HOLD_MS = 15 * 60_000

/** Counters of budgets over windows, which all processes share. */
export interface BudgetStore {
  /**
   * Adds all shares to their counters in one step, or none if one counter would exceed its limit.
   * @returns null if they were added, else the counters in the order of the shares
   */
  reserve(
    id: string,
    shares: readonly BudgetShare[],
    at: Date,
  ): Promise<readonly BudgetCount[] | null>
  /** Replaces a reservation by what was used; nothing if it was settled before. */
  settle(
    id: string,
    used: readonly { readonly key: string; readonly amount: number }[],
  ): Promise<void>
  /** The counters in the order of their keys; 0 for those that were never used. */
  read(keys: readonly string[], at: Date): Promise<readonly BudgetCount[]>
  /** Removes counters of windows that ended before, and reservations made before. */
  trim(before: Date): Promise<void>
}
