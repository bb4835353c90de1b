import type { Runtime } from '@x/wire'
import { createSandboxQueue, type UserQueue } from '@x/flow-engine/node'
import type { Image } from './image.ts'
import { startInterpreter, type Interpreter } from './interpreter.ts'

export interface PoolOptions {
  readonly image: () => Promise<Image>
  readonly runtime: Runtime
  readonly maxInterpreters: number
  readonly maxPerUser: number
  /** Number of interpreters kept ready. */
  readonly warm: number
  /** Milliseconds of idleness after which the ready interpreters end. */
  readonly idleMs: number
  /** Default: the pool's own queue. */
  readonly queue?: UserQueue | undefined
}

/** An interpreter at work. */
export interface AtWork {
  readonly interpreter: Interpreter
  /** False if it is the one of an earlier call that was kept. */
  readonly isFresh: boolean
  /** Keeps the interpreter for later calls of the same code, as long as there is room. */
  readonly keep: () => void
}

/** A pool of interpreters, each used by one component; users take turns. */
export interface InterpreterPool {
  /**
   * Runs the work with its own interpreter.
   * @param earlier an interpreter that was kept; if it has ended, the work gets a fresh one
   * @throws FlowError `rate_limited` when the user's queue is full; the signal's reason
   */
  use<T>(
    userId: string,
    signal: AbortSignal,
    work: (at: AtWork) => Promise<T>,
    earlier?: Interpreter,
  ): Promise<T>
  /** Starts the interpreters kept ready. If that fails, the first call reports the error. */
  warmUp(): void
  stats(): { warm: number; busy: number; waiting: number }
  close(): Promise<void>
}

const REFILL_MS = 25

export function createInterpreterPool(options: PoolOptions): InterpreterPool {
  const { image, runtime, maxInterpreters, maxPerUser, warm, idleMs } = options
  const { queue = createSandboxQueue({ concurrency: maxInterpreters, perUser: maxPerUser }) } =
    options
  const ready: Interpreter[] = []
  const working = new Set<Interpreter>()
  /** Kept interpreters, the one that was used last at the end. */
  const kept = new Set<Interpreter>()
  const room = Math.max(4, 2 * maxInterpreters)
  const closing = new AbortController()
  let waiting = 0
  let idle: NodeJS.Timeout | undefined

  const refill = async (): Promise<void> => {
    const made = await image()
    while (ready.length < warm && !closing.signal.aborted)
      ready.push(startInterpreter(made, runtime))
  }
  /** Each call restarts the idle timer. */
  const endWhenIdle = (): void => {
    clearTimeout(idle)
    if (closing.signal.aborted) return
    // oxlint-disable-next-line no-restricted-globals -- unlike runtime.sleep it keeps no process alive.
    idle = setTimeout(() => {
      for (const one of [...ready.splice(0), ...kept]) void one.end()
      kept.clear()
    }, idleMs)
    idle.unref()
  }
  /** Delays the refill: a short call finishes before the next interpreter competes for the CPU. */
  const refillSoon = (): void => {
    if (warm === 0) return
    runtime
      .sleep(REFILL_MS, closing.signal)
      .then(refill)
      .catch(() => undefined)
  }
  const park = (interpreter: Interpreter): void => {
    kept.add(interpreter)
    for (const one of kept) {
      if (kept.size <= room) break
      kept.delete(one)
      void one.end()
    }
  }
  const take = async (): Promise<Interpreter> => {
    closing.signal.throwIfAborted()
    return ready.shift() ?? startInterpreter(await image(), runtime)
  }

  return {
    async use(userId, signal, work, earlier) {
      closing.signal.throwIfAborted()
      const both = AbortSignal.any([signal, closing.signal])
      let isWaiting = true
      waiting += 1
      try {
        return await answeredEarly((answer) =>
          queue(userId, both, async () => {
            isWaiting = false
            waiting -= 1
            const isKept = earlier !== undefined && kept.delete(earlier)
            const interpreter = isKept ? earlier : await take()
            working.add(interpreter)
            if (!isKept) refillSoon()
            let stays = false
            const keep = (): void => void (stays = true)
            try {
              answer(await work({ interpreter, isFresh: !isKept, keep }))
            } catch (error) {
              stays = false
              throw error
            } finally {
              working.delete(interpreter)
              if (stays && !closing.signal.aborted) park(interpreter)
              else await interpreter.end()
              endWhenIdle()
            }
          }),
        )
      } finally {
        if (isWaiting) waiting -= 1
      }
    },
    warmUp() {
      refill().then(endWhenIdle, () => undefined)
    },
    stats: () => ({ warm: ready.length, busy: working.size, waiting }),
    async close() {
      closing.abort(new Error('The Python runner is closed'))
      clearTimeout(idle)
      await Promise.all([...ready.splice(0), ...kept, ...working].map((one) => one.end()))
    },
  }
}

/**
 * Resolves as soon as the result is known, although the interpreter's slot is freed only once it has ended.
 */
function answeredEarly<T>(work: (answer: (value: T) => void) => Promise<void>): Promise<T> {
  return new Promise((resolve, reject) => {
    work(resolve).catch(reject)
  })
}
