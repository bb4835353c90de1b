/** An event as listeners get it: its name is its `type`. */
export type EventOf<E, K extends keyof E> = E[K] & { readonly type: K }

/** Any of the events; `type` tells which. */
export type AnyEvent<E> = { [K in keyof E & string]: EventOf<E, K> }[keyof E & string]

/** How long a listener stays. */
export interface ListenerOptions {
  /** Removes the listener; one that is aborted already adds none. */
  readonly signal?: AbortSignal
}

/** Adds a listener; the returned function removes it. */
interface Subscribe<E> {
  <K extends keyof E & string>(
    type: K,
    listener: (event: EventOf<E, K>, name: K) => unknown,
    options?: ListenerOptions,
  ): () => void
  /** `name` is the same as `event.type` and will go in the next minor version. */
  (
    type: '*',
    listener: (event: AnyEvent<E>, name: keyof E & string) => unknown,
    options?: ListenerOptions,
  ): () => void
}

/**
 * The public side of an emitter. `*` means all events. Listeners are called in the order in which they were
 * added. An unknown type is a `TypeError`.
 */
export interface EventSource<E> {
  readonly on: Subscribe<E>
  /** The listener is removed before its first call. */
  readonly once: Subscribe<E>
  off<K extends keyof E & string>(
    type: K,
    listener: (event: EventOf<E, K>, name: K) => unknown,
  ): void
  off(type: '*', listener: (event: AnyEvent<E>, name: keyof E & string) => unknown): void
}

export interface Events<E> {
  readonly source: EventSource<E>
  readonly emit: <K extends keyof E & string>(type: K, event: E[K]) => void
  /** Whether the event has listeners. Otherwise its payload need not be made. */
  readonly wants: (type: keyof E & string) => boolean
}

type Listener = (event: never, name: never) => unknown

interface Entry {
  readonly type: string
  readonly listener: Listener
  readonly once: boolean
}

/**
 * A typed emitter of the events whose names are the keys of `types`. Listeners are isolated: what one throws
 * or rejects with is passed to `onError`, the others still run, and the caller of `emit` is not affected.
 * Listeners that are added or removed meanwhile count from the next event.
 */
export function createEvents<E extends object>(
  types: Readonly<Record<keyof E & string, true>>,
  onError: (error: unknown, info: { readonly event: string }) => void = () => undefined,
): Events<E> {
  let entries: readonly Entry[] = []
  const remove = (entry: Entry): void => {
    entries = entries.filter((one) => one !== entry)
  }
  const add = (
    method: string,
    type: string,
    listener: Listener,
    { signal }: ListenerOptions = {},
  ): (() => void) => {
    check(method, types, type, listener)
    if (signal?.aborted === true) return () => undefined
    const entry = { type, listener, once: method === 'once' }
    const unsubscribe = (): void => {
      remove(entry)
      signal?.removeEventListener('abort', unsubscribe)
    }
    entries = [...entries, entry]
    signal?.addEventListener('abort', unsubscribe, { once: true })
    return unsubscribe
  }

  return {
    source: {
      on: (type: string, listener: Listener, options?: ListenerOptions) =>
        add('on', type, listener, options),
      once: (type: string, listener: Listener, options?: ListenerOptions) =>
        add('once', type, listener, options),
      off: (type: string, listener: Listener) => {
        const found = entries.findLast((one) => one.type === type && one.listener === listener)
        if (found !== undefined) remove(found)
      },
    },
    emit: (type, event) => {
      if (entries.length === 0) return
      const typed = { ...event, type }
      for (const entry of entries) {
        if (entry.type !== type && entry.type !== '*') continue
        if (entry.once) remove(entry)
        try {
          const result = entry.listener(typed as never, type as never)
          if (result instanceof Promise) result.catch((error) => onError(error, { event: type }))
        } catch (error) {
          onError(error, { event: type })
        }
      }
    },
    wants: (type) => entries.some((entry) => entry.type === type || entry.type === '*'),
  }
}

function check(method: string, types: object, type: unknown, listener: unknown): void {
  if (type !== '*' && !Object.hasOwn(types, String(type)))
    throw new TypeError(
      `${method}: unknown event ${JSON.stringify(type)}. Known events: ${Object.keys(types).toSorted().join(', ')}, *`,
    )
  if (typeof listener !== 'function')
    throw new TypeError(`${method}: the listener must be a function`)
}
