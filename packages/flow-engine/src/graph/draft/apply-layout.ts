import { isObject, own, ownObject } from '@x/wire'
import { formatHandle, readHandle } from '../flow/handles.ts'
import type { FlowEdge, FlowJson, FlowNode } from '../flow/node-json.ts'
import {
  withTexts,
  type EdgeLayout,
  type FieldLayout,
  type FlowLayout,
  type LayoutPatch,
  type NodeLayout,
} from './flow-layout.ts'
import { placeNodes } from './place-nodes.ts'

type Json = Record<string, unknown>

/**
 * Gives a flow of code what the layout has of it. Entries without a node or an edge are ignored; nodes without an
 * entry go below the last row.
 * @param fixed indices of nodes that have a place of their own
 */
export function applyLayout(
  flow: FlowJson,
  given: FlowLayout,
  fixed: ReadonlySet<number>,
): FlowJson {
  const layout = withTexts(given, given.texts ?? []) as FlowLayout
  const { nodes = [], edges = [] } = flow.data ?? {}
  const placed = new Set(fixed)
  const seen = new Set<string>()
  const drawn = nodes.map((node, index) => {
    if (!isObject(node) || layout.nodes === undefined || seen.has(node.id)) return node
    seen.add(node.id)
    const entry = ownObject(layout.nodes, node.id) as NodeLayout | undefined
    if (entry === undefined) return node
    if (entry.position !== undefined || entry.node?.unset?.includes('position') === true)
      placed.add(index)
    return patchedNode(node, entry)
  })
  placeNodes(drawn, edges, placed)
  const kept = drawn as unknown[]
  for (const { at, node } of layout.notes ?? []) kept.splice(Math.min(at, kept.length), 0, node)
  const graph = patched({ nodes: kept, edges: patchedEdges(edges, layout.edges) }, layout.graph)
  const { data: _, ...facts } = flow
  const rest = patched(facts, layout.flow)
  return layout.bare === true ? { ...rest, ...graph } : { ...rest, data: graph }
}

function patchedNode(node: FlowNode, entry: NodeLayout): FlowNode {
  const data = patched(node.data, entry.data)
  const details = ownObject(data, 'node')
  if (details !== undefined) {
    const changed: Json = patched(details, entry.details)
    const template = ownObject(changed, 'template')
    if (template !== undefined) changed['template'] = patchedFields(template, entry)
    const outputs = own(changed, 'outputs')
    const { was, now } = entry.outputs ?? {}
    if (was !== undefined && JSON.stringify(namesOf(outputs)) === JSON.stringify(was)) {
      changed['outputs'] = now
      if (now === undefined) delete changed['outputs']
    }
    data['node'] = changed
  }
  const { position } = entry
  return {
    ...patched(node, entry.node),
    ...(position === undefined ? {} : { position }),
    data,
  } as FlowNode
}

/** The names of listed outputs. */
export function namesOf(outputs: unknown): readonly unknown[] {
  return Array.isArray(outputs)
    ? outputs.map((output) => (isObject(output) ? own(output, 'name') : null) ?? null)
    : []
}

function patchedFields(template: Json | Readonly<Json>, entry: NodeLayout): Json {
  const { fields = {}, absent = [], order = [] } = entry
  const gone = new Set(absent)
  const changed = new Map<string, unknown>()
  for (const [name, field] of Object.entries(template)) {
    const patch = own(fields, name) as FieldLayout | undefined
    if (!gone.has(name)) changed.set(name, patch === undefined ? field : layoutField(field, patch))
  }
  for (const [name, { add, set }] of Object.entries(fields))
    if (add === true && !changed.has(name)) changed.set(name, set ?? {})
  const listed = order.filter((name) => changed.has(name))
  const names = new Set([...listed, ...changed.keys()])
  const made = Object.create(null) as Json
  for (const name of names) made[name] = changed.get(name)
  return made
}

/** An entry that is no object is replaced; a field that the source added stays. */
function layoutField(field: unknown, patch: FieldLayout): unknown {
  if (patch.add !== true) return isObject(field) ? patchedField(field, patch) : field
  return isObject(field) && isObject(patch.set) ? field : patch.set
}

/** A value is set only in the place of the one that it was made for. */
function patchedField(field: Readonly<Json>, { set = {}, unset, was = {} }: FieldLayout): Json {
  const isKept = (key: string): boolean =>
    Object.hasOwn(was, key) && JSON.stringify(own(field, key)) !== JSON.stringify(was[key])
  const entries = Object.entries(set).filter(([key]) => !isKept(key))
  return patched(field, { set: Object.fromEntries(entries), ...(unset && { unset }) })
}

function patchedEdges(
  edges: readonly FlowEdge[],
  patches: Readonly<Record<string, EdgeLayout>> = {},
): FlowEdge[] {
  const count = new Map<string, number>()
  return edges.map((edge) => {
    if (!isObject(edge)) return edge
    const text = edgeKey(edge)
    const before = count.get(text) ?? 0
    count.set(text, before + 1)
    const name = before === 0 ? text : `${text} #${before + 1}`
    const patch = ownObject(patches, name) as EdgeLayout | undefined
    if (patch === undefined) return edge
    const whole: Json = { ...edge }
    // Texts of handles follow from the handles, unless the patch has them.
    const changed = patched(whole, patch)
    const data = ownObject(changed, 'data')
    for (const key of ['sourceHandle', 'targetHandle']) {
      const handle = readHandle(data && own(data, key))
      if (handle === undefined || hasOwnKey(patch, key)) continue
      changed[key] = formatHandle(handle)
    }
    if (patch.prefix !== undefined) changed['id'] = patch.prefix + edgeEnds(changed)
    return changed as FlowEdge
  })
}

function hasOwnKey({ set = {}, unset = [] }: LayoutPatch, key: string): boolean {
  return Object.hasOwn(set, key) || unset.includes(key)
}

/** The part of an edge's id that its ends give. */
export function edgeEnds(edge: Readonly<Record<string, unknown>>): string {
  const { source, target, sourceHandle, targetHandle } = edge
  return `${String(source)}${String(sourceHandle)}-${String(target)}${String(targetHandle)}`
}

/** The text by which the layout knows an edge. */
export function edgeKey({ source, target, data }: FlowEdge): string {
  const handles = isObject(data) ? data : {}
  const from = readHandle(handles['sourceHandle'])
  const to = readHandle(handles['targetHandle'])
  const output = from !== undefined && 'name' in from ? (from.name ?? '') : ''
  const field = to === undefined ? '' : 'fieldName' in to ? to.fieldName : (to.name ?? '')
  return `${source}.${output} -> ${target}.${field}`
}

/** Keeps `__proto__` an ordinary key. */
function patched(object: object, { set = {}, unset = [] }: LayoutPatch = {}): Json {
  const gone = new Set(unset)
  const entries = Object.entries(object).filter(([key]) => !gone.has(key))
  return Object.fromEntries(new Map([...entries, ...Object.entries(set)]))
}
