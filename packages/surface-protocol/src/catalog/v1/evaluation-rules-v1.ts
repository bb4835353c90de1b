import { valueAt, type DataMap } from '../../data/data-value.ts'
import { quote } from '../../diagnostics/errors.ts'
import type {
  CallSite,
  EvaluationPlace,
  EvaluationRules,
  FoundFunction,
} from '../../functions/evaluate.ts'
import { EvaluationError } from '../../functions/evaluation-error.ts'
import { taggedSyntax } from '../../functions/tagged-syntax.ts'
import { toNumber } from '../../functions/truth.ts'
import type { JsonValue } from '../../json.ts'
import { findCatalog, type FindCore } from './find-catalog.ts'

/** Evaluation rules of version 1.0; `find` returns catalogs. */
export function createEvaluationRulesV1(find: FindCore): EvaluationRules {
  return { syntax: taggedSyntax, find: (call) => findFunction(call, find), result: toResult }
}

/** A call belongs to the catalog it names, else to that of its surface. */
function findFunction(
  { name, catalogId, place }: CallSite,
  find: FindCore,
): FoundFunction | undefined {
  if (name === '@index') return { system: (args) => positionOf(place) + offsetOf(args.offset) }
  const found = findCatalog(catalogId, place.catalogId, find)
  if (found.core === null) throw new EvaluationError(found.code, found.message)
  const parts = found.core.v09
  if (parts?.functions.has(name) !== true) {
    const detail = `The catalog has no function ${quote(name)}.`
    throw new EvaluationError('unknown_function', detail)
  }
  const host = parts.hostFunctions?.get(name)
  return host === undefined ? undefined : { host }
}

function offsetOf(offset: JsonValue | undefined): number {
  return toNumber(offset) ?? 0
}

/** Position of the item in its array or object. */
function positionOf({ root, scope, positions }: EvaluationPlace): number {
  const key = scope.at(-1)
  const container = key === undefined ? undefined : valueAt(root, scope.slice(0, -1))
  if (key !== undefined && Array.isArray(container)) return Number(key)
  const position =
    key !== undefined && container instanceof Map
      ? positionsIn(container, positions).get(key)
      : null
  if (typeof position === 'number') return position
  const detail = 'A position is asked for outside of a template.'
  throw new EvaluationError('index_outside_template', detail)
}

/** Positions of an object's keys, computed once per pass over the data. */
function positionsIn(
  map: DataMap,
  known: EvaluationPlace['positions'],
): ReadonlyMap<string, number> {
  const found = known?.get(map)
  if (found !== undefined) return found
  const made = new Map([...map.keys()].map((key, position) => [key, position]))
  known?.set(map, made)
  return made
}

const VALIDATORS: ReadonlySet<string> = new Set(['required', 'regex', 'length', 'numeric', 'email'])

/** Validators return a result with details. */
function toResult(name: string, value: JsonValue): JsonValue {
  if (!VALIDATORS.has(name) || typeof value !== 'boolean') return value
  return name === 'email' && !value ? { valid: value, code: 'INVALID_EMAIL' } : { valid: value }
}
