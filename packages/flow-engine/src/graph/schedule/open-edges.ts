import type { PlanEdge, PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import { BLOCKED, DONE, edgeState, scopeOf, SKIPPED, type Scope } from './scope.ts'
import type { GraphSlice } from '../plan/slice.ts'

export type EdgeOutcome = 'alive' | 'dead' | 'blocked'

/** A decided edge that has not been processed yet. */
export interface Decided {
  readonly scope: Scope
  readonly edge: PlanEdge
  readonly outcome: EdgeOutcome
}

interface Facts {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  /** The cycle that is entered, if any. */
  readonly entered: number | undefined
}

/** Counts the edges each vertex of a new scope waits for; returns incoming edges that are decided already. */
export function countOpenEdges(scope: Scope, facts: Facts): Decided[] {
  const decided: Decided[] = []
  for (const member of scope.region.members) {
    const vertex = facts.graph.vertices[member]
    if (vertex === undefined || facts.slice.contains[member] !== 1) continue
    scope.remaining += 1
    for (const edge of vertex.incoming) {
      if (!counts(vertex, edge, facts)) continue
      scope.waiting[vertex.local] = (scope.waiting[vertex.local] ?? 0) + 1
      if (edge.self || edge.fromRegion === scope.region.index) continue
      const outcome = outsideOutcome(scope, edge, facts.graph)
      if (outcome !== undefined) decided.push({ scope, edge, outcome })
    }
  }
  return decided
}

function counts(vertex: PlanVertex, edge: PlanEdge, { graph, slice, entered }: Facts): boolean {
  if (edge.loopBack || slice.contains[edge.source] !== 1) return false
  const takesTurns = entered !== undefined && vertex.cycle === entered
  if (takesTurns && graph.vertices[edge.source]?.cycle === entered) return false
  // Never decided: a vertex with a self-edge starts only as an entry (FE-7, FE-15).
  return !edge.self || vertex.index !== slice.entry
}

function outsideOutcome(scope: Scope, edge: PlanEdge, graph: PlanGraph): EdgeOutcome | undefined {
  const from = graph.vertices[edge.from]
  const at = scopeOf(graph, scope, edge.fromRegion)
  if (from === undefined || at === undefined) return 'dead'
  const status = at.status[from.local]
  const around = from.loop !== undefined && scope.region.path.includes(from.loop)
  if (status === BLOCKED) return 'blocked'
  if (around || status === DONE) return outcomeOf(graph, scope, edge)
  return status === SKIPPED ? 'dead' : undefined
}

/** The outcome of an edge when its source ends. */
export function outcomeOf(graph: PlanGraph, scope: Scope, edge: PlanEdge): EdgeOutcome {
  return typeof edgeState(graph, scope, edge) === 'object' ? 'alive' : 'dead'
}
