import { isLiteral, literalKinds } from '../catalog/literal.ts'
import { asChildren, isReferenceName } from '../catalog/references.ts'
import type { BoundKind, Shape, Slot } from '../catalog/slot.ts'
import { walkShape, type Place } from '../catalog/walk-shape.ts'
import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { readDataPath, type DataPath } from '../data/data-path.ts'
import {
  noPlan,
  type BindingPlan,
  type Definition,
  type GroupPlan,
  type Plan,
} from './definition.ts'
import { sameEdges } from './graph.ts'
import { makePlanV09 } from './plan-v09.ts'

interface Draft {
  readonly bindings: BindingPlan[]
  readonly groups: GroupPlan[]
}

/** The plan of a component, created once. */
export function planOf(definition: Definition): Plan {
  definition.plan ??= makePlan(definition)
  return definition.plan
}

/**
 * Returns whether two plans watch the same paths and have the same children, so that neither has to be
 * updated.
 */
export function samePlaces(a: Plan, b: Plan): boolean {
  return (
    a.bindings.length === b.bindings.length &&
    a.groups.length === b.groups.length &&
    a.bindings.every((binding, index) => sameBinding(binding, b.bindings[index])) &&
    a.groups.every((group, index) => sameGroup(group, b.groups[index]))
  )
}

function sameBinding(a: BindingPlan, b: BindingPlan | undefined): boolean {
  return a.kind === b?.kind && a.pathText === b.pathText && (a.path === null) === (b.path === null)
}

function sameGroup(a: GroupPlan, b: GroupPlan | undefined): boolean {
  // The children of a template also depend on the data.
  return a.kind !== 'template' && a.kind === b?.kind && sameEdges(a.ids, b.ids)
}

function makePlan({ type, properties, core }: Definition): Plan {
  if (core?.v09 !== undefined) {
    const shapeV09 = core.v09.components.get(type)
    return shapeV09 === undefined ? noPlan : makePlanV09(shapeV09, properties, core.v09.syntax)
  }
  const draft: Draft = { bindings: [], groups: [] }
  const shape = core?.shape(type) ?? null
  if (shape !== null && core?.exact === true) {
    walkShape(shape, properties, (slot, value, place) => {
      addSlot(slot, value as JsonValue, { place: [...place], draft })
    })
  } else addByValue({ place: [], draft }, properties, shape)
  return draft
}

interface Walk {
  readonly place: Place
  readonly draft: Draft
}

function below({ place, draft }: Walk, key: string | number): Walk {
  return { place: [...place, key], draft }
}

function addSlot(slot: Slot, value: JsonValue, walk: Walk): void {
  switch (slot.kind) {
    case 'bound':
      walk.draft.bindings.push(readBinding(value, slot.value, walk.place))
      break
    case 'reference':
      if (typeof value === 'string') addIds('one', [value], walk)
      break
    case 'children':
      addChildren(value, walk)
      break
    default:
  }
}

function addIds(kind: 'one' | 'list', ids: readonly string[], { place, draft }: Walk): void {
  draft.groups.push({ kind, place, ids })
}

function addChildren(value: JsonValue, walk: Walk): boolean {
  const children = Array.isArray(value) ? { list: value } : asChildren(value)
  if (children === null) return false
  if ('list' in children) {
    addIds(
      'list',
      children.list.filter((id) => typeof id === 'string'),
      walk,
    )
  } else {
    const binding = readDataPath(children.dataBinding)
    if (binding === null) addIds('list', [], walk)
    else {
      const { componentId } = children
      walk.draft.groups.push({ kind: 'template', place: walk.place, componentId, binding })
    }
  }
  return true
}

/** A bound value; an invalid one has neither path nor literal and evaluates to null. */
export function readBinding(value: JsonValue, kind: BoundKind, place: Place): BindingPlan {
  let path: DataPath | null = null
  let pathText = ''
  let literal: JsonValue | undefined
  if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'path' && typeof member === 'string') {
        path = readDataPath(member)
        pathText = member
      } else if (fits(name, member, kind)) literal = member
    }
  }
  return { place, kind, path, pathText, literal }
}

function fits(name: string, value: JsonValue, slotKind: BoundKind): boolean {
  const kind = literalKinds.get(name)
  return kind !== undefined && (slotKind === 'any' || slotKind === kind) && isLiteral(value, kind)
}

/** The kind of an object that looks like a bound value; null for others. */
function boundForm(value: JsonObject): BoundKind | null {
  const keys = Object.keys(value)
  const literals = keys.filter((key) => key !== 'path')
  const [literal] = literals
  if (keys.length === 0 || literals.length > 1) return null
  if (literals.length < keys.length && typeof value.path !== 'string') return null
  if (literal === undefined) return 'any'
  const member = value[literal]
  if (member === undefined || !fits(literal, member, 'any')) return null
  return literalKinds.get(literal) ?? null
}

/** Finds bound values by form, and references by shape, or by name without one. */
function addByValue(walk: Walk, value: JsonValue, shape: Shape | null): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    value.forEach((item, index) => addMember(below(walk, index), item, null))
    return
  }
  for (const [name, item] of Object.entries(value)) {
    addMember(
      below(walk, name),
      item,
      shape === null ? null : (shape.fields.get(name)?.slot ?? opaque),
    )
  }
}

const opaque: Slot = { kind: 'opaque' }

function addMember(walk: Walk, value: JsonValue, slot: Slot | null): void {
  if (slot?.kind === 'reference' || slot?.kind === 'children') {
    addSlot(slot, value, walk)
    return
  }
  if (slot?.kind === 'action') return
  if (slot === null && addInferred(walk, value)) return
  if (isPlainObject(value)) {
    const kind = boundForm(value)
    if (kind !== null) {
      walk.draft.bindings.push(readBinding(value, kind, walk.place))
      return
    }
  }
  if (slot?.kind === 'list' && Array.isArray(value)) {
    value.forEach((item, index) => addMember(below(walk, index), item, slot.item))
  } else addByValue(walk, value, slot === null ? null : slotShape(slot))
}

const noShape: Shape = { fields: new Map(), required: [], references: false }

function slotShape(slot: Slot): Shape {
  return slot.kind === 'object' ? slot.shape : noShape
}

/** References recognised only by name or form, and actions. */
function addInferred(walk: Walk, value: JsonValue): boolean {
  const name = walk.place.at(-1)
  if (typeof value === 'string' && isReferenceName(name)) {
    addIds('one', [value], walk)
    return true
  }
  if (name === 'action' && walk.place.length === 1) return true
  if (Array.isArray(value)) return name === 'children' && addStrings(walk, value)
  return isPlainObject(value) && addChildren(value, walk)
}

function addStrings(walk: Walk, value: readonly JsonValue[]): boolean {
  if (!value.every((item) => typeof item === 'string')) return false
  addIds('list', value, walk)
  return true
}
