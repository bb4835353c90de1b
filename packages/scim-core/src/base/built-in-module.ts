/**
 * A built-in module of the runtime, through `process.getBuiltinModule`, so that no file of this package
 * imports `node:`. Undefined if the runtime has none.
 */
export function builtInModule(name: `node:${string}`): unknown {
  const runtime: unknown = Reflect.get(globalThis, 'process')
  if (typeof runtime !== 'object' || runtime === null) return undefined
  const load: unknown = Reflect.get(runtime, 'getBuiltinModule')
  if (typeof load !== 'function') return undefined
  try {
    return load.call(runtime, name) as unknown
  } catch {
    // Edge runtimes have the function in name only.
    return undefined
  }
}
