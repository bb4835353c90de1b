import { readDataPath } from '../data/data-path.ts'
import { mapFromJson } from '../data/data-value.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { basicFunctionNames } from './basic-functions.ts'
import { Evaluator, type HostFunction } from './evaluate.ts'
import { EvaluationError } from './evaluation-error.ts'

/** What a function is evaluated with. */
export interface EvaluateFunctionOptions {
  /** Default: 0.9.1. */
  readonly version?: '0.9' | '0.9.1'
  /** The data model that bindings among the arguments read. Default: `{}`. */
  readonly data?: JsonObject
  /** Pointer of the item that relative paths begin at. Default: the root. */
  readonly scope?: string
  /** Default: en-US. */
  readonly locale?: string
  /** Default: UTC. */
  readonly timeZone?: string
  /** Functions of the host, by name; they win over the basic ones. */
  readonly functions?: Readonly<Record<string, HostFunction>>
}

/**
 * Calls a function of the basic catalog, or of the host; bindings and calls among its arguments are
 * resolved first (SN-33).
 * @throws SurfaceError `unknown_function`, `invalid_argument`, `invalid_expression`, `function_failed`,
 * `limit_exceeded`
 */
export function evaluateFunction(
  name: string,
  args: JsonObject,
  options: EvaluateFunctionOptions = {},
): JsonValue {
  const { data = {}, scope = '', functions = {} } = options
  if (!basicFunctionNames.includes(name) && !Object.hasOwn(functions, name)) {
    const detail = `There is no function ${quote(name)}.`
    throw new SurfaceError({ code: 'unknown_function', detail })
  }
  const place = { root: mapFromJson(data), scope: readDataPath(scope)?.segments ?? [] }
  try {
    return new Evaluator(options).call(name, args, place)
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    throw new SurfaceError({ code: error.code, detail: error.message, limit: error.limit })
  }
}
