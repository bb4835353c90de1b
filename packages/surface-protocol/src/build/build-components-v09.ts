import { SurfaceError } from '../diagnostics/errors.ts'
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'
import type { UiNode } from './nodes.ts'
import { placeNode, placeNodes, type NodeContext, type Placing } from './place-nodes.ts'
import { nodeParts } from './ui.ts'
import type { LaterParts } from './later-parts.ts'

/**
 * Assigns ids and converts nodes to the wire form of versions from 0.9 on; the first component is `root`.
 * @throws SurfaceError for invalid properties, `duplicate_id`, `invalid_value` for a root with another id,
 * `limit_exceeded` beyond `treeDepth`
 */
export function buildComponentsV09(root: UiNode, parts: LaterParts): Placing<ComponentV09> {
  const built = placeNodes<ComponentV09>(root, {
    open: (id, { type }) => ({ id, component: type }),
    writer:
      ({ build, depth, id }) =>
      (name, value) =>
        toWire(name, value, {
          build,
          depth,
          parts,
          trail: name === 'children' ? id : `${id}_${name}`,
        }),
    close(component, properties, { weight }) {
      if (weight !== undefined) properties.weight = weight
      for (const name of Object.keys(properties)) setOwn(component, name, properties[name])
    },
    place: () => [],
  })
  if (built.root !== 'root') {
    throw new SurfaceError({
      code: 'invalid_value',
      detail: 'The first node must have the id "root".',
    })
  }
  return built
}

interface Context extends Omit<NodeContext<ComponentV09>, 'id'> {
  readonly parts: LaterParts
  /** Prefix of its children's ids. */
  readonly trail: string
}

function toWire(name: string, value: unknown, context: Context): JsonValue {
  if (name === 'action' && typeof value === 'string') return { event: { name: value } }
  return anyToWire(value, context)
}

function anyToWire(value: unknown, context: Context): JsonValue {
  if (Array.isArray(value)) {
    return value.map((item, index) =>
      anyToWire(item, { ...context, trail: `${context.trail}_${index}` }),
    )
  }
  if (nodeParts(value) !== null) {
    const { trail, depth, build } = context
    return placeNode(value as UiNode, { proposed: trail, depth: depth + 1 }, build)
  }
  if (typeof value !== 'object' || value === null) return value as JsonValue
  if (!isPlainObject(value))
    throw new TypeError('A property must be JSON, a node, a binding or a call')
  switch (value.kind) {
    case 'binding':
      return context.parts.binding(value.path as string)
    case 'reference':
      return value.componentId as string
    case 'each': {
      const trail = `${context.trail}_template`
      return {
        componentId: anyToWire(value.node, { ...context, trail }),
        path: value.dataBinding as string,
      }
    }
    case 'call':
      return context.parts.call(value.name as string, objectToWire(value.args as object, context))
    case 'event': {
      const sent = objectToWire(value.context as object, context)
      const named = { name: value.name as string }
      return { event: Object.keys(sent).length === 0 ? named : { ...named, context: sent } }
    }
    case 'run':
      return { functionCall: anyToWire(value.call, context) }
    default:
      return objectToWire(value, context)
  }
}

function objectToWire(value: object, context: Context): JsonObject {
  const copy: JsonObject = {}
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  const nodes = entries.filter(([, member]) => nodeParts(member) !== null)
  for (const [name, member] of entries) {
    // An item with one child needs no further name.
    const trail = nodes.length === 1 ? context.trail : `${context.trail}_${name}`
    setOwn(copy, name, anyToWire(member, { ...context, trail }))
  }
  return copy
}
