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

/** A pool of interpreters, each used once; users take turns (AB-76). */
export interface InterpreterPool {
  /**
   * Runs the work with its own interpreter.
   * @throws FlowError `rate_limited` when the user's queue is full; the signal's reason
   */
  use<T>(
    userId: string,
    signal: AbortSignal,
    work: (interpreter: Interpreter) => Promise<T>,
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
      for (const one of ready.splice(0)) void one.end()
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
  const take = async (): Promise<Interpreter> => {
    closing.signal.throwIfAborted()
    return ready.shift() ?? startInterpreter(await image(), runtime)
  }

  return {
    async use(userId, signal, work) {
      closing.signal.throwIfAborted()
      const both = AbortSignal.any([signal, closing.signal])
      let isWaiting = true
      waiting += 1
      try {
        return await answeredEarly((answer) =>
          queue(userId, both, async () => {
            isWaiting = false
            waiting -= 1
            const interpreter = await take()
            working.add(interpreter)
            refillSoon()
            try {
              answer(await work(interpreter))
            } finally {
              await interpreter.end()
              working.delete(interpreter)
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
      await Promise.all([...ready.splice(0), ...working].map((one) => one.end()))
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
