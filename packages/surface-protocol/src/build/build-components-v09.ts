import type { Catalog } from '../catalog/catalog.ts'
import { limitError, quote, SurfaceError } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { ComponentV09 } from '../message/v09/messages-v09.ts'
import { assertBuilt } from './assert-built.ts'
import type { UiNode } from './nodes.ts'
import { nodeParts } from './ui.ts'
import type { LaterParts } from './later-parts.ts'

/** The components of a node tree of version 0.9.1, with their catalogs. */
export interface BuiltComponentsV09 {
  /** Parents before children, depth first; the first one is `root`. */
  readonly components: ComponentV09[]
  readonly catalogs: ReadonlySet<Catalog>
}

/**
 * Assigns ids and converts nodes to the wire form.
 * @throws SurfaceError for invalid properties, `duplicate_id`, `invalid_value` for a root with another id,
 * `limit_exceeded` beyond `treeDepth`
 */
export function buildComponentsV09(root: UiNode, form: LaterParts): BuiltComponentsV09 {
  const build: Build = { form, components: [], ids: new Set(), catalogs: new Set() }
  const id = addNode(root, { proposed: 'root', depth: 1 }, build)
  if (id !== 'root') {
    throw new SurfaceError({
      code: 'invalid_value',
      detail: 'The first node must have the id "root".',
    })
  }
  return build
}

interface Build {
  readonly form: LaterParts
  readonly components: ComponentV09[]
  readonly ids: Set<string>
  readonly catalogs: Set<Catalog>
}

function addNode(
  node: UiNode,
  { proposed, depth }: { proposed: string; depth: number },
  build: Build,
): string {
  const parts = nodeParts(node)
  if (parts === null) throw new TypeError('Expected a component created by the builder')
  if (depth > defaultLimits.treeDepth) {
    const detail = `Components may be nested ${defaultLimits.treeDepth} levels deep.`
    throw limitError('treeDepth', detail)
  }
  const { catalog, type, weight } = parts
  const id = parts.id ?? proposed
  if (build.ids.has(id)) {
    const detail = `Two components have the id ${quote(id)}.`
    throw new SurfaceError({ code: 'duplicate_id', detail, componentId: id })
  }
  build.ids.add(id)
  build.catalogs.add(catalog)
  // Its place is reserved before its children are built, since parents come first.
  const component: ComponentV09 = { id, component: type }
  build.components.push(component)
  const properties: JsonObject = {}
  for (const [name, value] of Object.entries(parts.properties)) {
    if (value === undefined) continue
    const trail = name === 'children' ? id : `${id}_${name}`
    setOwn(properties, name, toWire(name, value, { trail, depth, build }))
  }
  if (weight !== undefined) properties.weight = weight
  assertBuilt(catalog, { id, type, properties })
  for (const name of Object.keys(properties)) setOwn(component, name, properties[name])
  return id
}

interface Context {
  /** Prefix of its children's ids. */
  readonly trail: string
  readonly depth: number
  readonly build: Build
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
    return addNode(value as UiNode, { proposed: trail, depth: depth + 1 }, build)
  }
  if (typeof value !== 'object' || value === null) return value as JsonValue
  if (!isPlainObject(value))
    throw new TypeError('A property must be JSON, a node, a binding or a call')
  switch (value.kind) {
    case 'binding':
      return context.build.form.binding(value.path as string)
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
      return context.build.form.call(
        value.name as string,
        objectToWire(value.args as object, context),
      )
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
