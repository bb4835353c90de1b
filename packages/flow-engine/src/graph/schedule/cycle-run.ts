import { reachable, type Successors } from '../plan/cycles.ts'
import type { PlanEdge, PlanGraph, PlanVertex } from '../plan/plan-graph.ts'

/**
 * Turn-taking in an entered cycle. A vertex that ends passes a token, live or dead, to each
 * downstream vertex of the cycle. A vertex holding tokens gets its turn when no other active vertex can still
 * reach it without going around the cycle.
 */
export interface CycleRun {
  readonly entry: number
  readonly members: ReadonlySet<number>
  /** Members that are being built or wait for a free slot. */
  readonly active: Set<number>
  /** Members that hold tokens, and whether one of them is live. */
  readonly holders: Map<number, boolean>
  /** The edges leaving the cycle have been decided. */
  over: boolean
  /** Edges of the cycle without the back edges; sparse. */
  readonly forward: Successors
}

export function createCycleRun(
  graph: PlanGraph,
  entry: number,
  members: Iterable<number>,
): CycleRun {
  const all = new Set(members)
  const forward = forwardEdges(graph, entry, all)
  return { entry, members: all, active: new Set(), holders: new Map(), over: false, forward }
}

/** True for an edge of the cycle to a vertex that comes before its source. */
export function goesBack({ members, forward }: CycleRun, { source, target }: PlanEdge): boolean {
  const isInside = members.has(source) && members.has(target)
  return isInside && forward[source]?.includes(target) !== true
}

/** Passes the tokens of a member that ended; `alive` says so for each output. */
export function passTokens(
  run: CycleRun,
  vertex: PlanVertex,
  alive: (output: string) => boolean,
): void {
  const ahead = run.forward[vertex.index] ?? []
  for (const edge of vertex.outgoing) {
    if (edge.self || !run.members.has(edge.target)) continue
    const live = alive(edge.output)
    // A dead token that goes around the cycle would never be dropped.
    if (!live && !ahead.includes(edge.target)) continue
    run.holders.set(edge.target, live || run.holders.get(edge.target) === true)
  }
}

/** Members whose turn it is, with the kind of token they held, in node order. */
export function takeTurns(
  run: CycleRun,
  ready: (member: number) => boolean,
): readonly (readonly [number, boolean])[] {
  const ahead = [...run.active, ...run.holders.keys()].flatMap((start) => run.forward[start] ?? [])
  const reached = reachable(ahead, run.forward)
  const turns = [...run.holders]
    .filter(([member]) => !reached.has(member) && !run.active.has(member) && ready(member))
    .toSorted(([a], [b]) => a - b)
  for (const [member] of turns) run.holders.delete(member)
  return turns
}

/**
 * Depth-first from the entry with an explicit stack: an edge to a vertex that is still open is a back edge.
 */
function forwardEdges(
  graph: PlanGraph,
  entry: number,
  members: ReadonlySet<number>,
): readonly (readonly number[])[] {
  const forward: number[][] = []
  const seen = new Set<number>()
  const open = new Set<number>()
  const path: { readonly vertex: number; readonly targets: number[] }[] = []
  const visit = (vertex: number): void => {
    seen.add(vertex)
    open.add(vertex)
    forward[vertex] = []
    const edges = graph.vertices[vertex]?.outgoing ?? []
    const targets = edges.filter((edge) => !edge.self && members.has(edge.target))
    path.push({ vertex, targets: [...new Set(targets.map((edge) => edge.target))].toReversed() })
  }
  visit(entry)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const target = top.targets.pop()
    if (target === undefined) {
      open.delete(top.vertex)
      path.pop()
    } else if (!open.has(target)) {
      forward[top.vertex]?.push(target)
      if (!seen.has(target)) visit(target)
    }
  }
  return forward
}
