import { builtInModule } from '../base/built-in-module.ts'

/** A value that is propagated through the promises and timers of a call. */
export interface AsyncContext<Value> {
  run<Result>(value: Value, work: () => Result): Result
  current(): Value | undefined
  /** Stops propagation until the next `run`. */
  stop(): void
}

interface Storage<Value> {
  run<Result>(value: Value, work: () => Result): Result
  getStore(): Value | undefined
  disable(): void
}

interface AsyncHooks {
  readonly AsyncLocalStorage: new <Value>() => Storage<Value>
}

/**
 * An `AsyncLocalStorage` context, obtained with `process.getBuiltinModule`; null if the runtime has none.
 * Propagation slows down every call of the process a little, so it is enabled only between `run` and
 * `stop`.
 */
export function createAsyncContext<Value>(): AsyncContext<Value> | null {
  const hooks = builtInModule('node:async_hooks') as AsyncHooks | undefined
  if (hooks === undefined) return null
  const storage = new hooks.AsyncLocalStorage<Value>()
  return {
    run: (value, work) => storage.run(value, work),
    current: () => storage.getStore(),
    stop: () => storage.disable(),
  }
}
