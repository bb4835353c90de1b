import {
  quote,
  SurfaceError,
  withoutControls,
  type SurfaceDiagnostic,
} from '../diagnostics/errors.ts'
import { findCatalog } from '../catalog/v1/find-catalog.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { checkArguments, findFunction } from './function-check.ts'
import type { RpcSettings } from './rpc-settings.ts'

/** A call of a client function. */
export interface CallRendererOptions {
  /** Name of the function. */
  readonly call: string
  readonly catalogId: string
  readonly args?: JsonObject
  /** The surface whose data the function can read. Default: none. */
  readonly surfaceId?: string
  /** Id of the call. Default: a random one. */
  readonly callId?: string
  /** Milliseconds. Default: the RPC option. */
  readonly timeoutMs?: number
  /** Cancels the call. */
  readonly signal?: AbortSignal
}

/** Function calls from the server to the client. */
export interface RendererCalls {
  call(options: CallRendererOptions): Promise<JsonValue>
  /** Settles the call a response belongs to. */
  answer(response: JsonObject): SurfaceDiagnostic[]
  /** Cancels the calls of a surface. */
  cancel(surfaceId: string): void
  close(): void
}

interface Pending {
  readonly surfaceId: string | undefined
  readonly end: (outcome: { value: JsonValue } | { error: SurfaceError }) => void
}

/** Creates the sender of calls. */
export function createRendererCalls(settings: RpcSettings): RendererCalls {
  const { runtime, maxPending, send } = settings
  const pending = new Map<string, Pending>()
  let isClosed = false

  const wait = (id: string, options: CallRendererOptions): Promise<JsonValue> => {
    const { surfaceId, signal, timeoutMs = settings.timeoutMs } = options
    return new Promise((resolve, reject) => {
      const timer = new AbortController()
      const cancel = (): void => {
        end({ error: cancelled('The call was given up.', surfaceId) })
      }
      const end: Pending['end'] = (outcome) => {
        if (!pending.delete(id)) return
        timer.abort()
        signal?.removeEventListener('abort', cancel)
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.value)
      }
      pending.set(id, { surfaceId, end })
      signal?.addEventListener('abort', cancel, { once: true })
      void expire(timeoutMs, timer.signal).then((isOver) => {
        if (!isOver) return isOver
        const detail = `The function ${quote(options.call)} did not answer within ${timeoutMs} ms.`
        end({ error: new SurfaceError({ code: 'call_timeout', detail, surfaceId }) })
        return isOver
      })
    })
  }

  /** Returns whether the timeout expired before the signal was aborted. */
  const expire = async (ms: number, signal: AbortSignal): Promise<boolean> => {
    try {
      await runtime.sleep(ms, signal)
      return true
    } catch {
      return false
    }
  }

  const deliver = async (id: string, message: JsonObject): Promise<void> => {
    try {
      await send(message)
    } catch (cause) {
      const detail = 'The call could not be sent.'
      pending.get(id)?.end({ error: new SurfaceError({ code: 'call_failed', detail, cause }) })
    }
  }

  return {
    async call(options) {
      const { call, catalogId, args = {}, surfaceId, signal } = options
      checkCall(options, settings)
      if (isClosed || signal?.aborted === true)
        throw cancelled('RPC is closed, or the call given up.')
      const id = options.callId ?? runtime.uuid()
      if (pending.has(id)) {
        const detail = `A call with the id ${quote(id)} waits already.`
        throw new SurfaceError({ code: 'call_duplicate', detail })
      }
      if (pending.size >= maxPending) {
        const detail = `No more than ${maxPending} calls may wait.`
        throw new SurfaceError({ code: 'limit_exceeded', detail, limit: 'maxPending' })
      }
      const answer = wait(id, options)
      const callFunction: JsonObject = { '@call': call, catalogId, args }
      const about: JsonObject = surfaceId === undefined ? {} : { surfaceId }
      void deliver(id, {
        version: 'v1.0',
        callRendererFunction: { functionCallId: id, callFunction, ...about },
      })
      return answer
    },
    answer({ functionCallId, value, error }) {
      const id = typeof functionCallId === 'string' ? functionCallId : ''
      const call = pending.get(id)
      if (call === undefined) return [notFound(id)]
      if (value !== undefined) call.end({ value })
      else call.end({ error: failure(error) })
      return []
    },
    cancel(surfaceId) {
      for (const call of Array.from(pending.values())) {
        if (call.surfaceId !== surfaceId) continue
        call.end({ error: cancelled('The surface was deleted.', surfaceId) })
      }
    },
    close() {
      isClosed = true
      for (const call of Array.from(pending.values())) {
        call.end({ error: cancelled('RPC was closed.', call.surfaceId) })
      }
    },
  }
}

/** Validates a call before it is sent. @throws SurfaceError, TypeError for an invalid timeout */
function checkCall(options: CallRendererOptions, { store, find }: RpcSettings): void {
  const { call: name, catalogId, args = {}, surfaceId, timeoutMs = 1 } = options
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number above 0')
  const catalog = findCatalog(catalogId, null, find)
  if (catalog.core === null) {
    throw new SurfaceError({ code: catalog.code, detail: catalog.message })
  }
  const call = { name, catalogId, args }
  const found = findFunction(call, { ofSurface: null, find })
  if (typeof found === 'string') {
    const detail = `The catalog has no function ${quote(name)}.`
    throw new SurfaceError({ code: 'unknown_function', detail })
  }
  if ((found.shape.callers ?? 'rendererOnly') === 'rendererOnly') {
    const detail = `Only the client may call the function ${quote(name)}.`
    throw new SurfaceError({ code: 'invalid_argument', detail })
  }
  const wrong = checkArguments(call, found)
  if (wrong !== null) throw new SurfaceError({ code: wrong.code, detail: wrong.message })
  if (surfaceId !== undefined && store.get(surfaceId) === null) {
    const detail = 'There is no such surface.'
    throw new SurfaceError({ code: 'surface_not_found', detail, surfaceId })
  }
}

function cancelled(detail: string, surfaceId?: string): SurfaceError {
  return new SurfaceError({ code: 'call_cancelled', detail, surfaceId })
}

function notFound(id: string): SurfaceDiagnostic {
  const message = `No call with the id ${quote(id)} waits for an answer.`
  return { code: 'call_not_found', severity: 'error', message, path: '' }
}

const MAX_DETAIL_LENGTH = 300

/** The error of a client's response; its text is truncated. */
function failure(error: JsonValue | undefined): SurfaceError {
  const { code, message } = isPlainObject(error) ? error : {}
  const words = [code, message].map((one) => (typeof one === 'string' ? one : ''))
  const detail = withoutControls(words.join(': ').slice(0, MAX_DETAIL_LENGTH))
  return new SurfaceError({ code: 'call_failed', detail })
}
