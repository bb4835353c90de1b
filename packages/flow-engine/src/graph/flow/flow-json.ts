import { isObject, own, ownObject, ownText, type PlainObject } from '@x/wire'
import { problem, type FlowProblem } from './problems.ts'

export type {
  FlowEdge,
  FlowJson,
  FlowNode,
  NodeDetails,
  NodeOutput,
  NodeTemplate,
} from './node-json.ts'

/** The node and edge lists of a flow, unvalidated. */
export interface RawGraph {
  readonly nodes: readonly unknown[]
  readonly edges: readonly unknown[]
}

/** A node with validated structure; `details` is `data.node`. */
export interface NodeEntry {
  readonly id: string
  readonly type: string
  readonly raw: PlainObject
  readonly details: PlainObject
  readonly template: PlainObject
}

/**
 * Finds the node and edge lists of a flow: at the top level or in `data`. Undefined if there are none.
 */
export function findGraph(flow: unknown): RawGraph | undefined {
  if (!isObject(flow)) return undefined
  const holder = hasLists(flow) ? flow : ownObject(flow, 'data')
  if (holder === undefined || !hasLists(holder)) return undefined
  return { nodes: list(own(holder, 'nodes')), edges: list(own(holder, 'edges')) }
}

/** Explains why `findGraph` found nothing. */
export function noGraph(flow: unknown): FlowProblem {
  if (!isObject(flow)) return problem('no_graph', 'A flow must be an object')
  const inner = own(flow, 'data')
  const keys = Object.keys(isObject(inner) ? inner : flow).slice(0, 20)
  const found = keys.length === 0 ? 'none' : keys.join(', ').slice(0, 500)
  return problem('no_graph', `The flow has neither nodes nor edges; keys found: ${found}`)
}

/** Returns a node, `undefined` for a note, or the problem. */
export function readNode(value: unknown, index: number): NodeEntry | FlowProblem | undefined {
  if (!isObject(value)) return problem('malformed_node', `Node ${index} is not an object`)
  const data = ownObject(value, 'data')
  if (ownText(value, 'type') === 'noteNode' || ownText(data ?? {}, 'type') === 'note') {
    return undefined
  }
  const id = ownText(value, 'id')
  if (id === undefined) return problem('malformed_node', `Node ${index} has no id`)
  const bad = (what: string) => problem('malformed_node', `Node ${id}: ${what}`, { nodeId: id })
  const kind = ownText(value, 'type') ?? 'genericNode'
  const isOfEditor = kind !== 'genericNode' && kind !== 'groupNode'
  if (data === undefined) return isOfEditor ? undefined : bad('data is missing')
  const type = ownText(data, 'type')
  if (type === undefined) return isOfEditor ? undefined : bad('data.type is missing')
  const details = ownObject(data, 'node')
  // Frames, pictures and what else an editor draws take no part in a run.
  if (details === undefined) return undefined
  const template = own(details, 'template') ?? {}
  if (!isObject(template)) return bad('data.node.template is no object')
  return { id, type, raw: value, details, template }
}

/** The ends and handles of an edge, unvalidated. */
export interface EdgeEntry {
  readonly id: string | undefined
  readonly source: string
  readonly target: string
  readonly raw: PlainObject
}

export function readEdge(value: unknown, index: number): EdgeEntry | FlowProblem {
  if (!isObject(value)) return problem('malformed_edge', `Edge ${index} is not an object`)
  const id = ownText(value, 'id')
  const source = ownText(value, 'source')
  const target = ownText(value, 'target')
  if (source === undefined || target === undefined) {
    const missing = source === undefined ? 'source' : 'target'
    return problem('malformed_edge', `Edge ${id ?? index} has no ${missing}`, { edgeId: id })
  }
  return { id, source, target, raw: value }
}

export function isProblem(value: object): value is FlowProblem {
  return 'severity' in value
}

/** The part of a node id that names its class. */
export function classOf(id: string): string {
  const dash = id.indexOf('-')
  return dash < 0 ? id : id.slice(0, dash)
}

function hasLists(value: PlainObject): boolean {
  return Array.isArray(own(value, 'nodes')) || Array.isArray(own(value, 'edges'))
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
