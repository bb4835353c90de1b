import mitt from 'mitt'

/** The public side of an emitter: subscribe and unsubscribe. `*` subscribes to all events. */
export interface EventSource<E> {
  /** Subscribes; the returned function unsubscribes. */
  on<K extends keyof E & string>(
    name: K | '*',
    listener: (event: E[K], name: K) => void,
  ): () => void
  off<K extends keyof E & string>(name: K | '*', listener: (event: E[K], name: K) => void): void
}

/**
 * A typed emitter. Listeners are isolated: an error thrown by one is passed to `onError`, the others still
 * run, and the caller of `emit` is not affected.
 */
export function createEvents<E extends object>(
  onError: (error: unknown) => void = () => undefined,
): {
  readonly source: EventSource<E>
  readonly emit: <K extends keyof E & string>(name: K, event: E[K]) => void
} {
  type Listener = (event: never, name: never) => void
  const emitter = mitt<Record<string, unknown>>()
  const wrapped = new Map<string, Map<Listener, ((...args: unknown[]) => void)[]>>()

  const off = (name: string, listener: Listener): void => {
    const handler = wrapped.get(name)?.get(listener)?.pop()
    if (handler !== undefined) emitter.off(name as never, handler)
  }

  return {
    source: {
      on(name, listener) {
        const handler = (...args: unknown[]): void => {
          const [event, type] = name === '*' ? [args[1], args[0]] : [args[0], name]
          try {
            const result: unknown = listener(event as never, type as never)
            if (result instanceof Promise) result.catch(onError)
          } catch (error) {
            onError(error)
          }
        }
        const byListener =
          wrapped.get(name) ?? new Map<Listener, ((...args: unknown[]) => void)[]>()
        wrapped.set(name, byListener)
        byListener.set(listener, [...(byListener.get(listener) ?? []), handler])
        emitter.on(name as never, handler)
        return () => off(name, listener)
      },
      off: (name, listener) => off(name, listener),
    },
    emit: (name, event) => emitter.emit(name, event),
  }
}
