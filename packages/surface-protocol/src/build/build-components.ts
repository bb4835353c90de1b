import { catalogCore } from '../catalog/catalog.ts'
import type { BoundKind, Shape, Slot } from '../catalog/slot.ts'
import { cloneJson, isPlainObject, setOwn } from '../json.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'
import type { Binding, ComponentReference, EachBinding, UiNode } from './nodes.ts'
import { placeNode, placeNodes, type ComponentForm, type NodeContext } from './place-nodes.ts'
import { nodeParts } from './ui.ts'

/** The components of a node tree. */
export interface BuiltComponents {
  /** Id of the first component. */
  root: string
  /** Parents before children, depth first. */
  components: ComponentInstance[]
}

/**
 * Assigns ids and converts nodes to the wire form.
 * @throws SurfaceError for invalid properties, `duplicate_id`, or `limit_exceeded` beyond `treeDepth`
 */
export function buildComponents(root: UiNode): BuiltComponents {
  const { root: id, components } = placeNodes(root, formV08)
  return { root: id, components }
}

/** Components of version 0.8. */
export const formV08: ComponentForm<ComponentInstance> = {
  open: (id, { weight }) =>
    weight === undefined ? { id, component: {} } : { id, component: {}, weight },
  writer({ build, depth, id }, { catalog, type }) {
    const fields = catalogCore(catalog).shape(type)?.fields
    return (name, value) =>
      toWire(value, fields?.get(name)?.slot, { build, depth, id, property: name, trail: name })
  },
  close: ({ component }, properties, { type }) => setOwn(component, type, properties),
  place: (type) => ['component', type],
}

interface Context extends NodeContext<ComponentInstance> {
  /** Name of the component's property that is written. */
  readonly property: string
  /** Position of the value in the component, for ids of children. */
  readonly trail: string
}

function toWire(value: unknown, slot: Slot | undefined, context: Context): unknown {
  switch (slot?.kind) {
    case 'bound':
      return boundToWire(value, slot.value)
    case 'reference':
      return childToWire(value, context.trail, context)
    case 'children':
      return childrenToWire(value, context)
    case 'action':
      return actionToWire(value)
    case 'list':
      return Array.isArray(value) ? listToWire(value, slot.item, context) : cloneJson(value)
    case 'object':
      return isPlainObject(value) ? objectToWire(value, slot.shape, context) : cloneJson(value)
    default:
      return looseToWire(value, context)
  }
}

/** Converts a value the catalog does not describe. */
function looseToWire(value: unknown, context: Context): unknown {
  if (isChild(value)) return childToWire(value, context.trail, context)
  if (isBinding(value)) return boundToWire(value, 'any')
  if (isEach(value)) return childrenToWire(value, context)
  if (Array.isArray(value)) {
    if (value.some(isChild) && context.property === 'children')
      return childrenToWire(value, context)
    return value.map((item, index) =>
      looseToWire(item, { ...context, trail: `${context.trail}.${index}` }),
    )
  }
  if (!isPlainObject(value)) return value
  const copy = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    setOwn(copy, name, looseToWire(member, { ...context, trail: `${context.trail}.${name}` }))
  }
  return copy
}

function objectToWire(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
  context: Context,
): unknown {
  const copy = {}
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const slot = shape.fields.get(name)?.slot
    const trail = isOnlyReference(shape, slot) ? context.trail : `${context.trail}.${name}`
    setOwn(copy, name, toWire(member, slot, { ...context, trail }))
  }
  return copy
}

/** `tabItems.0` suffices if an item has one reference. */
function isOnlyReference({ fields }: Shape, slot: Slot | undefined): boolean {
  if (slot?.kind !== 'reference') return false
  return [...fields.values()].filter((field) => field.slot.kind === 'reference').length === 1
}

function listToWire(value: readonly unknown[], item: Slot, context: Context): unknown {
  const prefix =
    item.kind === 'reference' && context.trail === 'children' ? '' : `${context.trail}.`
  return value.map((member, index) =>
    toWire(member, item, { ...context, trail: `${prefix}${index}` }),
  )
}

function childToWire(value: unknown, trail: string, { build, depth, id }: Context): unknown {
  if (isReference(value)) return value.componentId
  if (nodeParts(value) === null) return value
  return placeNode(value as UiNode, { proposed: `${id}.${trail}`, depth: depth + 1 }, build)
}

function childrenToWire(value: unknown, context: Context): unknown {
  const prefix = context.trail === 'children' ? '' : `${context.trail}.`
  if (Array.isArray(value)) {
    const ids = value.map((child, index) => childToWire(child, `${prefix}${index}`, context))
    return { explicitList: ids }
  }
  if (!isEach(value)) return cloneJson(value)
  const componentId = childToWire(value.node, `${prefix}template`, context)
  return { template: { componentId, dataBinding: value.dataBinding } }
}

function boundToWire(value: unknown, kind: BoundKind): unknown {
  if (isBinding(value)) {
    const { path, initial } = value
    return initial === undefined ? { path } : { path, ...literal(initial) }
  }
  if (Array.isArray(value)) return kind === 'stringArray' ? { literalArray: [...value] } : value
  return isPlainObject(value) ? cloneJson(value) : literal(value)
}

function literal(value: unknown): object {
  switch (typeof value) {
    case 'string':
      return { literalString: value }
    case 'number':
      return { literalNumber: value }
    case 'boolean':
      return { literalBoolean: value }
    default:
      return { literalArray: Array.isArray(value) ? [...(value as unknown[])] : value }
  }
}

function actionToWire(value: unknown): unknown {
  if (typeof value === 'string') return { name: value }
  if (!isPlainObject(value) || !isPlainObject(value.context)) return cloneJson(value)
  const context = Object.entries(value.context)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => ({ key, value: boundToWire(member, 'any') }))
  return { ...cloneJson({ ...value, context: undefined }), context }
}

function isKind(value: unknown, kind: string): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind
}

function isBinding(value: unknown): value is Binding {
  return isKind(value, 'binding')
}

function isReference(value: unknown): value is ComponentReference {
  return isKind(value, 'reference')
}

function isEach(value: unknown): value is EachBinding {
  return isKind(value, 'each')
}

function isChild(value: unknown): boolean {
  return isReference(value) || nodeParts(value) !== null
}
