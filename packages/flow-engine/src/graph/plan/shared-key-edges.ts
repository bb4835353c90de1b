import type { CheckedEdge } from './check-edges.ts'
import { templateValue, type ResolvedNode } from './vertex-plan.ts'

/** Limit on edges that the user did not draw. */
const MAX_EDGES = 1_000

/**
 * Adds an edge from each vertex that writes a shared key to those that read it: it orders their
 * builds and carries the value. No edge is added if the reader precedes the writer.
 */
export function sharedKeyEdges(
  nodes: readonly ResolvedNode[],
  edges: readonly CheckedEdge[],
): CheckedEdge[] {
  const readers = nodes.filter(({ component }) => component.sharedKey?.reads !== undefined)
  const writers = nodes.filter(({ component }) => component.sharedKey?.writes !== undefined)
  if (readers.length === 0 || writers.length === 0) return []
  const made: CheckedEdge[] = []
  for (const reader of readers) {
    const key = keyOf(reader)
    if (key === '') continue
    for (const writer of writers) {
      if (keyOf(writer) !== key || made.length >= MAX_EDGES) continue
      if (leadsTo(reader, writer, [...edges, ...made])) continue
      made.push(edgeBetween(writer, reader))
    }
  }
  return made
}

function keyOf({ component, node }: ResolvedNode): string {
  const value = templateValue(node, component.sharedKey?.field ?? '')
  return typeof value === 'string' ? value.trim() : ''
}

function leadsTo(from: ResolvedNode, to: ResolvedNode, edges: readonly CheckedEdge[]): boolean {
  const next = new Map<string, string[]>()
  for (const { source, target } of edges) {
    const targets = next.get(source)
    if (targets === undefined) next.set(source, [target])
    else targets.push(target)
  }
  const seen = new Set([from.node.id])
  const queue = [...seen]
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (id === to.node.id) return true
    for (const target of next.get(id) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      queue.push(target)
    }
  }
  return false
}

function edgeBetween(writer: ResolvedNode, reader: ResolvedNode): CheckedEdge {
  const [source, target] = [writer.node.id, reader.node.id]
  const output = writer.component.sharedKey?.writes ?? ''
  const field = reader.component.sharedKey?.reads ?? ''
  const types = writer.component.outputs[output]?.types ?? []
  return {
    source,
    target,
    output,
    field,
    loopBack: false,
    edge: {
      id: undefined,
      source,
      target,
      sourceHandle: { dataType: writer.node.type, id: source, name: output, output_types: types },
      targetHandle: { fieldName: field, id: target, type: 'other', inputTypes: types },
      typed: true,
    },
  }
}
