import type { PlanGraph, PlanVertex } from '@x/flow-engine/internal'

/** Progress of a graph that is built vertex by vertex. */
export interface BuildProgress {
  readonly graph: PlanGraph
  /** Ids of the requested order; empty if there is none. */
  readonly ordered: ReadonlySet<string>
  /** States of the built vertices. */
  readonly states: ReadonlyMap<string, string>
  /** Ids the client was told to build. */
  readonly announced: Set<string>
}

/** All predecessors are built. */
export function isReady(vertex: PlanVertex, progress: BuildProgress): boolean {
  return missingPredecessor(vertex, progress) === undefined
}

/** The first unbuilt predecessor, in edge order. */
export function missingPredecessor(
  { incoming }: PlanVertex,
  { graph, states }: Pick<BuildProgress, 'graph' | 'states'>,
): PlanVertex | undefined {
  return incoming
    .map(({ source }) => graph.vertices[source])
    .find((source) => source !== undefined && !states.has(source.id))
}

/**
 * The vertices that became ready, in the requested order: successors and their unbuilt prerequisites
 * (events.md 2.6), without duplicates and without vertices of branches not taken.
 */
export function nextVertices(
  { outgoing }: PlanVertex,
  progress: BuildProgress,
  inactivated: readonly string[] = [],
): PlanVertex[] {
  const { graph, ordered, states, announced } = progress
  const found = new Set<PlanVertex>()
  const seen = new Set<PlanVertex>()
  const off = new Set(inactivated)
  const waiting = outgoing
    .flatMap(({ target }) => graph.vertices[target] ?? [])
    .filter(({ id }) => !off.has(id))
  const direct = new Set(waiting)
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    if (seen.has(vertex) || !ordered.has(vertex.id)) continue
    seen.add(vertex)
    if (!direct.has(vertex) && (states.has(vertex.id) || announced.has(vertex.id))) continue
    if (isReady(vertex, progress)) found.add(vertex)
    else {
      for (const { source } of vertex.incoming) {
        const before = graph.vertices[source]
        if (before !== undefined) waiting.push(before)
      }
    }
  }
  const next = graph.vertices.filter((vertex) => found.has(vertex))
  for (const { id } of next) announced.add(id)
  return next
}
