/**
 * Milliseconds of wall-clock time from `since` to `now`. Infinity if the clock was set back meanwhile, so
 * that anything kept for a limited time counts as expired instead of being kept for the length of the jump.
 */
export function elapsedMs(since: number, now: number): number {
  return now < since ? Infinity : now - since
}
