import type { Runtime } from '@x/wire'

/** Options of patience. */
export interface PatienceOptions {
  /** Milliseconds without a taken item after which the subscriber is given up. */
  readonly ms: number
  readonly highWaterMark: number
  readonly runtime: Runtime
  /** True while senders wait for room. */
  readonly isFull: () => boolean
  /** Lets the senders go on without room. */
  readonly release: () => void
  /** Gives the subscriber up. */
  readonly expire: () => void
}

/**
 * The time that senders wait for one subscriber (AB-7). It is given up when it takes nothing for `ms`
 * while its queue is full. One that takes a little holds senders up for `ms` in all; every item it
 * takes earns it a share of that time back.
 */
export interface Patience {
  /** True once senders no longer wait for it. */
  readonly isOver: boolean
  /** Senders begin to wait. */
  begin(): void
  /** An item was taken. */
  taken(hasRoom: boolean): void
  /** Stops the clock for good. */
  end(): void
}

/** Starts with all of its time. */
export function createPatience(options: PatienceOptions): Patience {
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
