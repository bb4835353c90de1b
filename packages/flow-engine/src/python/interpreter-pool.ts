import type { Runtime } from '@x/wire'
import { createSandboxTurns, type UserTurns } from '../node/user-turns.ts'
import type { Image } from './image.ts'
import { startInterpreter, type Interpreter } from './interpreter.ts'

export interface PoolOptions {
  readonly image: () => Promise<Image>
  readonly runtime: Runtime
  readonly maxInterpreters: number
  readonly maxPerUser: number
  /** Interpreters kept ready. */
  readonly warm: number
  /** Milliseconds without work after which those that are ready end. */
  readonly idleMs: number
  /** Default: of its own. */
  readonly turns?: UserTurns | undefined
}

/** Interpreters for calls, each used once; users take turns (AB-76). */
export interface InterpreterPool {
  /**
   * Runs the work with an interpreter of its own.
   * @throws FlowError `rate_limited` when the user's queue is full; the reason of the signal
   */
  use<T>(
    userId: string,
    signal: AbortSignal,
    work: (interpreter: Interpreter) => Promise<T>,
  ): Promise<T>
  /** Starts the interpreters that are kept ready; a failure is that of the first call. */
  warmUp(): void
  stats(): { warm: number; busy: number; waiting: number }
  close(): Promise<void>
}

const REFILL_MS = 25

export function createInterpreterPool(options: PoolOptions): InterpreterPool {
  const { image, runtime, maxInterpreters, maxPerUser, warm, idleMs } = options
  const { turns = createSandboxTurns({ concurrency: maxInterpreters, perUser: maxPerUser }) } =
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
  /** Starts again with each call. */
  const endWhenIdle = (): void => {
    clearTimeout(idle)
    if (closing.signal.aborted) return
    // oxlint-disable-next-line no-restricted-globals -- unlike runtime.sleep it keeps no process alive.
    idle = setTimeout(() => {
      for (const one of ready.splice(0)) void one.end()
    }, idleMs)
    idle.unref()
  }
  /** A short call is over before the next interpreter takes a part of the machine for its start. */
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
          turns(userId, both, async () => {
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

/** The answer as soon as there is one: an interpreter's place is free only once it has ended. */
function answeredEarly<T>(work: (answer: (value: T) => void) => Promise<void>): Promise<T> {
  return new Promise((resolve, reject) => {
    work(resolve).catch(reject)
  })
}
