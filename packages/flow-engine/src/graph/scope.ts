import type { PlanEdge, PlanGraph, PlanVertex, Region } from './plan-graph.ts'
import type { OutputValues } from './build-vertex.ts'

/** Where a vertex of a scope stands. */
export const IDLE = 0
/** Waits for a free place, or is being built; a loop: until its last pass. */
export const STARTED = 1
export const DONE = 2
export const SKIPPED = 3
/** Behind a failure: never built (FE-61). */
export const BLOCKED = 4

/** The last build of a vertex, for its readers. */
export interface Built {
  outputs: OutputValues
  /** Stopped in this build, or excluded. */
  readonly dead: ReadonlySet<string>
  readonly stopped: ReadonlySet<string>
  /** Identity of the result for frozen vertices behind it (FE-33). */
  readonly key: string | undefined
}

export const NO_OUTPUTS: ReadonlySet<string> = new Set()

/** The state of one run of a region: the whole flow, or one pass of a loop. */
export interface Scope {
  readonly region: Region
  readonly parent: Scope | undefined
  /** Order among the scopes of the run. */
  readonly serial: number
  readonly waiting: Int32Array
  readonly live: Int32Array
  readonly dead: Int32Array
  readonly status: Uint8Array
  /** 1: its idle ancestors have been looked for. */
  readonly pulled: Uint8Array
  readonly built: (Built | undefined)[]
  readonly states: Map<number, Map<string, unknown>>
  /** Passes of loops in this scope that are running, by region. */
  readonly passes: Map<number, Set<Scope>>
  /** The last pass of each loop in this scope, by region. */
  readonly lastPass: Map<number, Scope>
  /** Members that are not settled yet. */
  remaining: number
}

export function createScope(region: Region, parent: Scope | undefined, serial: number): Scope {
  const count = region.members.length
  return {
    region,
    parent,
    serial,
    waiting: new Int32Array(count),
    live: new Int32Array(count),
    dead: new Int32Array(count),
    status: new Uint8Array(count),
    pulled: new Uint8Array(count),
    built: [],
    states: new Map(),
    passes: new Map(),
    lastPass: new Map(),
    remaining: 0,
  }
}

/** `ctx.state` of a vertex. */
export function stateOf(scope: Scope, vertex: PlanVertex): Map<string, unknown> {
  const known = scope.states.get(vertex.index) ?? new Map<string, unknown>()
  scope.states.set(vertex.index, known)
  return known
}

/** The scope of a region as seen from another: around it, or the last pass of a loop in those around it. */
export function scopeOf(graph: PlanGraph, from: Scope, region: number): Scope | undefined {
  if (from.region.index === region) return from
  const path = graph.regions[region]?.path ?? []
  let scope: Scope | undefined = from
  while (scope !== undefined && !path.includes(scope.region.index)) scope = scope.parent
  if (scope === undefined) return undefined
  for (const step of path.slice(path.indexOf(scope.region.index) + 1)) {
    scope = scope?.lastPass.get(step)
  }
  return scope
}

/** What an edge leads on: built and alive, dead, or from a source that has not been built. */
export function edgeState(
  graph: PlanGraph,
  scope: Scope,
  edge: PlanEdge,
): { readonly built: Built } | 'dead' | 'unbuilt' {
  const source = graph.vertices[edge.source]
  if (source === undefined) return 'dead'
  const at = scopeOf(graph, scope, source.region)
  if (at === undefined) return 'dead'
  const built = at.built[source.local]
  if (built === undefined) return at.status[source.local] === SKIPPED ? 'dead' : 'unbuilt'
  return built.dead.has(edge.output) ? 'dead' : { built }
}

/** The running scopes of a region inside a scope: itself, or all running passes of the loops down to it. */
export function activeScopes(graph: PlanGraph, scope: Scope, region: number): readonly Scope[] {
  if (scope.region.index === region) return [scope]
  const path = graph.regions[region]?.path ?? []
  let scopes: readonly Scope[] = [scope]
  for (const step of path.slice(path.indexOf(scope.region.index) + 1)) {
    scopes = scopes.flatMap((at) => [...(at.passes.get(step) ?? [])])
  }
  return scopes
}
