export interface GateOptions {
  /** Works at once. */
  readonly places: number
  /** Works that wait for a place; more are refused. */
  readonly waiting: number
}

/** Runs a work when there is a place for it. */
export type Gate = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Lets a number of works run at once; others wait in order, until their signal aborts.
 * @throws Error from the gate when as many wait as may, and the reason of a signal that aborts
 */
export function createGate({ places, waiting }: GateOptions): Gate {
  const queue: (() => void)[] = []
  let free = places
  const place = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        queue.splice(queue.indexOf(enter), 1)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(enter)
    })
  return async (work, signal) => {
    signal?.throwIfAborted()
    if (free > 0) free -= 1
    else if (queue.length >= waiting) {
      throw new Error(`${places} queries run and ${waiting} wait for them: try again later`)
    } else await place(signal)
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
