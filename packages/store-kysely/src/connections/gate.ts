export interface GateOptions {
  /** Maximum number of concurrent tasks. */
  readonly places: number
  /** Maximum number of waiting tasks; further ones are rejected. */
  readonly waiting: number
}

/** Runs a task when there is a free slot. */
export type Gate = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * Limits concurrent tasks; others wait in order until their signal is aborted.
 * @throws Error from the gate if too many tasks are waiting, or the reason of an aborted signal
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
      throw new Error(`${places} queries are running and ${waiting} are waiting: try again later`)
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
