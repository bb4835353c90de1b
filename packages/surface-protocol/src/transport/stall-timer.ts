import type { Runtime } from '@x/wire'

/** Options of `createStallTimer`. */
export interface StallTimerOptions {
  /** Milliseconds without a consumed item after which the subscriber is dropped. */
  readonly ms: number
  readonly highWaterMark: number
  readonly runtime: Runtime
  /** True while senders wait for room. */
  readonly isFull: () => boolean
  /** Lets senders continue without room. */
  readonly release: () => void
  /** Drops the subscriber. */
  readonly expire: () => void
}

/**
 * How long senders wait for a subscriber. It is dropped if it consumes nothing for `ms` while its
 * queue is full. One that consumes slowly delays senders by `ms` in total; every consumed item restores
 * part of that time.
 */
export interface StallTimer {
  /** True once senders no longer wait for it. */
  readonly isOver: boolean
  /** Called when senders begin to wait. */
  begin(): void
  /** Called when an item was consumed. */
  taken(hasRoom: boolean): void
  /** Stops the timer for good. */
  end(): void
}

/** Starts with the full time. */
export function createStallTimer(options: StallTimerOptions): StallTimer {
  const { ms, highWaterMark, runtime, isFull, release, expire } = options
  const timer = new AbortController()
  let left = ms
  let fullSince = 0
  let lastTaken = 0
  let isFullNow = false
  let ticking = false
  const now = (): number => runtime.now().getTime()

  const settle = (time: number): void => {
    left = Math.max(0, left - (time - fullSince))
    fullSince = time
  }

  const watch = async (): Promise<void> => {
    ticking = true
    let wait = Math.min(left, ms)
    try {
      for (;;) {
        await runtime.sleep(wait, timer.signal)
        if (!isFull()) return
        const time = now()
        const idle = time - lastTaken
        if (idle >= ms) {
          expire()
          return
        }
        settle(time)
        if (left === 0) release()
        wait = left === 0 ? ms - idle : Math.min(left, ms - idle)
      }
    } finally {
      ticking = false
    }
  }

  return {
    get isOver() {
      return left <= 0
    },
    begin() {
      if (!isFullNow) {
        isFullNow = true
        fullSince = now()
        lastTaken = fullSince
      }
      if (!ticking) watch().catch(() => undefined)
    },
    taken(hasRoom) {
      if (!isFullNow) return
      const time = now()
      lastTaken = time
      settle(time)
      left = Math.min(ms, left + ms / highWaterMark)
      if (hasRoom) isFullNow = false
    },
    end: () => timer.abort(),
  }
}
