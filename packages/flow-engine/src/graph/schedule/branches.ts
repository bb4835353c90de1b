import type { PlanEdge, PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { edgeState, scopeOf, type Scope } from './scope.ts'
import type { GraphSlice } from '../plan/slice.ts'

export interface DeadOutputs {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  readonly scope: Scope
  readonly vertex: PlanVertex
  readonly outputs: ReadonlySet<string>
  /** Every descendant is dead, including merges (FE-30). */
  readonly strict: boolean
}

/**
 * The vertices downstream of a vertex's outputs that become dead with them, in node order, including those
 * the run skips anyway.
 */
export function deadDownstream(request: DeadOutputs): PlanVertex[] {
  const { graph, vertex, outputs } = request
  if (outputs.size === 0) return []
  const found = new Set<number>()
  const left = new Map<number, number>()
  const work = vertex.outgoing.filter((edge) => outputs.has(edge.output))
  for (let edge = work.pop(); edge !== undefined; edge = work.pop()) {
    const target = graph.vertices[edge.target]
    if (target === undefined || edge.self || edge.loopBack || found.has(target.index)) continue
    if (target.index === vertex.index) continue
    const open = (left.get(target.index) ?? liveEdges(request, target)) - 1
    left.set(target.index, open)
    if (open > 0 && !request.strict) continue
    found.add(target.index)
    for (const next of target.outgoing) work.push(next)
  }
  return [...found].toSorted((a, b) => a - b).flatMap((index) => graph.vertices[index] ?? [])
}

/**
 * Incoming edges that are not yet dead, including the ones in question. Edges from outside the slice into it
 * deliver nothing; edges between vertices outside it count.
 */
function liveEdges(
  { graph, slice, scope, vertex, outputs }: DeadOutputs,
  target: PlanVertex,
): number {
  const at = scopeOf(graph, scope, target.region) ?? scope
  const isInside = slice.contains[target.index] === 1
  const counts = (edge: PlanEdge): boolean => {
    if (edge.self || edge.loopBack) return false
    if (slice.contains[edge.source] !== 1) return !isInside
    if (edge.source === vertex.index) return true
    return edgeState(graph, at, edge) !== 'dead' || outputs.has(edge.output)
  }
  return target.incoming.filter(counts).length
}
