import { isObject, setOwn, own, ownObject, ownText, type PlainObject } from '@x/wire'
import { canonicalFlow } from './format-flow.ts'
import { edgesOf, type NamedEdge } from './flow-edges.ts'
import { mergeNode, sameNode } from './merge-node.ts'
import { isSame, mergeValue } from './merge-values.ts'

/** What people decide: both sides changed one thing differently. */
export interface FlowConflict {
  readonly kind: 'field' | 'node' | 'node_added' | 'edge' | 'flow'
  /** The node; the target of an edge; null for the flow itself. */
  readonly node: string | null
  /** Absent for whole nodes. */
  readonly field?: string
  /** Values, of which secrets are `*****`; `removed`, `changed`, `added` for whole nodes. */
  readonly base: unknown
  readonly ours: unknown
  readonly theirs: unknown
}

export interface FlowMerge {
  /** A valid flow in canonical form, without markers: where there is a conflict, it has ours. */
  readonly flow: unknown
  readonly conflicts: readonly FlowConflict[]
}

/** Merges two changes of a flow by nodes, edges and fields. */
export function mergeFlows(base: unknown, ours: unknown, theirs: unknown): FlowMerge {
  const [old, one, other] = [base, ours, theirs].map(readFlow) as [Read, Read, Read]
  if (isSame(one.flow, other.flow) || isSame(other.flow, old.flow))
    return { flow: one.flow, conflicts: [] }
  const conflicts: FlowConflict[] = []
  const facts = mergeFacts(old.flow, one.flow, other.flow, conflicts)
  const nodes = mergeNodes(old, one, other, conflicts)
  const ids = new Set(nodes.map((node) => ownText(node, 'id') ?? ''))
  const edges = mergeEdges({ old, one, other, ids, nodes }, conflicts)
  const graph = { ...one.graph, nodes, edges: edges.map(({ raw }) => raw) }
  const flow = one.inData ? { ...facts, data: graph } : { ...facts, nodes, edges: graph.edges }
  return { flow: canonicalFlow(flow), conflicts }
}

interface Read {
  readonly flow: PlainObject
  readonly graph: PlainObject
  readonly inData: boolean
  /** By id, notes too; nodes without an id have a made one. */
  readonly nodes: ReadonlyMap<string, PlainObject>
  readonly edges: ReadonlyMap<string, NamedEdge>
}

function readFlow(given: unknown): Read {
  const flow = (isObject(given) ? canonicalFlow(given) : {}) as PlainObject
  const inData = isObject(own(flow, 'data'))
  const graph = inData ? (ownObject(flow, 'data') ?? {}) : flow
  const listed = own(graph, 'nodes')
  const nodes = (Array.isArray(listed) ? listed : []).filter(isObject)
  return {
    flow,
    graph,
    inData,
    nodes: new Map(nodes.map((node, at) => [ownText(node, 'id') ?? `\0${at}`, node])),
    edges: new Map(edgesOf(flow).map((edge) => [edge.text, edge])),
  }
}

const DECIDED: ReadonlySet<string> = new Set(['name', 'description', 'endpoint_name'])
const VERSIONS: ReadonlySet<string> = new Set(['last_tested_version', 'lf_version'])
const GRAPH: ReadonlySet<string> = new Set(['data', 'nodes', 'edges'])

function mergeFacts(
  base: PlainObject,
  ours: PlainObject,
  theirs: PlainObject,
  conflicts: FlowConflict[],
): PlainObject {
  const facts: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    if (GRAPH.has(key)) continue
    const sides = [own(base, key), own(ours, key), own(theirs, key)] as const
    const merged = mergeValue(...sides)
    if (VERSIONS.has(key)) setOwn(facts, key, newer(sides[1], sides[2]))
    else {
      if (merged === undefined && DECIDED.has(key))
        conflicts.push({ kind: 'flow', node: null, field: key, ...sidesJson(sides) })
      const value = merged === undefined ? sides[1] : merged.value
      if (value !== undefined) setOwn(facts, key, value)
    }
  }
  return facts
}

type Sides = readonly [base: unknown, ours: unknown, theirs: unknown]

function sidesJson([base, ours, theirs]: Sides): Pick<FlowConflict, 'base' | 'ours' | 'theirs'> {
  return { base: base ?? null, ours: ours ?? null, theirs: theirs ?? null }
}

function newer(a: unknown, b: unknown): unknown {
  if (typeof a !== 'string' || typeof b !== 'string') return a ?? b
  return a.localeCompare(b, 'en', { numeric: true }) < 0 ? b : a
}

function mergeNodes(old: Read, one: Read, other: Read, conflicts: FlowConflict[]): PlainObject[] {
  const merged: PlainObject[] = []
  const ids = new Set([...one.nodes.keys(), ...other.nodes.keys()])
  for (const id of ids) {
    const [base, ours, theirs] = [old.nodes.get(id), one.nodes.get(id), other.nodes.get(id)]
    if (ours !== undefined && theirs !== undefined) {
      if (base === undefined && !sameNode(ours, theirs)) {
        conflicts.push(nodeConflict('node_added', id, 'added', 'added'))
        merged.push(ours)
      } else if (base === undefined) merged.push(ours)
      else {
        const node = mergeNode(base, ours, theirs)
        merged.push(node.node)
        for (const { field, sides } of node.conflicts)
          conflicts.push({ kind: 'field', node: id, field, ...sidesJson(sides) })
      }
      continue
    }
    const kept = ours ?? theirs
    if (kept === undefined) continue
    if (base === undefined) merged.push(kept)
    else if (!sameNode(base, kept)) {
      const isOurs = ours !== undefined
      conflicts.push(
        nodeConflict('node', id, isOurs ? 'changed' : 'removed', isOurs ? 'removed' : 'changed'),
      )
      merged.push(kept)
    }
  }
  return merged
}

function nodeConflict(
  kind: 'node' | 'node_added',
  node: string,
  ours: string,
  theirs: string,
): FlowConflict {
  return { kind, node, base: null, ours, theirs }
}

interface EdgeMerge {
  readonly old: Read
  readonly one: Read
  readonly other: Read
  readonly ids: ReadonlySet<string>
  readonly nodes: readonly PlainObject[]
}

function mergeEdges(
  { old, one, other, ids, nodes }: EdgeMerge,
  conflicts: FlowConflict[],
): NamedEdge[] {
  const byId = new Map(nodes.map((node) => [ownText(node, 'id') ?? '', node]))
  const kept: NamedEdge[] = []
  const fed = new Map<string, NamedEdge>()
  const restored = new Set([...ids].filter((id) => one.nodes.has(id) !== other.nodes.has(id)))
  for (const text of new Set([...one.edges.keys(), ...other.edges.keys()])) {
    const [ours, theirs] = [one.edges.get(text), other.edges.get(text)]
    const edge = ours ?? theirs
    if (edge === undefined) continue
    const isAdded = !old.edges.has(text)
    // The edges of a node that one side removed come back with it.
    const isBack = restored.has(edge.source) || restored.has(edge.target)
    if (!isAdded && (ours === undefined || theirs === undefined) && !isBack) continue
    if (!ids.has(edge.source) || !ids.has(edge.target)) {
      if (isAdded)
        conflicts.push(edgeConflict(edge, null, ours?.text ?? null, theirs?.text ?? null))
      continue
    }
    const place = edge.field === undefined ? undefined : `${edge.target} ${edge.field}`
    const before = place === undefined ? undefined : fed.get(place)
    if (place !== undefined && before !== undefined && takesOne(byId.get(edge.target), edge)) {
      const base = [...old.edges.values()].find(
        (one_) => one_.target === edge.target && one_.field === edge.field,
      )
      conflicts.push(edgeConflict(edge, base?.text ?? null, before.text, edge.text))
      continue
    }
    if (place !== undefined) fed.set(place, edge)
    kept.push(edge)
  }
  return kept
}

function edgeConflict(
  edge: NamedEdge,
  base: string | null,
  ours: string | null,
  theirs: string | null,
): FlowConflict {
  return { kind: 'edge', node: edge.target, field: edge.field ?? '', base, ours, theirs }
}

function takesOne(node: PlainObject | undefined, { field = '' }: NamedEdge): boolean {
  const details = ownObject(ownObject(node ?? {}, 'data') ?? {}, 'node') ?? {}
  const entry = ownObject(ownObject(details, 'template') ?? {}, field)
  return entry !== undefined && own(entry, 'list') !== true && own(entry, 'is_list') !== true
}
