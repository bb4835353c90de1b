import { elapsedMs } from '@x/wire'

/** Attempts of a client within a time window. */
export interface Attempts {
  /** Counts an attempt; the milliseconds to wait if there were too many, which are not counted. */
  take(client: string, now: number): number
  /** Takes back a counted attempt that succeeded. */
  giveBack(client: string): void
}

/** Counts the attempts of at most `kept` clients; the oldest are evicted. */
export function createAttempts({
  most,
  windowMs,
  kept,
}: {
  readonly most: number
  readonly windowMs: number
  readonly kept: number
}): Attempts {
  const known = new Map<string, { since: number; count: number }>()
  return {
    take(client, now) {
      const window = known.get(client)
      const passed = window === undefined ? windowMs : elapsedMs(window.since, now)
      if (window === undefined || passed >= windowMs) {
        known.delete(client)
        remember(known, client, { since: now, count: 1 }, kept)
        return 0
      }
      if (window.count >= most) return windowMs - passed
      window.count += 1
      return 0
    },
    giveBack(client) {
      const window = known.get(client)
      if (window !== undefined && window.count > 0) window.count -= 1
    },
  }
}

/** Adds an entry to a map of at most `kept`, evicting the oldest. */
export function remember<V>(map: Map<string, V>, key: string, value: V, kept: number): void {
  const oldest = map.size >= kept && !map.has(key) ? map.keys().next() : undefined
  if (oldest?.done === false) map.delete(oldest.value)
  map.set(key, value)
}
