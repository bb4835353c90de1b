import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'

/** The pass of the outermost loop enclosing a vertex; undefined outside loops. */
export function iterationOf(
  { region }: PlanVertex,
  { regions }: PlanGraph,
  builds: readonly number[],
): number | undefined {
  const outermost = regions[region]?.path[1]
  const loop = outermost === undefined ? undefined : regions[outermost]?.loop
  return loop === undefined ? undefined : builds[loop]
}
