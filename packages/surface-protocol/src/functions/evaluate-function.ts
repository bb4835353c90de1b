import { protocolParts, readVersion, type Version } from '../data/version.ts'
import { readDataPath } from '../data/data-path.ts'
import { mapFromJson } from '../data/data-value.ts'
import { quote, SurfaceError } from '../diagnostics/errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { basicFunctionNames } from './basic-functions.ts'
import { Evaluator, type EvaluationRules, type HostFunction } from './evaluate.ts'
import { orSurfaceError } from './evaluation-error.ts'

/** Options for evaluating a function. */
export interface EvaluateFunctionOptions {
  /** Default: 0.9.1. */
  readonly version?: Exclude<Version, '0.8'>
  /** The data model for bindings in arguments. Default: `{}`. */
  readonly data?: JsonObject
  /** JSON Pointer of the item relative paths start at. Default: the root. */
  readonly scope?: string
  /** Default: en-US. */
  readonly locale?: string
  /** Default: UTC. */
  readonly timeZone?: string
  /** The host's functions by name; they override the basic ones. */
  readonly functions?: Readonly<Record<string, HostFunction>>
  /** Catalogs available to calls (1.0). Default: the basic catalog. */
  readonly catalogs?: readonly { readonly catalogId: string }[]
  /** The catalog of calls that name none (1.0). Default: the basic catalog, unless `catalogs` is given. */
  readonly surfaceCatalogId?: string | undefined
  /** The catalog of this call (1.0). Default: the surface's. */
  readonly catalogId?: string
}

/** The evaluator provided by a protocol version's subpath. */
export interface FunctionParts {
  readonly rules: (catalogs: EvaluateFunctionOptions['catalogs']) => EvaluationRules
  /** The default catalog. */
  readonly catalogId: string
}

/**
 * Calls a function of the basic catalog or the host; bindings and calls in its arguments are resolved
 * first.
 * @throws SurfaceError `unknown_function`, `invalid_argument`, `invalid_expression`, `function_failed`,
 * `limit_exceeded`; in version 1.0 also the errors of `resolveCatalog`
 */
export function evaluateFunction(
  name: string,
  args: JsonObject,
  options: EvaluateFunctionOptions = {},
): JsonValue {
  const { data = {}, scope = '', functions = {}, catalogId, catalogs } = options
  const place = { root: mapFromJson(data), scope: readDataPath(scope)?.segments ?? [] }
  const parts = protocolParts(readVersion(options.version ?? '0.9.1'))
  if (parts !== null) {
    const { rules, catalogId: basic } = (parts as { readonly functions: FunctionParts }).functions
    const isNamed = catalogs !== undefined || 'surfaceCatalogId' in options
    const ofSurface = isNamed ? (options.surfaceCatalogId ?? null) : basic
    const evaluator = new Evaluator({ ...options, rules: rules(catalogs) })
    return orSurfaceError(undefined, () =>
      evaluator.call(name, args, { ...place, catalogId: ofSurface }, catalogId),
    )
  }
  if (!basicFunctionNames.includes(name) && !Object.hasOwn(functions, name)) {
    const detail = `There is no function ${quote(name)}.`
    throw new SurfaceError({ code: 'unknown_function', detail })
  }
  return orSurfaceError(undefined, () => new Evaluator(options).call(name, args, place))
}
