const OPEN = Symbol.for('@x/flow-engine.openFetch')

/** A fetch that guards addresses, marked with the one that does not. */
export function guardedBy(guarded: typeof fetch, open: typeof fetch): typeof fetch {
  return Object.defineProperty(guarded, OPEN, { value: open })
}

/**
 * The fetch for addresses that the operator chose, which may be private (AB-40): the counterpart of
 * a guarded fetch; a fetch of the host's own stays as it is.
 */
export function openFetch(given: typeof fetch): typeof fetch {
  const open: unknown = Reflect.get(given, OPEN)
  return typeof open === 'function' ? (open as typeof fetch) : given
}
