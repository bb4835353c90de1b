/**
 * Milliseconds of the wall clock from `since` to `now`. Infinity where the clock was set back in between:
 * what is kept for a time then counts as old, instead of being kept for the length of the jump (OP-20).
 */
export function elapsedMs(since: number, now: number): number {
  return now < since ? Infinity : now - since
}
