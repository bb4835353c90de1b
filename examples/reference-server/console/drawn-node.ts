import type { FlowGraph } from './graph-view.ts'

/** The drawn node with this id, or the group that contains it. */
export function drawnNode(graph: FlowGraph | null, id: string | null): string | undefined {
  if (graph === null || id === null) return undefined
  return graph.nodes.find((node) => node.id === id || hasInside(node, id))?.id
}

function hasInside({ data }: FlowGraph['nodes'][number], id: string): boolean {
  const inner = data?.node?.flow?.data?.nodes ?? []
  return inner.some((node) => node.id === id || hasInside(node, id))
}
