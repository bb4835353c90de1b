import { reachable, stronglyConnected, type Successors } from './cycles.ts'
import type { Region } from './plan-graph.ts'

/** An edge by vertex positions. For a loop-back edge, `field` is the loop output it returns to. */
export interface RegionEdge {
  readonly source: number
  readonly target: number
  readonly output: string
  readonly field: string
  readonly loopBack: boolean
}

/** The regions of a flow: loops with the vertices of their passes, and cycles without a loop. */
export interface Layout {
  readonly regions: readonly Region[]
  readonly regionOf: Int32Array
  /** The region opened by each loop. */
  readonly loopRegion: ReadonlyMap<number, number>
  readonly cycles: readonly (readonly number[])[]
  /** Loops within another kind of cycle; their loop-back edges are edges of that cycle. */
  readonly demoted: ReadonlySet<number>
}

interface Pass {
  readonly loop: number
  readonly members: ReadonlySet<number>
}

const MAX_ROUNDS = 4

/** Finds loops, the vertices of their passes, and the remaining cycles. */
export function findRegions(count: number, arcs: readonly RegionEdge[]): Layout {
  const loops = new Set(arcs.filter((arc) => arc.loopBack).map((arc) => arc.target))
  const demoted = new Set<number>()
  for (let round = 0; ; round += 1) {
    const forward =
      loops.size === 0 ? arcs : arcs.filter((arc) => !arc.loopBack || demoted.has(arc.target))
    const next = successorsOf(count, forward)
    const { members, of } = stronglyConnected(next)
    const caught = [...loops].filter(
      (loop) => !demoted.has(loop) && (members[of[loop] ?? 0]?.length ?? 0) > 1,
    )
    if (caught.length === 0) {
      const passes = findPasses(arcs, forward, next, demoted)
      const cycles = members.filter((group) => group.length > 1)
      return { ...nest(count, passes), cycles, demoted }
    }
    for (const loop of round < MAX_ROUNDS ? caught : loops) demoted.add(loop)
  }
}

/** Positions of each vertex's targets, without duplicates. */
export function successorsOf(count: number, arcs: readonly RegionEdge[]): Successors {
  const next: number[][] = Array.from({ length: count }, () => [])
  for (const { source, target } of arcs) if (source !== target) next[source]?.push(target)
  return next.map((targets) => (targets.length < 2 ? targets : [...new Set(targets)]))
}

export function predecessorsOf(count: number, arcs: readonly RegionEdge[]): Successors {
  return successorsOf(
    count,
    arcs.map((arc) => ({ ...arc, source: arc.target, target: arc.source })),
  )
}

/** The passes of all loops, largest first, so that a loop precedes the loops in its body. */
function findPasses(
  arcs: readonly RegionEdge[],
  forward: readonly RegionEdge[],
  next: Successors,
  demoted: ReadonlySet<number>,
): Pass[] {
  const backs = grouped(
    arcs.filter((arc) => arc.loopBack && !demoted.has(arc.target)),
    (arc) => arc.target,
  )
  if (backs.size === 0) return []
  const before = predecessorsOf(next.length, forward)
  const leaving = grouped(forward, (arc) => arc.source)
  return [...backs]
    .map(([loop, back]) => ({
      loop,
      members: iterationOf({ loop, back, leaving: leaving.get(loop) ?? [], next, before }),
    }))
    .toSorted((a, b) => b.members.size - a.members.size || a.loop - b.loop)
}

interface LoopEdges {
  readonly loop: number
  readonly back: readonly RegionEdge[]
  readonly leaving: readonly RegionEdge[]
  readonly next: Successors
  readonly before: Successors
}

/** The body, plus vertices that depend on it but not on another output of the loop. */
function iterationOf({ loop, back, leaving, next, before }: LoopEdges): ReadonlySet<number> {
  const items = new Set(back.map((arc) => arc.field))
  const first = leaving.filter((arc) => items.has(arc.output)).map((arc) => arc.target)
  const others = leaving.filter((arc) => !items.has(arc.output)).map((arc) => arc.target)
  const behindItem = reachable(first, next)
  behindItem.delete(loop)
  // Only a vertex that is also reachable other than through the loop's items can depend on another output.
  const entered =
    others.some((vertex) => behindItem.has(vertex)) ||
    [...behindItem].some((vertex) =>
      before[vertex]?.some((source) => source !== loop && !behindItem.has(source)),
    )
  if (others.length === 0 || !entered) return behindItem
  const sources = back.map((arc) => arc.source)
  const leadsBack = reachable(sources, before)
  const behindOther = reachable(others, next)
  return new Set([...behindItem].filter((v) => leadsBack.has(v) || !behindOther.has(v)))
}

/** Arranges the regions as a tree: a vertex belongs to the innermost loop whose pass contains it. */
function nest(
  count: number,
  passes: readonly Pass[],
): Pick<Layout, 'regions' | 'regionOf' | 'loopRegion'> {
  const regionOf = new Int32Array(count)
  const loopRegion = new Map<number, number>()
  const tree: { loop: number | undefined; parent: number | undefined; path: number[] }[] = [
    { loop: undefined, parent: undefined, path: [0] },
  ]
  for (const { loop, members } of passes) {
    const parent = regionOf[loop] ?? 0
    const index = tree.length
    tree.push({ loop, parent, path: [...(tree[parent]?.path ?? []), index] })
    loopRegion.set(loop, index)
    for (const vertex of members) if (regionOf[vertex] === parent) regionOf[vertex] = index
  }
  const members: number[][] = tree.map(() => [])
  for (const [vertex, region] of regionOf.entries()) members[region]?.push(vertex)
  const regions = tree.map((entry, index) => ({ index, ...entry, members: members[index] ?? [] }))
  return { regions, regionOf, loopRegion }
}

function grouped(
  arcs: readonly RegionEdge[],
  keyOf: (arc: RegionEdge) => number,
): Map<number, RegionEdge[]> {
  const groups = new Map<number, RegionEdge[]>()
  for (const arc of arcs) {
    const group = groups.get(keyOf(arc))
    if (group === undefined) groups.set(keyOf(arc), [arc])
    else group.push(arc)
  }
  return groups
}
