/** Clock, randomness and timers; the cores access them only through this interface. */
export interface Runtime {
  now(): Date
  /**
   * Milliseconds from an arbitrary start, which no change of the clock affects. Default: derived from `now`.
   */
  monotonic?(): number
  /** A random UUID in lower case (RFC 9562 version 4). */
  uuid(): string
  randomBytes(size: number): Uint8Array
  /**
   * Resolves after `ms` milliseconds, never for Infinity; rejects with the signal's reason if it is aborted
   * first.
   * @param options `background`: the timer does not keep the process alive
   */
  sleep(
    ms: number,
    signal?: AbortSignal,
    options?: { readonly background?: boolean },
  ): Promise<void>
}

/** Maximum delay of a timer in milliseconds; longer ones fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Settles like `promise`, but rejects with `late()` if that takes longer than `ms` milliseconds. For hot
 * paths: racing `sleep` costs several times as much, because it needs an AbortController.
 */
export async function withinTime<T>(
  promise: PromiseLike<T>,
  ms: number,
  late: () => Error,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}

/** The platform's clock, randomness and timers. */
export function createSystemRuntime(): Runtime {
  return {
    now: () => new Date(),
    monotonic: () => performance.now(),
    uuid: () => crypto.randomUUID(),
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    sleep: (ms, signal, { background = false } = {}) =>
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
          const part = Math.min(left, MAX_TIMER_MS)
          left -= part
          const started = setTimeout(() => {
            if (left > 0) {
              timer = wait()
              return
            }
            signal?.removeEventListener('abort', stop)
            resolve()
          }, part)
          // A number outside Node.
          const handle: unknown = started
          if (background && typeof handle === 'object' && handle !== null && 'unref' in handle)
            started.unref()
          return started
        }
        let timer = wait()
        signal?.addEventListener('abort', stop, { once: true })
      }),
  }
}
