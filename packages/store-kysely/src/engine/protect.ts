/**
 * Wraps a store so that its methods reject with `translate(error)` instead of the database error. Methods
 * must return promises or async iterables.
 */
export function protect<Store extends object>(
  store: Store,
  translate: (error: unknown) => unknown,
): Store {
  const rethrow = (error: unknown): never => {
    throw translate(error)
  }
  // Runs for each transaction; `Object.fromEntries` would take five times as long.
  const guarded: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(store) as [string, unknown][]) {
    guarded[name] = typeof member === 'function' ? guard(member as Method, rethrow) : member
  }
  return guarded as Store
}

type Method = (...parameters: unknown[]) => unknown

function guard(method: Method, rethrow: (error: unknown) => never): Method {
  return (...parameters) => {
    try {
      const result = method(...parameters)
      if (result instanceof Promise) return result.catch(rethrow)
      return isAsyncIterable(result) ? guardIterable(result, rethrow) : result
    } catch (error) {
      return rethrow(error)
    }
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* guardIterable(
  source: AsyncIterable<unknown>,
  rethrow: (error: unknown) => never,
): AsyncGenerator {
  try {
    yield* source
  } catch (error) {
    rethrow(error)
  }
}
