import { callback, kindOf, optionCheck, orAbort } from '@x/wire'
import type { AdapterContext, FetchHandler } from './shapes.ts'

/** What a host opens before it can serve: the handler alone, or with what ends it. */
export type Opened<C> =
  | FetchHandler<C>
  | { readonly handler: FetchHandler<C>; readonly close?: () => unknown }

/** A handler that is opened by its first request. */
export interface LazyHandler<C = AdapterContext> {
  (request: Request, context: C): Promise<Response>
  /** Closes what was opened, also while it opens; requests after it get 503. */
  close(): Promise<void>
}

interface LazyOptions {
  /** Reports, once, why opening failed. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
  /**
   * Keeps the opened handler in the process under this name, for development servers that evaluate a
   * module again. Default: each call opens its own.
   */
  readonly key?: string
}

const readOptions = optionCheck<LazyOptions>('adapter-errors.md', {
  onError: callback,
  key: kindOf('a name', (value) => typeof value === 'string' && value !== ''),
})

/**
 * A handler whose parts are opened by the first request instead of by importing a module; requests that
 * arrive meanwhile wait. If opening fails, they get 503 `{"detail":"The service is not ready"}` with
 * `Retry-After: 5`, and the next request tries again.
 * @param open called once for each try; an aborted request does not end it
 * @throws TypeError naming an invalid option
 */
export function lazyHandler<C = AdapterContext>(
  open: () => Promise<Opened<C>>,
  options: LazyOptions = {},
): LazyHandler<C> {
  if (typeof open !== 'function') throw new TypeError('lazyHandler: open must be a function')
  const { onError = writeToConsole, key } = readOptions('lazyHandler', options)
  if (key === undefined) return createLazy(open, onError)
  const kept = keptHandlers()
  const known = kept.get(key) as LazyHandler<C> | undefined
  if (known !== undefined) return known
  const created = createLazy(open, onError, () => kept.delete(key))
  kept.set(key, created)
  return created
}

function createLazy<C>(
  open: () => Promise<Opened<C>>,
  onError: (error: unknown) => void,
  onClose: () => void = () => undefined,
): LazyHandler<C> {
  let opening: Promise<Opened<C> | undefined> | undefined
  let isClosed = false
  const openOnce = async (): Promise<Opened<C> | undefined> => {
    try {
      return await open()
    } catch (error) {
      opening = undefined
      onError(error)
      return undefined
    }
  }
  const serve = async (request: Request, context: C): Promise<Response> => {
    if (isClosed) return notReady()
    opening ??= openOnce()
    const opened = await orAbort(opening, request.signal)
    if (opened === undefined) return notReady()
    return typeof opened === 'function'
      ? opened(request, context)
      : opened.handler(request, context)
  }
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    onClose()
    const opened = await opening
    if (typeof opened === 'object') await opened.close?.()
  }
  return Object.assign(serve, { close })
}

/** Without `onError` failures are still logged. */
function writeToConsole(error: unknown): void {
  // oxlint-disable-next-line no-console -- the last resort of a host without `onError`
  console.error('The handler has not opened:', error)
}

function notReady(): Response {
  return Response.json(
    { detail: 'The service is not ready' },
    { status: 503, headers: { 'retry-after': '5' } },
  )
}

/** The one state of this package that belongs to the process, and not to whoever made it. */
function keptHandlers(): Map<string, LazyHandler<never>> {
  const name = Symbol.for('x.http.lazy')
  const scope = globalThis as { [name]?: Map<string, LazyHandler<never>> }
  return (scope[name] ??= new Map())
}
