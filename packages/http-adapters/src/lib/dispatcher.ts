import { isResponse } from '@x/wire'
import { failureAnswer, isAbort, plainAnswer } from './answers.ts'
import { BodyError } from './body-error.ts'
import type { Caller, TrustProxy } from './forwarded.ts'
import { checkOptions, readOrigin } from './options.ts'
import type { AdapterContext, AdapterOptions, FetchHandler } from './shapes.ts'
import { isBelow, isInside, isPlainTarget, isRewritten, originOf, requestPath } from './target.ts'

/** One request to a mount: its data, and how it is answered. */
export interface Call<Host> {
  readonly host: Host
  readonly method: string
  /** Path and query as sent by the client. */
  readonly target: string
  /** Port of the server, for clients that send no host. */
  readonly port?: number | undefined
  /** Path of the mount, if known; the request path must not leave it. */
  readonly prefix?: string | undefined
  /** The handler's request, once created. */
  request?: Request | undefined
  /** The caller and the requested origin; `trust` is the option `trustProxy`. */
  caller(trust: TrustProxy | undefined): Caller
  /** Creates the request with this URL. */
  open(url: string): Request
  /** True if the client disconnected before the response was complete. */
  isGone(): boolean
  /** True once status and headers are sent. */
  isSent(): boolean
  send(response: Response): Promise<void> | void
  breakOff(): void
  /** Passes the request to the host; without it the response is 404. */
  pass?: (() => void) | undefined
  /** Passes an error to the host, if it accepts errors. */
  fail?: ((error: unknown) => void) | undefined
}

/** Methods not allowed in a Request. */
const NO_REQUEST = new Set(['CONNECT', 'TRACE', 'TRACK'])
/** A 405 must list methods (RFC 9110 section 15.5.6); the handler may refuse some of these itself. */
const ALLOW = ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'] as const

/**
 * Runs routing, context, handler and error handling of each call; the returned function never throws.
 * @throws TypeError naming an unknown or invalid option
 */
export function createDispatcher<Host, C>(
  called: string,
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
): (call: Call<Host>) => void {
  checkOptions(called, handler, options)
  const { origin: wanted, onError, dotSegments = 'pass' } = options
  const basePath = requestPath(options.basePath || '/')
  const fixed = typeof wanted === 'string' ? readOrigin(wanted) : undefined

  function receive(call: Call<Host>): void {
    const isPlain = isPlainTarget(call.target)
    const path = isPlain ? call.target : requestPath(call.target)
    if (
      !isPlain &&
      isRewritten(call.target, call.method) &&
      !(dotSegments === 'normalize' && isInside(path, call.prefix ?? '/'))
    )
      return pass(call)
    if (!isBelow(path, basePath)) return pass(call)
    const { address, scheme, host } = call.caller(options.trustProxy)
    const origin =
      typeof wanted === 'function'
        ? readOrigin(wanted(call.host))
        : (fixed ?? originOf(scheme, host || `localhost:${call.port ?? ''}`))
    if (origin === null) return answer(call, plainAnswer(400, 'Invalid Host header'))
    if (NO_REQUEST.has(call.method))
      return answer(call, plainAnswer(405, 'Method Not Allowed', [ALLOW]))
    const request = (call.request = call.open(origin + path))
    if (options.match?.(request) === false) return pass(call)

    const base: AdapterContext = address === undefined ? {} : { clientAddress: address }
    if (host === '') base.hostMissing = true
    // Without the option, `C` has no required members (OptionsFor).
    const context = options.context === undefined ? (base as C) : options.context(call.host, base)
    follow(call, context, (made) =>
      follow(call, handler(request, made), (response) => answer(call, response)),
    )
  }

  function pass(call: Call<Host>): void {
    if (call.pass === undefined) answer(call, plainAnswer(404, 'Not Found'))
    else call.pass()
  }

  function answer(call: Call<Host>, response: Response): void {
    if (!isResponse(response)) throw new TypeError('The handler did not return a Response')
    call.send(response)?.catch((error: unknown) => fail(call, error))
  }

  /** Continues with a value, synchronously unless it is a promise. */
  function follow<T>(call: Call<Host>, value: T | Promise<T>, step: (value: T) => void): void {
    if (!isPromise(value)) return step(value)
    value.then(
      (made) => attempt(call, step, made),
      (error: unknown) => fail(call, error),
    )
  }

  function attempt<T>(call: Call<Host>, step: (value: T) => void, value: T): void {
    try {
      step(value)
    } catch (error) {
      fail(call, error)
    }
  }

  function fail(call: Call<Host>, error: unknown): void {
    recover(call, error).catch(() => call.breakOff())
  }

  /** Reports a failure once, and answers it if that is still possible. */
  async function recover(call: Call<Host>, error: unknown): Promise<void> {
    const sent = call.isSent()
    // A response cut off by a disconnect is not a failure.
    const isFailure = !(call.isGone() && isAbort(error))
    if (sent) call.breakOff()
    if (onError === 'host' && call.fail !== undefined && isFailure && !sent) return call.fail(error)
    try {
      const { request = call.open('http://localhost/'), host } = call
      const isAsked = typeof onError === 'function' && isFailure
      if (onError === undefined && isFailure && !(error instanceof BodyError))
        writeToConsole(error, request)
      const own = isAsked ? await onError(error, { request, host, sent }) : undefined
      if (!sent) await call.send(isResponse(own) ? own : failureAnswer(error))
    } catch {
      if (call.isSent()) call.breakOff()
      else await call.send(failureAnswer(error))
    }
  }

  return (call) => attempt(call, receive, call)
}

/** Without `onError` failures are still logged. */
function writeToConsole(error: unknown, { method, headers }: Request): void {
  const id = headers.get('x-request-id')
  // oxlint-disable-next-line no-console -- the last resort of a host without `onError`
  console.error(`${method} request${id === null ? '' : ` ${id}`} failed:`, error)
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}
