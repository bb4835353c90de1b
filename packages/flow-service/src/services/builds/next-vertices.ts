import { skippedVertices } from '@x/flow-engine/internal'
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
  /** The outputs that built vertices closed, by id. */
  readonly closed: ReadonlyMap<string, ReadonlySet<string>>
}

/** The first unbuilt predecessor that will run, in edge order; the vertex itself if it will not run. */
export function missingPredecessor(
  vertex: PlanVertex,
  progress: Pick<BuildProgress, 'graph' | 'states' | 'closed'>,
): PlanVertex | undefined {
  return missingOf(vertex, progress, skippedVertices(progress.graph, progress.closed))
}

function missingOf(
  vertex: PlanVertex,
  { graph, states }: Pick<BuildProgress, 'graph' | 'states'>,
  skipped: ReadonlySet<number>,
): PlanVertex | undefined {
  if (skipped.has(vertex.index)) return vertex
  return vertex.incoming
    .map(({ source }) => graph.vertices[source])
    .find((source) => source !== undefined && !states.has(source.id) && !skipped.has(source.index))
}

/**
 * The vertices that became ready, in the requested order: successors and their unbuilt prerequisites, without duplicates and without vertices of branches not taken.
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
  const skipped = skippedVertices(graph, progress.closed)
  const isOpen = ({ id, index }: PlanVertex): boolean => !off.has(id) && !skipped.has(index)
  const after = [...skipped]
    .flatMap((index) => graph.vertices[index]?.outgoing ?? [])
    .flatMap(({ target }) => graph.vertices[target] ?? [])
    .filter(({ id }) => !states.has(id) && !announced.has(id))
  const waiting = outgoing
    .flatMap(({ target }) => graph.vertices[target] ?? [])
    .concat(after)
    .filter(isOpen)
  const direct = new Set(waiting)
  for (let vertex = waiting.pop(); vertex !== undefined; vertex = waiting.pop()) {
    if (seen.has(vertex) || !ordered.has(vertex.id)) continue
    seen.add(vertex)
    if (!direct.has(vertex) && (states.has(vertex.id) || announced.has(vertex.id))) continue
    if (missingOf(vertex, progress, skipped) === undefined) found.add(vertex)
    else {
      for (const { source } of vertex.incoming) {
        const before = graph.vertices[source]
        if (before !== undefined && !skipped.has(source)) waiting.push(before)
      }
    }
  }
  const next = graph.vertices.filter((vertex) => found.has(vertex))
  for (const { id } of next) announced.add(id)
  return next
}
