import type { GroupLink } from '../flow/expand-groups.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { RunEventData } from '../events/run-event.ts'
import type { CheckedRun } from '../context/checked-run.ts'

/** The first event: the vertices the run starts with and those it will build. */
export function sortedVertices({ graph, slice }: CheckedRun): RunEventData['vertices_sorted'] {
  const ids = slice.firstLayer.map((index) => graph.vertices[index]?.id ?? '')
  const inside = graph.vertices.filter((vertex) => slice.contains[vertex.index] === 1)
  return { ids, to_run: withGroups(inside) }
}

/** Ids in node order, each group before its first vertex. */
function withGroups(vertices: readonly PlanVertex[]): string[] {
  const named = new Set<GroupLink>()
  return vertices.flatMap((vertex) => {
    const groups: string[] = []
    for (let group = vertex.group; group !== undefined && !named.has(group); group = group.outer) {
      named.add(group)
      groups.push(group.id)
    }
    return [...groups.toReversed(), vertex.id]
  })
}
