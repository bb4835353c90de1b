import { cloneJson, type JsonValue } from '../json.ts'
import type { BoundKind } from '../catalog/slot.ts'
import type { DataPath } from '../data/data-path.ts'
import { toJson, valueAt, type DataMap, type DataValue } from '../data/data-value.ts'
import type { Graph } from '../graph/graph.ts'
import type { InstanceWarning } from './instance.ts'
import type { BindingPlan, DynamicKind, DynamicPlan } from '../graph/definition.ts'
import { pathLocation, type Evaluator } from '../functions/evaluate.ts'
import { EvaluationError } from '../functions/evaluation-error.ts'
import { toNumber, toText } from '../functions/truth.ts'
import { locate, type PathMode, type Scope } from './scope.ts'

/** The context in which a bound value is resolved. */
export interface ResolveContext {
  readonly root: DataMap
  readonly scope: Scope
  readonly mode: PathMode
  readonly graph: Graph
  readonly componentId: string
  readonly warnings: InstanceWarning[]
  /** Evaluates dynamic values, from version 0.9.1 on. */
  readonly evaluator: Evaluator | null
  readonly owner: SurfaceOwner
  readonly positions: Map<DataMap, ReadonlyMap<string, number>>
}

/** The surface whose values are resolved. */
export interface SurfaceOwner {
  readonly surfaceId: string
  readonly catalogId: string | null
}

/** The value of a binding as plain JSON; null if there is none. */
export function resolveBinding(binding: BindingPlan, context: ResolveContext): JsonValue {
  const { path, literal, kind, pathText, dynamic } = binding
  if (dynamic !== undefined) return resolveDynamic(dynamic, pathText, context)
  if (path === null) return literal === undefined ? null : cloneJson(literal)
  const { value, compatible } = locate(context.root, path, context)
  if (compatible) context.warnings.push({ code: 'compatible_path', pathText })
  if (value === undefined) {
    return literal !== undefined && literalCounts(context) ? cloneJson(literal) : null
  }
  if (value === null) return null
  const result = convert(value, kind)
  if (result !== undefined) return result
  context.warnings.push({ code: 'binding_type', pathText })
  return null
}

/** A dynamic value converted for its slot; null with a warning if there is none. */
function resolveDynamic(plan: DynamicPlan, pathText: string, context: ResolveContext): JsonValue {
  const { kind } = plan
  const { evaluator, warnings } = context
  let result: JsonValue | undefined
  try {
    result = plan.bound === null ? compute(plan.value, context) : readPath(plan.bound, context)
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error
    warnings.push({ code: error.code, pathText })
    return kind === 'dString' ? '' : null
  }
  const converted = toSlotValue(result, kind)
  if (converted !== undefined) return converted
  warnings.push({ code: 'binding_type', pathText })
  return kind === 'dBoolean' ? (evaluator?.syntax.isTrue(result) ?? false) : null
}

function compute(
  value: JsonValue,
  { root, scope, evaluator, owner, positions }: ResolveContext,
): JsonValue | undefined {
  const { surfaceId, catalogId } = owner
  return evaluator?.evaluate(value, {
    root,
    scope: scope.segments,
    surfaceId,
    catalogId,
    positions,
  })
}

function readPath(path: DataPath, { root, scope }: ResolveContext): JsonValue | undefined {
  const found = valueAt(root, pathLocation(path, scope.segments))
  return found === undefined ? undefined : toJson(found)
}

/** Converts a value for a slot; undefined if that is impossible. */
function toSlotValue(value: JsonValue | undefined, kind: DynamicKind): JsonValue | undefined {
  switch (kind) {
    case 'dString':
      return toText(value)
    case 'dNumber':
      return value === undefined || value === null ? null : (toNumber(value) ?? undefined)
    case 'dBoolean':
      return typeof value === 'boolean' ? value : undefined
    case 'dStrings':
      if (value === undefined || value === null) return null
      return Array.isArray(value) ? value.map(toText) : undefined
    default:
      return value ?? null
  }
}

/**
 * Inside templates literals are not written to the data: they apply while the location is empty.
 */
function literalCounts({ scope, graph, componentId }: ResolveContext): boolean {
  return scope.suffix !== '' || graph.isInTemplate(componentId)
}

/** Converts a value to the slot's kind; undefined if that is impossible. */
function convert(value: DataValue, kind: BoundKind): JsonValue | undefined {
  switch (kind) {
    case 'string':
      if (typeof value === 'string') return value
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
    case 'number':
    case 'boolean':
      return typeof value === kind ? toJson(value) : undefined
    case 'stringArray':
      return strings(value)
    default:
      return toJson(value)
  }
}

function strings(value: DataValue): string[] | undefined {
  if (!Array.isArray(value) && !(value instanceof Map)) return undefined
  const items: string[] = []
  for (const item of value.values()) {
    if (typeof item !== 'string') return undefined
    items.push(item)
  }
  return items
}
