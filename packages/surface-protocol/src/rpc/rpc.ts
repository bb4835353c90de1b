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
  /** The surfaces calls belong to. */
  readonly store: AnySurfaceStore
  /** Catalogs of callable functions, with their implementations (`withFunctions`). */
  readonly catalogs: readonly Catalog[]
  /** Sends a message to the client. */
  readonly send: (message: JsonObject) => void | Promise<void>
  /** Maximum milliseconds of a call. Default: 30000. */
  readonly timeoutMs?: number
  /** Maximum pending calls in each direction. Default: 1000. */
  readonly maxPending?: number
  readonly runtime?: Runtime
  /** Called with errors of `send` and of the host's functions. Default: they are ignored. */
  readonly onError?: (error: unknown) => void
}

/** Function calls between a server and one client, in both directions. */
export interface Rpc {
  /**
   * Calls a client function and returns its value.
   * @throws SurfaceError `call_failed`, `call_timeout`, `call_cancelled`, `call_duplicate`,
   * `limit_exceeded`,
   * `invalid_argument`, `unknown_function`, `surface_not_found`, or the errors of `resolveCatalog`
   */
  callRenderer(options: CallRendererOptions): Promise<JsonValue>
  /**
   * Handles a client message: a response settles its call; a call of a server function is run and answered.
   * Resolves with the message's problems when that is done; never rejects.
   */
  handle(message: unknown): Promise<SurfaceDiagnostic[]>
  /** Cancels pending calls and all timers. */
  close(): void
}

/**
 * Creates RPC with one client of version 1.0.
 * @throws TypeError for invalid options
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
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number above 0')
  if (!(Number.isSafeInteger(maxPending) && maxPending > 0)) {
    throw new TypeError('maxPending must be an integer above 0')
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
