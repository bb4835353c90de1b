import type { Runtime } from '@x/wire'
import type { JobQueue } from '../store/job-store.ts'

/** A clock that is off by more than this is worth a warning. */
const TOLERANCE_MS = 5000
/** The clock of the store is read again after this time. */
const EVERY_MS = 5 * 60_000

export interface StoreClock {
  /** The process's runtime with the clock of the store, so that processes agree on leases and due times. */
  readonly runtime: Runtime
  /** Milliseconds that the clock of this process is ahead of the store's. */
  readonly offsetMs: () => number
  /** Reads the store's clock. */
  readonly measure: () => Promise<void>
  /** Reads it again from time to time until the signal is aborted. */
  readonly follow: (signal: AbortSignal) => Promise<void>
}

/**
 * The clock of a shared store, counted on by this process's monotonic clock. A store without a clock of its
 * own has that of the process.
 */
export function createStoreClock(
  runtime: Runtime,
  queue: Pick<JobQueue, 'now'>,
  onError: (error: unknown) => void,
): StoreClock {
  const steady = (): number => runtime.monotonic?.() ?? runtime.now().getTime()
  /** The store's time at the start of the steady clock; undefined before it was read. */
  let start: number | undefined
  let offset = 0

  const measure = async (): Promise<void> => {
    if (queue.now === undefined) return
    const sent = steady()
    const stored = (await queue.now()).getTime()
    const received = steady()
    // The store answered at some time in between.
    start = stored - (sent + received) / 2
    offset = runtime.now().getTime() - (start + received)
    if (Math.abs(offset) <= TOLERANCE_MS) return
    const seconds = (Math.abs(offset) / 1000).toFixed(1)
    const way = offset > 0 ? 'ahead of' : 'behind'
    onError(
      new Error(
        `The clock of this process is ${seconds} s ${way} the database's. Check its time synchronisation.`,
      ),
    )
  }
  return {
    runtime:
      queue.now === undefined
        ? runtime
        : {
            now: () => (start === undefined ? runtime.now() : new Date(start + steady())),
            monotonic: steady,
            uuid: () => runtime.uuid(),
            randomBytes: (size) => runtime.randomBytes(size),
            sleep: (ms, signal, options) => runtime.sleep(ms, signal, options),
          },
    offsetMs: () => offset,
    measure,
    async follow(signal) {
      while (queue.now !== undefined && !signal.aborted) {
        await runtime.sleep(EVERY_MS, signal, { background: true })
        await measure().catch(onError)
      }
    },
  }
}
