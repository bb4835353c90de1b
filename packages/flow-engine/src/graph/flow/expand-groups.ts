import { isObject, own, ownObject, ownText, type PlainObject } from '@x/wire'
import {
  findGraph,
  isProblem,
  readEdge,
  readNode,
  type EdgeEntry,
  type NodeEntry,
  type RawGraph,
} from './flow-json.ts'
import {
  parseHandle,
  readHandle,
  type Handle,
  type SourceHandle,
  type TargetHandle,
} from './handles.ts'
import { problem, type FlowProblem } from './problems.ts'

/** A group and its enclosing group. */
export interface GroupLink {
  readonly id: string
  readonly outer: GroupLink | undefined
  /** Id of the outermost group. */
  readonly top: string
}

/** A node outside any group, or an inner node with its innermost group. */
export interface FlatNode extends NodeEntry {
  readonly group: GroupLink | undefined
  readonly frozen: boolean
  /** Values copied down from the enclosing groups, by field. */
  readonly overrides: ReadonlyMap<string, unknown>
  /** The present names of fields that the file has under former ones. */
  readonly renamed?: ReadonlyMap<string, string>
}

/** An edge between two nodes, neither of which is a group. */
export interface FlatEdge {
  readonly id: string | undefined
  readonly source: string
  readonly target: string
  readonly sourceHandle: SourceHandle
  readonly targetHandle: Handle
  /** False if a handle predates version 1.0; its types are not compared. */
  readonly typed: boolean
}

export interface FlatGraph {
  readonly nodes: readonly FlatNode[]
  readonly edges: readonly FlatEdge[]
  readonly problems: readonly FlowProblem[]
}

/** Maps a group's edges to its inner nodes. */
interface Group {
  readonly node: FlatNode
  readonly inner: RawGraph
}

interface Pending {
  readonly value: unknown
  readonly group: GroupLink | undefined
  readonly frozen: boolean | undefined
  readonly overrides: ReadonlyMap<string, unknown>
}

const NO_OVERRIDES: ReadonlyMap<string, unknown> = new Map()

/** Returns all nodes and edges with groups replaced by their content. Iterative, so depth is unlimited. */
export function expandGroups(graph: RawGraph): FlatGraph {
  const problems: FlowProblem[] = []
  const nodes: FlatNode[] = []
  const groups = new Map<string, Group>()
  const edges: unknown[] = [...graph.edges]
  const stack: Pending[] = graph.nodes.map(outermost).toReversed()
  for (let index = 0; stack.length > 0; index += 1) {
    const pending = stack.pop()
    if (pending === undefined) break
    const node = readFlatNode(pending, index)
    if (node === undefined) continue
    if (isProblem(node)) {
      problems.push(node)
      continue
    }
    const flow = own(node.details, 'flow')
    if (flow === undefined || flow === null) {
      nodes.push(node)
      continue
    }
    const inner = findGraph(flow)
    if (inner === undefined) {
      const text = `Group ${node.id} has no inner flow`
      problems.push(problem('malformed_group', text, { nodeId: node.id }))
      continue
    }
    groups.set(node.id, { node, inner })
    for (const entry of innerNodes(node, inner).toReversed()) stack.push(entry)
    for (const edge of inner.edges) edges.push(edge)
  }
  return { nodes, edges: readEdges(edges, groups, problems), problems }
}

function outermost(value: unknown): Pending {
  return { value, group: undefined, frozen: undefined, overrides: NO_OVERRIDES }
}

function readFlatNode(pending: Pending, index: number): FlatNode | FlowProblem | undefined {
  const node = readNode(pending.value, index)
  if (node === undefined || isProblem(node)) return node
  const frozen = pending.frozen ?? own(node.details, 'frozen') === true
  const { id, type, raw, details, template } = node
  const { group, overrides } = pending
  return { id, type, raw, details, template, group, frozen, overrides }
}

/** The inner nodes, with the values the group's own fields copy down. */
function innerNodes(group: FlatNode, inner: RawGraph): Pending[] {
  const values = new Map<string, Map<string, unknown>>()
  for (const name of Object.keys(group.template)) {
    const proxy = proxyOf(ownObject(group.template, name), 'field')
    const given = group.overrides.get(name) ?? own(ownObject(group.template, name) ?? {}, 'value')
    if (proxy === undefined || given === null || given === undefined) continue
    const fields = values.get(proxy.id) ?? new Map<string, unknown>()
    fields.set(proxy.name, given)
    values.set(proxy.id, fields)
  }
  const link = { id: group.id, outer: group.group, top: group.group?.top ?? group.id }
  return inner.nodes.map((value) => {
    const id = isObject(value) ? ownText(value, 'id') : undefined
    const overrides = values.get(id ?? '') ?? NO_OVERRIDES
    return { value, group: link, frozen: group.frozen, overrides }
  })
}

function proxyOf(
  holder: PlainObject | undefined,
  key: 'field' | 'name',
): { id: string; name: string } | undefined {
  const proxy = holder === undefined ? undefined : ownObject(holder, 'proxy')
  if (proxy === undefined) return undefined
  const id = ownText(proxy, 'id')
  const name = ownText(proxy, key)
  return id === undefined || name === undefined ? undefined : { id, name }
}

function readEdges(
  values: readonly unknown[],
  groups: ReadonlyMap<string, Group>,
  problems: FlowProblem[],
): FlatEdge[] {
  const edges: FlatEdge[] = []
  for (const [index, value] of values.entries()) {
    const entry = readEdge(value, index)
    const edge = isProblem(entry) ? entry : readHandles(entry)
    if (isProblem(edge)) problems.push(edge)
    else edges.push(followProxies(edge, groups))
  }
  return edges
}

/** `data` takes precedence over the strings. */
function readHandles(entry: EdgeEntry): FlatEdge | FlowProblem {
  const data = ownObject(entry.raw, 'data') ?? {}
  const sourceHandle = handleAt(data, entry.raw, 'sourceHandle')
  const targetHandle = handleAt(data, entry.raw, 'targetHandle')
  if (sourceHandle === undefined || 'fieldName' in sourceHandle || targetHandle === undefined) {
    const side = sourceHandle === undefined || 'fieldName' in sourceHandle ? 'source' : 'target'
    const text = `Edge between ${entry.source} and ${entry.target}: malformed ${side} handle`
    return problem('malformed_handle', text, { edgeId: entry.id })
  }
  const typed = sourceHandle.name !== undefined && !isOldForm(data, entry.raw)
  return {
    id: entry.id,
    source: entry.source,
    target: entry.target,
    sourceHandle,
    targetHandle,
    typed,
  }
}

function isOldForm(data: PlainObject, edge: PlainObject): boolean {
  if (readHandle(own(data, 'targetHandle')) !== undefined) return false
  return !(ownText(edge, 'targetHandle') ?? '{').trimStart().startsWith('{')
}

function handleAt(data: PlainObject, edge: PlainObject, key: string): Handle | undefined {
  const read = readHandle(own(data, key))
  if (read !== undefined) return read
  const text = ownText(edge, key)
  if (text === undefined) return undefined
  try {
    return parseHandle(text)
  } catch {
    return undefined
  }
}

/** Moves both ends of an edge from groups to their inner nodes; follows each group at most once. */
function followProxies(edge: FlatEdge, groups: ReadonlyMap<string, Group>): FlatEdge {
  if (groups.size === 0) return edge
  let { source, target, sourceHandle, targetHandle } = edge
  const seen = new Set<string>()
  for (let group = groups.get(source); group !== undefined; group = groups.get(source)) {
    if (seen.has(source)) break
    seen.add(source)
    const out = outputProxy(group, sourceHandle)
    if (out === undefined) break
    source = out.id
    sourceHandle = { ...sourceHandle, ...out.handle }
  }
  seen.clear()
  for (let group = groups.get(target); group !== undefined; group = groups.get(target)) {
    if (seen.has(target) || !('fieldName' in targetHandle)) break
    seen.add(target)
    const inner = inputProxy(group, targetHandle)
    if (inner === undefined) break
    target = inner.id
    const { proxy: _, ...rest } = targetHandle
    targetHandle = { ...rest, id: inner.id, fieldName: inner.name }
  }
  return { id: edge.id, source, target, sourceHandle, targetHandle, typed: edge.typed }
}

function inputProxy(group: Group, handle: TargetHandle): { id: string; name: string } | undefined {
  if (handle.proxy !== undefined) return { id: handle.proxy.id, name: handle.proxy.field }
  return proxyOf(ownObject(group.node.template, handle.fieldName), 'field')
}

/** The inner output; without a proxy, the output of the first inner node that feeds no other. */
function outputProxy(
  group: Group,
  handle: SourceHandle,
): { id: string; handle: { id: string; name?: string } } | undefined {
  const outputs = own(group.node.details, 'outputs')
  const declared = Array.isArray(outputs)
    ? outputs.filter(isObject).find((item) => ownText(item, 'name') === handle.name)
    : undefined
  const proxy = proxyOf(declared, 'name')
  if (proxy !== undefined) return { id: proxy.id, handle: { id: proxy.id, name: proxy.name } }
  const last = lastInner(group.inner)
  return last === undefined ? undefined : { id: last, handle: { id: last } }
}

function lastInner(inner: RawGraph): string | undefined {
  const sources = new Set<string>()
  for (const [index, value] of inner.edges.entries()) {
    const edge = readEdge(value, index)
    if (!isProblem(edge)) sources.add(edge.source)
  }
  for (const [index, value] of inner.nodes.entries()) {
    const node = readNode(value, index)
    if (node !== undefined && !isProblem(node) && !sources.has(node.id)) return node.id
  }
  return undefined
}
