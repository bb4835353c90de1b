import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { warning, type FlowProblem } from '../flow/problems.ts'
import { DEAD, IDLE, LIVE, PULLED, scopeOf, type Scope, isBarred } from './scope.ts'
import type { GraphSlice } from '../plan/slice.ts'

export interface StalledRequest {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  readonly root: Scope
  /** Scopes that were not over when the run became idle. */
  readonly scopes: Iterable<Scope>
}

/**
 * Vertices waiting for a cycle that was never entered, and all vertices waiting for them, in node order.
 */
export function stalledVertices({ graph, slice, root, scopes }: StalledRequest): PlanVertex[] {
  if (root.remaining === 0) return []
  const { vertices } = graph
  const waiting = new Set<number>()
  for (const vertex of vertices) if (isClosedCycle(vertex, graph, slice)) waiting.add(vertex.index)
  for (const scope of scopes) {
    for (const member of scope.region.members) {
      const vertex = vertices[member]
      if (vertex !== undefined && isHeld(scope, vertex)) waiting.add(member)
    }
  }
  for (const index of waiting) {
    for (const edge of vertices[index]?.outgoing ?? []) {
      if (!edge.loopBack) waiting.add(edge.target)
    }
  }
  return vertices.filter((vertex) => waiting.has(vertex.index) && isOpen(vertex))

  function isOpen(vertex: PlanVertex): boolean {
    if (slice.contains[vertex.index] !== 1) return false
    const scope = scopeOf(graph, root, vertex.region)
    if (scope === undefined) return true
    return scope.status[vertex.local] === IDLE && scope.built[vertex.local] === undefined
  }
}

function isClosedCycle(vertex: PlanVertex, graph: PlanGraph, slice: GraphSlice): boolean {
  if (slice.entry === vertex.index) return false
  if (vertex.cycle === undefined) return vertex.incoming.some((edge) => edge.self)
  const entry = slice.entry === undefined ? undefined : graph.vertices[slice.entry]
  return entry?.cycle !== vertex.cycle
}

/** True if a predecessor has finished, or it was requested, but it never started. */
function isHeld(scope: Scope, vertex: PlanVertex): boolean {
  const { local } = vertex
  if (scope.status[local] !== IDLE || scope.built[local] !== undefined) return false
  if (isBarred(scope, vertex)) return false
  const marks = scope.marks[local] ?? 0
  const decided = (marks & (LIVE | DEAD)) !== 0
  return (marks & PULLED) !== 0 || (decided && (scope.waiting[local] ?? 0) > 0)
}

/** The warning that lists them. */
export function problemsOfCycles(stalled: readonly PlanVertex[]): FlowProblem[] {
  const [first] = stalled
  if (first === undefined) return []
  const names = stalled.map((vertex) => vertex.id).join(', ')
  return [
    warning('stalled_cycle', `These vertices wait for a cycle: ${names}`, { nodeId: first.id }),
  ]
}
