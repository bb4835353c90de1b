/** The one door to the clock, to randomness and to timers. */
export interface Runtime {
  now(): Date
  /** A random UUID in lower case (RFC 9562 version 4). */
  uuid(): string
  randomBytes(size: number): Uint8Array
  /**
   * Resolves after `ms` milliseconds, never for Infinity; rejects with the signal's reason when it is
   * aborted first.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** Milliseconds; a timer over it fires at once (AB-90). */
const LONGEST_TIMER = 2 ** 31 - 1

/** The runtime's own clock, randomness and timers. */
export function createSystemRuntime(): Runtime {
  return {
    now: () => new Date(),
    uuid: () => crypto.randomUUID(),
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error)
          return
        }
        const stop = (): void => {
          clearTimeout(timer)
          reject(signal?.reason as Error)
        }
        let left = ms
        const wait = (): ReturnType<typeof setTimeout> => {
          const part = Math.min(left, LONGEST_TIMER)
          left -= part
          return setTimeout(() => {
            if (left > 0) {
              timer = wait()
              return
            }
            signal?.removeEventListener('abort', stop)
            resolve()
          }, part)
        }
        let timer = wait()
        signal?.addEventListener('abort', stop, { once: true })
      }),
  }
}
