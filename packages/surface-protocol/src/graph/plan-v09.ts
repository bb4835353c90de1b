import type { ShapeV09, SlotV09 } from '../catalog/v09/shape.ts'
import type { Place } from '../catalog/walk-shape.ts'
import { readDataPath, type DataPath } from '../data/data-path.ts'
import { pathsIn } from '../functions/evaluate.ts'
import { usesIndex, type ValueSyntax } from '../functions/value-syntax.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import {
  noPlan,
  type BindingPlan,
  type DynamicKind,
  type DynamicPlan,
  type GroupPlan,
  type Plan,
} from './definition.ts'
import { walkV09 } from '../catalog/v09/walk-v09.ts'

/** The parts of a version 0.9.1 component that must be resolved to show it. */
export function makePlanV09(shape: ShapeV09, properties: JsonObject, syntax: ValueSyntax): Plan {
  if (shape.live.length === 0) return noPlan
  const bindings: BindingPlan[] = []
  const groups: GroupPlan[] = []
  const visit = (slot: SlotV09, value: JsonValue, place: Place): void => {
    switch (slot.kind) {
      case 'id':
        if (typeof value === 'string') groups.push({ kind: 'one', place: [...place], ids: [value] })
        break
      case 'children':
        addChildren(value, [...place], groups)
        break
      case 'binding':
      case 'any':
        addDynamic(value, 'dValue', { place: [...place], bindings, syntax })
        break
      case 'dString':
      case 'dNumber':
      case 'dBoolean':
      case 'dStrings':
      case 'dValue':
        addDynamic(value, slot.kind, { place: [...place], bindings, syntax })
        break
      default:
    }
  }
  walkV09(shape, properties, { visit, syntax, place: [] })
  return bindings.length + groups.length === 0 ? noPlan : { bindings, groups }
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
  { place, bindings, syntax }: { place: Place; bindings: BindingPlan[]; syntax: ValueSyntax },
): void {
  if (!syntax.isDynamic(value)) return
  const pathText = JSON.stringify(value)
  const dynamic = dynamicPlan(value, kind, syntax)
  bindings.push({ place, kind: 'any', path: null, pathText, literal: undefined, dynamic })
}

function dynamicPlan(value: JsonValue, kind: DynamicKind, syntax: ValueSyntax): DynamicPlan {
  const path = syntax.pathOf(value)
  if (path !== undefined) {
    const bound = readDataPath(path)
    // An invalid path refers to nothing; its evaluation reports it.
    return { value, kind, bound, paths: bound === null ? [] : [bound], usesIndex: false }
  }
  const paths = pathsIn(value, syntax)
    .map(readDataPath)
    .filter((one): one is DataPath => one !== null)
  return { value, kind, bound: null, paths, usesIndex: usesIndex(value, syntax) }
}
