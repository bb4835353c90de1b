import type { SurfaceErrorCode } from '../diagnostics/errors.ts'
import { cloneJson, equalJson, ownValue, setOwn, type JsonValue } from '../json.ts'
import type { Definition } from '../graph/definition.ts'
import type { Registration } from './location-index.ts'
import type { Place } from '../catalog/walk-shape.ts'
import { sortByTrail } from '../diagnostics/document-order.ts'
import { planOf } from '../graph/plan.ts'
import type { Scope } from './scope.ts'

/** A node of the tree as seen by clients. */
export interface TreeNode {
  id: string
  componentId: string
  /** Null while the component is undefined. */
  type: string | null
  /** JSON Pointer of the template's entry; `""` outside templates. */
  scope: string
  weight?: number
  pending?: true
  properties: { [name: string]: unknown }
}

/** A warning from resolving an instance. */
export interface InstanceWarning {
  readonly code: SurfaceErrorCode
  readonly pathText: string
  /** True if a template met an object in place of an array. */
  readonly isObject?: boolean
}

/** An occurrence of a component in the tree, with its bound values resolved. */
export interface Instance {
  id: string
  readonly componentId: string
  definition: Definition | null
  readonly parent: Instance | null
  readonly scope: Scope
  readonly depth: number
  /** Position among the siblings; comparable, not dense. */
  order: number
  /** Resolved values, in the order of the plan's bindings. Replaced, never modified. */
  values: readonly JsonValue[]
  /** Children, in the order of the plan's groups. Replaced, or appended to. */
  groups: readonly Instance[][]
  registrations: Registration<Instance>[]
  warnings: InstanceWarning[]
  alive: boolean
}

/** The visible state of an instance before a message. */
export interface Appearance {
  readonly definition: Definition | null
  readonly values: readonly JsonValue[]
  readonly groups: readonly (readonly Instance[])[]
  /** Set when a child was added in place. */
  grown: boolean
}

/** The current visible state of an instance. */
export function appearanceOf({ definition, values, groups }: Instance): Appearance {
  return { definition, values, groups, grown: false }
}

/** Returns whether an instance has changed visibly; changes inside its children do not count. */
export function appearanceChanged(before: Appearance, now: Instance): boolean {
  if (before.grown || !sameChildren(before.groups, now.groups)) return true
  const { definition: old, values } = before
  const { definition } = now
  if (old === definition) return values !== now.values && !equalJson(values, now.values)
  if (old === null || definition === null) return true
  if (old.type !== definition.type || old.weight !== definition.weight) return true
  const isResent = old.core === definition.core && equalJson(old.properties, definition.properties)
  return isResent
    ? !equalJson(values, now.values)
    : !equalJson(ownProperties(old, before), ownProperties(definition, now))
}

function sameChildren(
  before: readonly (readonly Instance[])[],
  now: readonly (readonly Instance[])[],
): boolean {
  if (before === now) return true
  const a = before.flat()
  const b = now.flat()
  return a.length === b.length && a.every((child, index) => child.id === b[index]?.id)
}

/** The properties with ids in place of children; a string equal to an id must not compare equal. */
function ownProperties(
  definition: Definition,
  { values, groups }: Pick<Appearance, 'values' | 'groups'>,
): unknown {
  return propertiesOf(definition, values, (group) => groups[group]?.map(({ id }) => ({ id })))
}

/**
 * A copy of the node as seen by clients, including its descendants.
 * @param made every created node is added, to distinguish nodes from data of the same shape
 */
export function toTreeNode(instance: Instance, made?: Set<unknown>): TreeNode {
  const { definition, groups, values } = instance
  if (definition === null) return noted(pendingNode(instance), made)
  const { id, componentId, scope } = instance
  const { type, weight } = definition
  const properties = propertiesOf(definition, values, (group) =>
    groups[group]?.map((child) => toTreeNode(child, made)),
  )
  const node = { id, componentId, type, scope: scope.pointer, properties }
  return noted(weight === undefined ? node : { ...node, weight }, made)
}

function pendingNode({ id, componentId, scope }: Instance): TreeNode {
  return { id, componentId, type: null, scope: scope.pointer, pending: true, properties: {} }
}

function noted(node: TreeNode, made: Set<unknown> | undefined): TreeNode {
  made?.add(node)
  return node
}

/** A copy of the properties with values in place of bindings and nodes in place of references. */
function propertiesOf(
  definition: Definition,
  values: readonly JsonValue[],
  childrenOf: (group: number) => unknown[] | undefined,
): { [name: string]: unknown } {
  const { bindings, groups } = planOf(definition)
  const copy = cloneJson(definition.properties)
  bindings.forEach(({ place }, index) => setAt(copy, place, cloneJson(values[index] ?? null)))
  groups.forEach(({ place, kind }, index) => {
    const children = childrenOf(index) ?? []
    setAt(copy, place, kind === 'one' ? children[0] : children)
  })
  return copy
}

function setAt(target: object, place: Place, value: unknown): void {
  let container = target
  for (const key of place.slice(0, -1)) {
    const next = ownValue(container, String(key))
    if (typeof next !== 'object' || next === null) return
    container = next
  }
  setOwn(container, String(place.at(-1)), value)
}

/** Sorts instances in tree order, parents before children. */
export function inTreeOrder(instances: readonly Instance[]): Instance[] {
  return instances.length < 2 ? [...instances] : sortByTrail(instances, trailOf)
}

function trailOf(instance: Instance): number[] {
  const trail: number[] = []
  for (let node: Instance | null = instance; node !== null; node = node.parent)
    trail.push(node.order)
  return trail.toReversed()
}

/** Numbers the instances of components that occur more than once. */
export function assignIds(root: Instance, byId: Map<string, Instance>): void {
  const counts = new Map<string, number>()
  byId.clear()
  for (const instance of preorder(root)) {
    const count = (counts.get(instance.id) ?? 0) + 1
    counts.set(instance.id, count)
    if (count > 1) instance.id = `${instance.id}#${count}`
    byId.set(instance.id, instance)
  }
}

/** All instances, parents before children. */
export function preorder(root: Instance): Instance[] {
  const found: Instance[] = []
  const stack = [root]
  for (let instance = stack.pop(); instance !== undefined; instance = stack.pop()) {
    found.push(instance)
    for (let g = instance.groups.length - 1; g >= 0; g -= 1) {
      const children = instance.groups[g] ?? []
      for (let c = children.length - 1; c >= 0; c -= 1) {
        const child = children[c]
        if (child !== undefined) stack.push(child)
      }
    }
  }
  return found
}
