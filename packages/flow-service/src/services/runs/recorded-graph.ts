import type { FlowJson } from '@x/flow-engine'

/** Display names, and the target of each node's first outgoing edge. */
export interface RecordedGraph {
  readonly names: ReadonlyMap<string, string>
  readonly targets: ReadonlyMap<string, string>
}

/** Cached, because a compiled flow runs many times. */
const graphs = new WeakMap<FlowJson, RecordedGraph>()

export function recordedGraph(flow: FlowJson): RecordedGraph {
  const known = graphs.get(flow)
  if (known !== undefined) return known
  const graph = readGraph(flow)
  graphs.set(flow, graph)
  return graph
}

/** Accepts a whole flow, or its `data`. */
export function readGraph(flow: object): RecordedGraph {
  const { data } = flow as { data?: unknown }
  const { nodes, edges } = (data ?? flow) as { nodes?: unknown; edges?: unknown }
  const names = new Map<string, string>()
  for (const node of listOf(nodes)) {
    const name = textOf(objectOf(objectOf(node['data'])['node'])['display_name'])
    const id = textOf(node['id'])
    if (id !== undefined && name !== undefined) names.set(id, name)
  }
  const targets = new Map<string, string>()
  for (const edge of listOf(edges)) {
    const [source, target] = [textOf(edge['source']), textOf(edge['target'])]
    if (source !== undefined && target !== undefined && !targets.has(source))
      targets.set(source, target)
  }
  return { names, targets }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
