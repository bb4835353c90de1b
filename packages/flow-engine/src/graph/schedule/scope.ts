import type { Decision } from './decision.ts'
import type { PlanEdge, PlanGraph, PlanVertex, Region } from '../plan/plan-graph.ts'
import type { LazySignal } from '../context/lazy-signal.ts'
import type { GraphSlice } from '../plan/slice.ts'
import { blanks, zeros } from '../values/create-pooled-array.ts'

/** The states of a vertex in a scope. */
export const IDLE = 0
/** Waiting for a free slot or being built; for a loop, until its last pass ends. */
export const STARTED = 1
export const DONE = 2
export const SKIPPED = 3
/** Downstream of a failure: never built. */
export const BLOCKED = 4

/** An edge was decided live. */
export const LIVE = 1
/** An edge was decided dead. */
export const DEAD = 2
/** Its idle ancestors were started. */
export const PULLED = 4

/** Output values of a build, by name. */
export type OutputValues = Record<string, unknown>

/** The last build of a vertex, as its readers see it. */
export interface Built {
  readonly outputs: OutputValues
  /** Stopped in this build, or excluded. */
  readonly dead: ReadonlySet<string>
  readonly stopped: ReadonlySet<string>
}

/** Passes of one loop that may run concurrently. */
export interface SideBySide {
  /** Maximum number of concurrent passes. */
  readonly parallel: number
  /** Number of items, as announced by the loop. */
  readonly items: number
  given: number
  /** True while the loop is being built or waits for a free slot. */
  building: boolean
  /** Values returned by finished passes, by field and item index. */
  readonly returned: Map<string, unknown[]>
}

export interface ScopeOptions {
  readonly parent: Scope | undefined
  readonly serial: number
  /** Initial counts of open edges. Default 0. */
  readonly waiting?: readonly number[] | undefined
  readonly opener?: Built | undefined
  /** Default 0. */
  readonly item?: number | undefined
  readonly stop?: LazySignal | undefined
}

/** The state of one run of a region: the whole flow, or one pass of a loop. */
export class Scope {
  readonly region: Region
  readonly parent: Scope | undefined
  /** Creation order among the scopes of the run. */
  readonly serial: number
  /** Undecided edges, by vertex. Plain arrays: small typed arrays cost more than they save. */
  readonly waiting: number[]
  readonly status: number[]
  /** `LIVE`, `DEAD` and `PULLED` of each vertex. */
  readonly marks: number[]
  readonly built: (Built | undefined)[]
  /** `ctx.state` by vertex; created on first use. */
  states: Map<number, Map<string, unknown>> | undefined = undefined
  /** Last decisions, by vertex. */
  decisions: Map<number, Decision> | undefined = undefined
  /** Running loop passes in this scope, by region. */
  passes: Map<number, Set<Scope>> | undefined = undefined
  /** The last pass of each loop in this scope, by region. */
  lastPass: Map<number, Scope> | undefined = undefined
  /** Loops in this scope whose passes may run concurrently, by region. */
  sideBySide: Map<number, SideBySide> | undefined = undefined
  /** Values returned by skipped passes to a loop in this scope, by edge. */
  replayed: ReadonlyMap<number, unknown> | undefined = undefined
  /** What the vertices of an entered cycle cut off by their last decisions. */
  cuts: Map<number, ReadonlySet<number>> | undefined = undefined
  /** Vertices that decisions of this scope cut off, also those of its passes. */
  barred: Set<number> | undefined = undefined
  /** Vertices that are cut off, with the number of open edges on which other decisions may still depend. */
  held: Map<number, number> | undefined = undefined
  /** Members that are not settled. */
  remaining = 0
  /** Running builds. */
  running = 0
  /** For a pass: the build of the loop that opened it. */
  readonly opener: Built | undefined
  /** For a concurrent pass: the index of its item, and the signal that stops its builds. */
  readonly item: number
  readonly stop: LazySignal | undefined
  /** Another pass has failed; the results of this one are ignored. */
  cancelled = false

  constructor(region: Region, options: ScopeOptions) {
    const count = region.members.length
    this.region = region
    this.parent = options.parent
    this.serial = options.serial
    this.waiting = options.waiting?.slice() ?? zeros(count)
    this.status = zeros(count)
    this.marks = zeros(count)
    this.built = blanks(count)
    this.opener = options.opener
    this.item = options.item ?? 0
    this.stop = options.stop
  }
}

/** Number of vertices of a region in the slice. */
export function membersIn({ members }: Region, { contains, size }: GraphSlice): number {
  if (size === contains.length) return members.length
  let count = 0
  for (const member of members) count += contains[member] ?? 0
  return count
}

/** The vertex itself, or its outermost enclosing loop. */
export function outermostLoop({ regions, vertices }: PlanGraph, vertex: PlanVertex): PlanVertex {
  const outer = regions[vertex.region]?.path[1]
  const loop = outer === undefined ? undefined : regions[outer]?.loop
  return (loop === undefined ? undefined : vertices[loop]) ?? vertex
}

/** `ctx.state` of a vertex. */
export function stateOf(scope: Scope, vertex: PlanVertex): Map<string, unknown> {
  scope.states ??= new Map()
  const known = scope.states.get(vertex.index) ?? new Map<string, unknown>()
  scope.states.set(vertex.index, known)
  return known
}

/**
 * The scope of a region as seen from another: an enclosing one, or the last pass of a loop in an enclosing
 * one.
 */
export function scopeOf(graph: PlanGraph, from: Scope, region: number): Scope | undefined {
  if (from.region.index === region) return from
  const path = graph.regions[region]?.path ?? []
  let scope: Scope | undefined = from
  while (scope !== undefined && !path.includes(scope.region.index)) scope = scope.parent
  if (scope === undefined) return undefined
  for (const step of path.slice(path.indexOf(scope.region.index) + 1)) {
    scope = scope?.lastPass?.get(step)
  }
  return scope
}

/** The state of an edge: live, dead, or not built yet. */
export function edgeState(
  graph: PlanGraph,
  scope: Scope,
  edge: PlanEdge,
): Built | 'dead' | 'unbuilt' {
  const source = graph.vertices[edge.source]
  if (source === undefined) return 'dead'
  const at = scope.region.index === source.region ? scope : scopeOf(graph, scope, source.region)
  if (at === undefined) return 'dead'
  const built = source.loop === undefined ? at.built[source.local] : builtLoop(scope, at, source)
  if (built === undefined) return at.status[source.local] === SKIPPED ? 'dead' : 'unbuilt'
  return built.dead.has(edge.output) ? 'dead' : built
}

/** The build of a loop visible from a scope: in a pass the build that opened it, outside the last one. */
function builtLoop(scope: Scope, at: Scope, loop: PlanVertex): Built | undefined {
  for (let inside: Scope | undefined = scope; inside !== undefined; inside = inside.parent) {
    if (inside.region.index === loop.loop) return inside.opener
  }
  return at.built[loop.local]
}

/**
 * The running scopes of a region within a scope: itself, or all running passes of the loops leading to it.
 */
export function activeScopes(graph: PlanGraph, scope: Scope, region: number): readonly Scope[] {
  if (scope.region.index === region) return [scope]
  const path = graph.regions[region]?.path ?? []
  let scopes: readonly Scope[] = [scope]
  for (const step of path.slice(path.indexOf(scope.region.index) + 1)) {
    scopes = scopes.flatMap((at) => [...(at.passes?.get(step) ?? [])])
  }
  return scopes
}

/** True if a decision of this scope, or of one around it, cut the vertex off. */
export function isBarred(scope: Scope, { index }: PlanVertex): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.barred?.has(index) === true) return true
    if (at.cuts === undefined) continue
    for (const cut of at.cuts.values()) if (cut.has(index)) return true
  }
  return false
}
