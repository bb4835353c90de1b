import type { PlanEdge, PlanGraph } from '../plan/plan-graph.ts'
import { controlsPasses, Cuts } from './cuts.ts'

/** The positions of the vertices that decisions keep from running, outside of a run. */
export function skippedVertices(
  graph: PlanGraph,
  closed: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlySet<number> {
  const { vertices, indexOf } = graph
  const cuts = new Cuts(graph, false)
  const skipped = new Set<number>()
  const work: PlanEdge[] = []
  for (const [id, dead] of closed) {
    const vertex = vertices[indexOf.get(id) ?? -1]
    if (vertex === undefined || controlsPasses(vertex)) continue
    for (const index of cuts.behind({ vertex, outputs: dead, dead })) skipped.add(index)
    for (const edge of vertex.outgoing) if (dead.has(edge.output)) work.push(edge)
  }
  for (const index of skipped) for (const edge of vertices[index]?.outgoing ?? []) work.push(edge)
  const isDead = ({ source, output }: PlanEdge): boolean =>
    skipped.has(source) || closed.get(vertices[source]?.id ?? '')?.has(output) === true
  for (const { target, self, loopBack } of work) {
    const vertex = vertices[target]
    if (vertex === undefined || self || loopBack || skipped.has(target)) continue
    if (!vertex.incoming.every((edge) => edge.self || edge.loopBack || isDead(edge))) continue
    skipped.add(target)
    for (const edge of vertex.outgoing) work.push(edge)
  }
  return skipped
}
