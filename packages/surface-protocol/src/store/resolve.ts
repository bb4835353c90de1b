import { cloneJson, type JsonValue } from '../json.ts'
import type { SurfaceErrorCode } from '../errors.ts'
import type { BoundKind } from '../catalog/slot.ts'
import { toJson, type DataMap, type DataValue } from './data-value.ts'
import type { BindingPlan } from './plan.ts'
import { locate, type PathMode, type Scope } from './scope.ts'

/** Where a bound value is resolved. */
export interface ResolveContext {
  readonly root: DataMap
  readonly scope: Scope
  readonly mode: PathMode
  /** Whether the literal counts while the path yields nothing (SP-37). */
  readonly fallback: () => boolean
  readonly warn?: (code: SurfaceErrorCode, pathText: string) => void
}

/** The value of a binding as plain JSON; null when there is none (SP-33, SP-34). */
export function resolveBinding(binding: BindingPlan, context: ResolveContext): JsonValue {
  const { path, literal, kind } = binding
  if (path === null) return literal === undefined ? null : cloneJson(literal)
  const { value, compatible } = locate(context.root, path, context)
  if (compatible) context.warn?.('compatible_path', binding.pathText)
  if (value === undefined) {
    return literal !== undefined && context.fallback() ? cloneJson(literal) : null
  }
  if (value === null) return null
  const result = convert(value, kind)
  if (result === undefined) {
    context.warn?.('binding_type', binding.pathText)
    return null
  }
  return result
}

/** The value in the form its slot takes; undefined when it has none. */
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
