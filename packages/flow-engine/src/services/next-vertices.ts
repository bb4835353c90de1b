import type { PlanGraph, PlanVertex } from '../graph/plan-graph.ts'

/** How far a graph has been built, one vertex after the other. */
export interface BuildProgress {
  readonly graph: PlanGraph
  /** Ids of the order that was asked for; empty without one. */
  readonly ordered: ReadonlySet<string>
  /** States of the vertices that were built. */
  readonly states: ReadonlyMap<string, string>
  /** Ids that the client was told to build. */
  readonly announced: Set<string>
}

/** Everything it takes from has been built. */
export function isReady({ incoming }: PlanVertex, { graph, states }: BuildProgress): boolean {
  return incoming.every(({ source }) => states.has(graph.vertices[source]?.id ?? ''))
}

/**
 * What the build of a vertex has set going, in the order that was asked for: what takes from it, and
 * what those still wait for (events.md 2.6). Of the latter each is named once.
 */
export function nextVertices({ outgoing }: PlanVertex, progress: BuildProgress): PlanVertex[] {
  const { graph, ordered, states, announced } = progress
  const found = new Set<PlanVertex>()
  const seen = new Set<PlanVertex>()
  const waiting = outgoing.flatMap(({ target }) => graph.vertices[target] ?? [])
  const direct = new Set(waiting)
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    if (seen.has(vertex) || !ordered.has(vertex.id)) continue
    seen.add(vertex)
    if (!direct.has(vertex) && (states.has(vertex.id) || announced.has(vertex.id))) continue
    if (isReady(vertex, progress)) found.add(vertex)
    else waiting.push(...vertex.incoming.flatMap(({ source }) => graph.vertices[source] ?? []))
  }
  const next = graph.vertices.filter((vertex) => found.has(vertex))
  for (const { id } of next) announced.add(id)
  return next
}
