import { copyJson } from '../data/copy-json.ts'
import { quote } from '../diagnostics/errors.ts'
import { Report } from '../diagnostics/report.ts'
import { createEvaluationRulesV1 } from '../catalog/v1/evaluation-rules-v1.ts'
import { Evaluator } from '../functions/evaluate.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { stateOfStore } from '../store/store.ts'
import type { Surface } from '../store/surface.ts'
import {
  checkArguments,
  findFunction,
  type CalledFunction,
  type WireCall,
} from './function-check.ts'
import type { RpcSettings } from './rpc-settings.ts'

/** Function calls from the client to the server. */
export interface AgentCalls {
  /** Runs a call and sends its response. Never rejects. */
  run(payload: JsonObject): Promise<void>
  /** Aborts the running functions of a surface. */
  cancel(surfaceId: string): void
  close(): void
}

/** An error as sent to a client. */
interface Failure {
  readonly code: string
  readonly message: string
}

interface Running {
  readonly surfaceId: string
  /** Aborts the function. */
  readonly controller: AbortController
  /** Cancels the timeout. */
  readonly timer: AbortController
}

const FAILED: Failure = {
  code: 'EXECUTION_ERROR',
  message: 'An error occurred during function execution.',
}

/** Creates the handler of calls. */
export function createAgentCalls(settings: RpcSettings): AgentCalls {
  const { maxPending, runtime, timeoutMs, onError } = settings
  const running = new Map<string, Running>()
  let isClosed = false

  const respond = async (id: string, outcome: JsonObject): Promise<void> => {
    if (isClosed) return
    const agentFunctionResponse: JsonObject = { functionCallId: id, ...outcome }
    try {
      await settings.send({ version: 'v1.0', agentFunctionResponse })
    } catch (error) {
      onError(error)
    }
  }

  /** The value of a resolved function, or the reason it has none. */
  const execute = async (
    call: WireCall,
    { found, surface, controller, timer }: Ready & Running,
  ): Promise<JsonObject> => {
    const timeout = runtime.sleep(timeoutMs, timer.signal).then(
      () => {
        controller.abort()
        const message = `The function did not end within ${timeoutMs} ms.`
        return failed({ code: 'TIMEOUT', message })
      },
      () => failed(FAILED),
    )
    try {
      const { signal } = controller
      return await Promise.race([valueOf(call, { found, surface, signal, settings }), timeout])
    } catch (error) {
      onError(error)
      return failed(FAILED)
    } finally {
      timer.abort()
    }
  }

  return {
    async run(payload) {
      const { functionCallId: id, surfaceId } = payload
      if (typeof id !== 'string' || typeof surfaceId !== 'string' || isClosed) return
      if (running.has(id)) {
        const message = 'A call with this id is running.'
        await respond(id, failed({ code: 'DUPLICATE', message }))
        return
      }
      if (running.size >= maxPending) {
        const message = `No more than ${maxPending} calls may run.`
        await respond(id, failed({ code: 'BUSY', message }))
        return
      }
      const ready = prepare(payload, settings)
      if ('code' in ready) {
        await respond(id, failed(ready))
        return
      }
      const one = { surfaceId, controller: new AbortController(), timer: new AbortController() }
      running.set(id, one)
      const outcome = await execute(ready.call, { ...ready, ...one })
      running.delete(id)
      await respond(id, outcome)
    },
    cancel(surfaceId) {
      for (const one of running.values()) {
        if (one.surfaceId === surfaceId) one.controller.abort()
      }
    },
    close() {
      isClosed = true
      for (const { controller, timer } of running.values()) {
        controller.abort()
        timer.abort()
      }
    },
  }
}

interface Ready {
  readonly call: WireCall
  readonly found: CalledFunction
  readonly surface: Surface
}

/** Resolves a call and validates its arguments. */
function prepare(
  { surfaceId, callFunction }: JsonObject,
  { store, find }: RpcSettings,
): Ready | Failure {
  const code = 'INVALID_FUNCTION_CALL'
  const surface = stateOfStore(store).surfaces.get(typeof surfaceId === 'string' ? surfaceId : '')
  if (surface === undefined) return { code, message: 'Surface not found.' }
  const { '@call': named, catalogId, args } = isPlainObject(callFunction) ? callFunction : {}
  const call: WireCall = {
    name: typeof named === 'string' ? named : '',
    catalogId: typeof catalogId === 'string' ? catalogId : undefined,
    args: isPlainObject(args) ? args : {},
  }
  const found = findFunction(call, { ofSurface: surface.catalogId, find })
  if (found === 'no catalog') {
    const id = call.catalogId ?? surface.catalogId ?? ''
    return { code, message: `Catalog not found: ${plain(id)}` }
  }
  const name = plain(call.name)
  if (found === 'no function') return { code, message: `Function not found: ${name}` }
  if (found.shape.callers === 'agentOnly') {
    const message = `Function '${name}' cannot be called by renderer (allowedCallers is agentOnly).`
    return { code, message }
  }
  const wrong = checkArguments(call, found)
  if (wrong !== null) return { code: 'INVALID_ARGUMENTS', message: wrong.message }
  return { call, found, surface }
}

/** Formats a name for use in a message: truncated, without control characters. */
function plain(name: string): string {
  return quote(name).slice(1, -1)
}

function failed({ code, message }: Failure): JsonObject {
  return { error: { code, message } }
}

/** Runs the catalog's implementation, or the basic function with that name. */
async function valueOf(
  { name, args }: WireCall,
  context: {
    readonly found: CalledFunction
    readonly surface: Surface
    readonly signal: AbortSignal
    readonly settings: RpcSettings
  },
): Promise<JsonObject> {
  const { found, surface, signal, settings } = context
  const { id: surfaceId, data } = surface
  const host = found.core.v09?.hostFunctions?.get(name)
  if (host !== undefined) {
    return { value: asJson(await host(args, { surfaceId, scope: '', signal })) }
  }
  const evaluator = new Evaluator({ rules: createEvaluationRulesV1(settings.find) })
  const catalogId = found.core.v09?.table.catalogId ?? null
  return { value: evaluator.call(name, args, { root: data.root, scope: [], surfaceId, catalogId }) }
}

/** Converts the value to JSON; undefined becomes null. @throws TypeError for anything that is not JSON */
function asJson(value: unknown): JsonValue {
  const report = new Report()
  const copy = copyJson(value ?? null, report)
  const [problem] = report.finish()
  if (problem !== undefined) throw new TypeError(`The function gave no JSON: ${problem.message}`)
  return copy
}
