/** One request as hooks see it: the same object at its start and at its end (OP-1). */
export interface ObservedRequest {
  readonly requestId: string
  readonly method: string
  /** Pattern of the path, `/api/v1/flows/{flow_id}` for example; null where no operation was found. */
  readonly route: string | null
  /** The caller's trace headers; no other header is passed on. */
  readonly headers: { readonly traceparent?: string; readonly tracestate?: string }
  /** The context that the host gave with the request, the same object. */
  readonly context: unknown
  /** Set once known. */
  userId?: string
  /** Set once known. */
  tenant?: string
  /**
   * Trace context that the runs and jobs of this request take along, at most 1 KiB; `headers` by default. A
   * start hook that opens a span sets its own.
   */
  carrier?: Readonly<Record<string, string>>
}

/** The end of a request; `error` is set if it was answered with 500. */
export interface RequestEnd {
  readonly status: number
  readonly error?: unknown
  /** Until the head of the answer; its body may go on. */
  readonly durationMs: number
}

/** Runs the work of a request and gives its result, for example inside an async context. */
export type AroundRequest = <T>(work: () => T) => T

/** Watches requests. What a hook throws goes to `onError`; the request is answered all the same. */
export interface RequestHooks {
  /** Called in the same turn as the handler. A function that it returns is called with the work. */
  onRequestStart?(request: ObservedRequest): void | AroundRequest
  onRequestEnd?(request: ObservedRequest, end: RequestEnd): void
}

/** Several hooks as one; the first is outermost. Undefined when there are none. */
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

/** The work that `observeRequest` watches. */
export interface ObservedWork {
  /** Answers the request; `failed` takes what it answers with 500. */
  readonly work: (failed: (error: unknown) => void) => Promise<Response>
  readonly onError: (error: unknown) => void
}

/** Tells hooks of a request while it is answered. */
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

/** Calls the work once, also when what goes around it throws. */
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

/** The headers that hooks see. */
export function traceHeaders(headers: Headers): ObservedRequest['headers'] {
  const traceparent = headers.get('traceparent')
  if (traceparent === null) return {}
  const tracestate = headers.get('tracestate')
  return { traceparent, ...(tracestate !== null && { tracestate }) }
}
