import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { activeScopes, type Scope } from './scope.ts'
import { Task } from './task.ts'

/**
 * The vertices directly downstream: edge targets, the enclosing loop, and the rest of its cycle if it takes
 * turns in one.
 */
export function dependentsOf(
  { scope, vertex }: Task,
  graph: PlanGraph,
  takesTurns: boolean,
): Task[] {
  const { vertices, regions, cycles } = graph
  const found: Task[] = []
  const add = (at: Scope, target: PlanVertex | undefined): void => {
    if (target !== undefined) found.push(new Task(at, target))
  }
  for (const edge of vertex.releases) {
    const target = vertices[edge.target]
    for (const at of activeScopes(graph, scope, target?.region ?? 0)) add(at, target)
  }
  const { loop } = regions[scope.region.index] ?? scope.region
  if (loop !== undefined && scope.parent !== undefined) add(scope.parent, vertices[loop])
  if (takesTurns) {
    for (const member of cycles[vertex.cycle ?? -1] ?? []) add(scope, vertices[member])
  }
  return found
}
