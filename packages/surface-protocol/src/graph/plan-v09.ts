import type { ShapeV09 } from '../catalog/v09/shape.ts'
import type { Place } from '../catalog/walk-shape.ts'
import { readDataPath, type DataPath } from '../data/data-path.ts'
import { isBinding, isCall, pathsIn } from '../functions/evaluate.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import type { BindingPlan, DynamicKind, GroupPlan, Plan } from './definition.ts'
import { walkV09 } from '../catalog/v09/walk-v09.ts'

/** What has to be found out to show a component of version 0.9.1. */
export function makePlanV09(shape: ShapeV09, properties: JsonObject): Plan {
  const bindings: BindingPlan[] = []
  const groups: GroupPlan[] = []
  walkV09(shape, properties, (slot, value, place) => {
    switch (slot.kind) {
      case 'id':
        if (typeof value === 'string') groups.push({ kind: 'one', place: [...place], ids: [value] })
        break
      case 'children':
        addChildren(value, [...place], groups)
        break
      case 'binding':
        addDynamic(value, 'dValue', { place: [...place], bindings })
        break
      case 'dString':
      case 'dNumber':
      case 'dBoolean':
      case 'dStrings':
      case 'dValue':
        addDynamic(value, slot.kind, { place: [...place], bindings })
        break
      default:
    }
  })
  return { bindings, groups }
}

function addChildren(value: JsonValue, place: Place, groups: GroupPlan[]): void {
  if (Array.isArray(value)) {
    groups.push({ kind: 'list', place, ids: value.filter((id) => typeof id === 'string') })
  } else if (
    isPlainObject(value) &&
    typeof value.componentId === 'string' &&
    typeof value.path === 'string'
  ) {
    const binding = readDataPath(value.path)
    if (binding === null) groups.push({ kind: 'list', place, ids: [] })
    else groups.push({ kind: 'template', place, componentId: value.componentId, binding })
  }
}

function addDynamic(
  value: JsonValue,
  kind: DynamicKind,
  { place, bindings }: { place: Place; bindings: BindingPlan[] },
): void {
  if (!isBinding(value) && !isCall(value)) return
  const paths = pathsIn(value as JsonObject)
    .map(readDataPath)
    .filter((path): path is DataPath => path !== null)
  bindings.push({
    place,
    kind: 'any',
    path: null,
    pathText: JSON.stringify(value),
    literal: undefined,
    dynamic: { value, kind, paths },
  })
}
