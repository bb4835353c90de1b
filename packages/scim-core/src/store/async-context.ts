import { builtInModule } from '../base/built-in-module.ts'

/** A value that follows a call through its promises and timers. */
export interface AsyncContext<Value> {
  run<Result>(value: Value, work: () => Result): Result
  current(): Value | undefined
  /** Follows promises no longer, until the next `run`. */
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
 * The context of `AsyncLocalStorage`, by `process.getBuiltinModule`; null where the runtime has none.
 * Following promises costs every call of the process a little, so it is done only between `run` and `stop`.
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
