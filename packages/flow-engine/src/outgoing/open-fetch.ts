const OPEN = Symbol.for('@x/flow-engine.openFetch')

/** Links a guarded fetch to its unguarded counterpart. */
export function guardedBy(guarded: typeof fetch, open: typeof fetch): typeof fetch {
  return Object.defineProperty(guarded, OPEN, { value: open })
}

/**
 * Returns the unguarded counterpart of a guarded fetch, for addresses chosen by the operator, which may be
 * private. A fetch supplied by the host is returned unchanged.
 */
export function openFetch(given: typeof fetch): typeof fetch {
  const open: unknown = Reflect.get(given, OPEN)
  return typeof open === 'function' ? (open as typeof fetch) : given
}
