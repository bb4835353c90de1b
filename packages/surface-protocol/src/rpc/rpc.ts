import { createSystemRuntime, type Runtime } from '@x/wire'
import { catalogCore, type Catalog } from '../catalog/catalog.ts'
import { aliasesV1 } from '../catalog/v1/basic-catalog-v1.ts'
import type { SurfaceDiagnostic } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { validateRendererMessage } from '../message/v1/client-message-v1.ts'
import { stateOfStore, type AnySurfaceStore } from '../store/store.ts'
import { createAgentCalls } from './agent-calls.ts'
import { createRendererCalls, type CallRendererOptions } from './renderer-calls.ts'
import type { RpcSettings } from './rpc-settings.ts'

/** Options of RPC. */
export interface RpcOptions {
  /** The surfaces that calls belong to. */
  readonly store: AnySurfaceStore
  /** Catalogs whose functions are called, with their implementations (`withFunctions`). */
  readonly catalogs: readonly Catalog[]
  /** Sends a message to the client. */
  readonly send: (message: JsonObject) => void | Promise<void>
  /** Milliseconds that a call may take. Default: 30000. */
  readonly timeoutMs?: number
  /** Calls that may wait in each direction. Default: 1000. */
  readonly maxPending?: number
  readonly runtime?: Runtime
  /** Hears what functions of the host throw, and `send`. Default: nothing. */
  readonly onError?: (error: unknown) => void
}

/** Calls of functions between a server and one client, in both directions (SN-60 to SN-63). */
export interface Rpc {
  /**
   * Calls a function of the client and gives its value.
   * @throws SurfaceError `call_failed`, `call_timeout`, `call_cancelled`, `call_duplicate`,
   * `limit_exceeded`, `invalid_argument`, `unknown_function`, `surface_not_found`, or why there is no
   * catalog
   */
  callRenderer(options: CallRendererOptions): Promise<JsonValue>
  /**
   * Takes a message of the client: an answer ends its call, a call of a function of this server is
   * answered. Resolves when that is done; gives what is wrong with the message, and never rejects.
   */
  handle(message: unknown): Promise<SurfaceDiagnostic[]>
  /** Gives up what waits; no timer is left. */
  close(): void
}

/**
 * RPC with one client of version 1.0.
 * @throws TypeError for wrong options
 */
export function createRpc(options: RpcOptions): Rpc {
  const settings = resolve(options)
  const outgoing = createRendererCalls(settings)
  const incoming = createAgentCalls(settings)
  const forget = settings.store.on('surface.deleted', ({ surfaceId }) => {
    outgoing.cancel(surfaceId)
    incoming.cancel(surfaceId)
  })
  return {
    callRenderer: (call) => outgoing.call(call),
    async handle(message) {
      const { message: read, diagnostics } = validateRendererMessage(message)
      if (read === null) return diagnostics
      const { rendererFunctionResponse, error, callAgentFunction } = read
      if (isPlainObject(rendererFunctionResponse)) return outgoing.answer(rendererFunctionResponse)
      if (isPlainObject(error) && typeof error.functionCallId === 'string') {
        return outgoing.answer({ functionCallId: error.functionCallId, error })
      }
      if (isPlainObject(callAgentFunction)) await incoming.run(callAgentFunction)
      return diagnostics
    },
    close() {
      forget()
      outgoing.close()
      incoming.close()
    },
  }
}

function resolve(options: RpcOptions): RpcSettings {
  const {
    store,
    catalogs,
    send,
    timeoutMs = 30_000,
    maxPending = defaultLimits.maxPending,
  } = options
  if (stateOfStore(store).settings.dialect.family !== '1.0') {
    throw new TypeError('A store of version 1.0 is expected')
  }
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs is a number above 0')
  if (!(Number.isSafeInteger(maxPending) && maxPending > 0)) {
    throw new TypeError('maxPending is a whole number above 0')
  }
  const byId = new Map(catalogs.map((catalog) => [catalog.catalogId, catalogCore(catalog)]))
  return {
    store,
    send,
    timeoutMs,
    maxPending,
    find: (id) => byId.get(id) ?? byId.get(aliasesV1[id] ?? '') ?? null,
    runtime: options.runtime ?? createSystemRuntime(),
    onError: options.onError ?? (() => undefined),
  }
}
