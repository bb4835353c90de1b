/** A request as passed to hooks: the same object at its start and end. */
export interface ObservedRequest {
  readonly requestId: string
  readonly method: string
  /** Pattern of the path, such as `/api/v1/flows/{flow_id}`; null if no operation was found. */
  readonly route: string | null
  /** The caller's trace headers; other headers are not included. */
  readonly headers: { readonly traceparent?: string; readonly tracestate?: string }
  /** The context object passed by the host with the request. */
  readonly context: unknown
  /** Set once known. */
  userId?: string
  /** Set once known. */
  tenant?: string
  /**
   * Trace context for the runs and jobs of this request, at most 1 KiB. Default: `headers`. A start hook
   * that opens a span sets its own.
   */
  carrier?: Readonly<Record<string, string>>
}

/** The end of a request; `error` is set if the response was 500. */
export interface RequestEnd {
  readonly status: number
  readonly error?: unknown
  /** Time until the response head; the body may still be streaming. */
  readonly durationMs: number
}

/** Runs the work of a request and returns its result, for example within an async context. */
export type AroundRequest = <T>(work: () => T) => T

/** Observes requests. Errors thrown by a hook are passed to `onError` and do not affect the response. */
export interface RequestHooks {
  /** Called in the same turn as the handler. A returned function is called with the work. */
  onRequestStart?(request: ObservedRequest): void | AroundRequest
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void
}

/** Combines hooks; the first is outermost. Undefined if there are none. */
export function joinRequestHooks(
  given: readonly (RequestHooks | undefined)[],
): RequestHooks | undefined {
  const all = given.filter((hooks) => hooks !== undefined)
  if (all.length < 2) return all[0]
  return {
    onRequestStart(request) {
      let around: AroundRequest[] | undefined
      for (const hooks of all) {
        const one = hooks.onRequestStart?.(request)
        if (one !== undefined) (around ??= []).push(one)
      }
      if (around === undefined) return undefined
      const outermost = around
      return (work) =>
        outermost.reduceRight<typeof work>((inner, outer) => () => outer(inner), work)()
    },
    onRequestEnd(request, end) {
      for (const hooks of all.toReversed()) hooks.onRequestEnd?.(request, end)
    },
  }
}

/** The work observed by `observeRequest`. */
export interface ObservedWork {
  /** Handles the request; calls `failed` with the error of a 500 response. */
  readonly work: (failed: (error: unknown) => void) => Promise<Response>
  readonly onError: (error: unknown) => void
}

/** Calls hooks around the handling of a request. */
export async function observeRequest(
  hooks: RequestHooks,
  request: ObservedRequest,
  { work, onError }: ObservedWork,
): Promise<Response> {
  const start = performance.now()
  let error: unknown
  const answer = (): Promise<Response> => work((thrown) => (error = thrown))
  const response = await runInside(startOf(hooks, request, onError), answer, onError)
  const { status } = response
  const durationMs = performance.now() - start
  try {
    hooks.onRequestEnd?.(request, { status, durationMs, ...(error !== undefined && { error }) })
  } catch (thrown) {
    onError(thrown)
  }
  return response
}

function startOf(
  hooks: RequestHooks,
  request: ObservedRequest,
  onError: (error: unknown) => void,
): AroundRequest | undefined {
  try {
    return hooks.onRequestStart?.(request) ?? undefined
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** Calls the work exactly once, even if the wrapper throws. */
function runInside<T>(
  outer: AroundRequest | undefined,
  work: () => T,
  onError: (error: unknown) => void,
): T {
  if (outer === undefined) return work()
  let done: { readonly value: T } | undefined
  try {
    outer(() => {
      done = { value: work() }
      return done.value
    })
  } catch (error) {
    onError(error)
  }
  return done === undefined ? work() : done.value
}

/** The headers passed to hooks. */
export function traceHeaders(headers: Headers): ObservedRequest['headers'] {
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return {}
  const tracestate = headers.get('tracestate')
  return { traceparent, ...(tracestate !== null && { tracestate }) }
}
