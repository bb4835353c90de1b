import { createCycleRun, passTokens, takeTurns, type CycleRun } from './cycle-run.ts'
import type { PlanEdge, PlanGraph, PlanVertex } from './plan-graph.ts'
import {
  activeScopes,
  BLOCKED,
  createScope,
  DEAD,
  DONE,
  edgeState,
  IDLE,
  LIVE,
  membersIn,
  outermostLoop,
  PULLED,
  scopeOf,
  SKIPPED,
  STARTED,
  type Built,
  type Scope,
} from './scope.ts'
import type { Slice } from './slice.ts'
import { inNodeOrder, type Task } from './task.ts'

export interface SchedulerOptions {
  readonly graph: PlanGraph
  readonly slice: Slice
  /** A stopped branch takes every descendant with it (FE-30). */
  readonly strict: boolean
}

type Outcome = 'alive' | 'dead' | 'blocked'

/** A decision about an edge that has not been worked off. */
interface Decided {
  readonly scope: Scope
  readonly edge: PlanEdge
  readonly outcome: Outcome
}

/**
 * Decides what may be built when: a count of open edges for each vertex, no recursion, each edge
 * looked at once (FE-14). It runs nothing itself.
 */
export class Scheduler {
  readonly #graph: PlanGraph
  readonly #slice: Slice
  readonly #strict: boolean
  /** Scopes that are not over. */
  readonly scopes = new Set<Scope>()
  readonly root: Scope
  readonly #cycles = new Map<Scope, CycleRun>()
  /** The cycle that is entered, if any. */
  readonly #entered: number | undefined
  #serial = 0
  #ready: Task[] = []
  /** Edges from outside that a new scope found decided. */
  #decided: Decided[] = []
  /** Vertices whose edges are all decided. */
  #due: Task[] = []
  #touched: Task[] = []

  constructor({ graph, slice, strict }: SchedulerOptions) {
    this.#graph = graph
    this.#slice = slice
    this.#strict = strict
    this.#entered = slice.entry === undefined ? undefined : graph.vertices[slice.entry]?.cycle
    this.root = this.#open(0, undefined)
  }

  /** The first layer. */
  begin(): Task[] {
    for (const index of this.#slice.firstLayer) {
      const vertex = this.#graph.vertices[index]
      if (vertex !== undefined)
        this.#start({ scope: this.root, vertex: outermostLoop(this.#graph, vertex) })
    }
    return this.#takeReady()
  }

  /** A vertex was built: gives what its end has set going, in node order. */
  finished({ scope, vertex }: Task, built: Built): Task[] {
    scope.built[vertex.local] = built
    if (scope.status[vertex.local] === BLOCKED) return []
    const cycle = this.#cycleOf(scope, vertex)
    if (vertex.loop !== undefined) this.#afterLoop(scope, vertex, built)
    else if (cycle === undefined) this.#close(scope, vertex, DONE)
    else this.#afterTurn(scope, vertex, cycle)
    return this.#takeReady()
  }

  /** A vertex failed: nothing that depends on it will be built (FE-61). */
  failed({ scope, vertex }: Task): void {
    scope.status[vertex.local] = BLOCKED
    const work: Task[] = [{ scope, vertex }]
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      for (const next of this.#dependents(item)) {
        const status = next.scope.status[next.vertex.local]
        const holds = next.vertex.loop !== undefined || this.#cycleOf(next.scope, next.vertex)
        if (status !== IDLE && !(status === STARTED && holds)) continue
        next.scope.status[next.vertex.local] = BLOCKED
        work.push(next)
      }
    }
  }

  /** The cycle a vertex takes turns in. */
  #cycleOf(scope: Scope, vertex: PlanVertex): CycleRun | undefined {
    if (vertex.cycle === undefined || vertex.cycle !== this.#entered) return undefined
    return this.#cycles.get(scope)
  }

  /** A scope with its counts; edges from outside that are decided already are worked off as such. */
  #open(region: number, parent: Scope | undefined): Scope {
    const place = this.#graph.regions[region]
    if (place === undefined) throw new RangeError(`There is no region ${region}`)
    const waiting = parent === undefined ? this.#slice.waiting : undefined
    const scope = createScope(place, { parent, serial: this.#serial, waiting })
    this.#serial += 1
    this.scopes.add(scope)
    if (waiting !== undefined) {
      scope.remaining = membersIn(place, this.#slice)
      return scope
    }
    for (const member of place.members) {
      const vertex = this.#graph.vertices[member]
      if (vertex === undefined || this.#slice.contains[member] !== 1) continue
      scope.remaining += 1
      for (const edge of vertex.incoming) this.#count(scope, vertex, edge)
      if (member === this.#slice.entry && vertex.cycle !== undefined) {
        const members = this.#graph.cycles[vertex.cycle] ?? []
        this.#cycles.set(scope, createCycleRun(this.#graph, member, members))
      }
    }
    return scope
  }

  #count(scope: Scope, vertex: PlanVertex, edge: PlanEdge): void {
    if (edge.loopBack || this.#slice.contains[edge.source] !== 1) return
    if (this.#takesTurns(vertex, edge)) return
    if (edge.self) {
      // Never decided: a vertex with an edge to itself starts only as an entry (FE-7, FE-15).
      if (vertex.index !== this.#slice.entry) bump(scope.waiting, vertex.local)
      return
    }
    bump(scope.waiting, vertex.local)
    if (edge.fromRegion === scope.region.index) return
    const outcome = this.#outsideOutcome(scope, edge)
    if (outcome !== undefined) this.#decided.push({ scope, edge, outcome })
  }

  /** Whether both ends are in the cycle that is entered. */
  #takesTurns(vertex: PlanVertex, edge: PlanEdge): boolean {
    return (
      this.#entered !== undefined &&
      vertex.cycle === this.#entered &&
      this.#graph.vertices[edge.source]?.cycle === this.#entered
    )
  }

  #outsideOutcome(scope: Scope, edge: PlanEdge): Outcome | undefined {
    const from = this.#graph.vertices[edge.from]
    const at = scopeOf(this.#graph, scope, edge.fromRegion)
    if (from === undefined || at === undefined) return 'dead'
    const status = at.status[from.local]
    const around = from.loop !== undefined && scope.region.path.includes(from.loop)
    if (status === BLOCKED) return 'blocked'
    if (around || status === DONE) return this.#outcome(scope, edge)
    return status === SKIPPED ? 'dead' : undefined
  }

  #outcome(scope: Scope, edge: PlanEdge): Outcome {
    return typeof edgeState(this.#graph, scope, edge) === 'object' ? 'alive' : 'dead'
  }

  #takeReady(): Task[] {
    while (this.#decided.length + this.#due.length + this.#touched.length > 0) {
      for (let next = this.#decided.pop(); next !== undefined; next = this.#decided.pop()) {
        this.#apply(next.scope, next.edge, next.outcome)
      }
      for (let next = this.#due.pop(); next !== undefined; next = this.#due.pop()) {
        this.#decide(next)
      }
      if (this.#touched.length === 0) break
      const touched = this.#touched
      this.#touched = []
      for (const task of touched) this.#pull(task)
    }
    const ready = this.#ready
    if (ready.length === 0) return NOTHING
    this.#ready = []
    return inNodeOrder(ready)
  }

  /** Never decides about the vertex itself, which could go on without end. */
  #apply(scope: Scope, edge: PlanEdge, outcome: Outcome): void {
    const vertex = this.#graph.vertices[edge.target]
    if (vertex === undefined) return
    const { local } = vertex
    if (outcome === 'blocked') {
      if (scope.status[local] === IDLE) this.failed({ scope, vertex })
      return
    }
    const waiting = (scope.waiting[local] ?? 0) - 1
    const marks = scope.marks[local] ?? 0
    scope.waiting[local] = waiting
    scope.marks[local] = marks | (outcome === 'alive' ? LIVE : DEAD)
    if (scope.status[local] !== IDLE) return
    if (waiting === 0) this.#due.push({ scope, vertex })
    else if ((marks & PULLED) === 0) this.#touched.push({ scope, vertex })
  }

  /** All edges of a vertex are decided: it starts, or is skipped (FE-30). */
  #decide(task: Task): void {
    const { scope, vertex } = task
    if (scope.status[vertex.local] !== IDLE) return
    const cycle = this.#cycleOf(scope, vertex)
    const marks = scope.marks[vertex.local] ?? 0
    const skipped = (marks & DEAD) !== 0 && (this.#strict || (marks & LIVE) === 0)
    if (
      cycle !== undefined &&
      (cycle.active.size > 0 || cycle.over || cycle.entry !== vertex.index)
    ) {
      if (cycle.holders.has(vertex.index)) this.#settleCycle(scope, cycle)
    } else if (!skipped) {
      this.#start(task)
    } else if (cycle === undefined) {
      this.#close(scope, vertex, SKIPPED)
    } else {
      this.#closeCycle(scope, cycle)
    }
  }

  #start(task: Task): void {
    const { scope, vertex } = task
    if (scope.status[vertex.local] !== IDLE) return
    scope.status[vertex.local] = STARTED
    this.#cycleOf(scope, vertex)?.active.add(vertex.index)
    this.#ready.push(task)
  }

  /** A vertex is settled: what waits for it is told. */
  #close(scope: Scope, vertex: PlanVertex, status: typeof DONE | typeof SKIPPED): void {
    scope.status[vertex.local] = status
    for (const edge of vertex.releases) {
      if (this.#slice.contains[edge.target] !== 1 || this.#takesOwnTurns(vertex, edge)) continue
      const region = this.#graph.vertices[edge.target]?.region ?? 0
      if (region === scope.region.index) {
        this.#apply(scope, edge, this.#ownOutcome(scope, vertex, edge))
        continue
      }
      for (const at of activeScopes(this.#graph, scope, region)) {
        this.#apply(at, edge, this.#outcome(scope, edge))
      }
    }
    scope.remaining -= 1
    if (scope.remaining === 0) this.#afterPass(scope)
  }

  /** As `#outcome`, for an edge that mostly begins at the vertex itself. */
  #ownOutcome(scope: Scope, vertex: PlanVertex, edge: PlanEdge): Outcome {
    const built = scope.built[vertex.local]
    if (edge.source !== vertex.index || built === undefined) return this.#outcome(scope, edge)
    return built.dead.size > 0 && built.dead.has(edge.output) ? 'dead' : 'alive'
  }

  #takesOwnTurns(vertex: PlanVertex, edge: PlanEdge): boolean {
    const target = this.#graph.vertices[edge.target]
    return vertex.cycle !== undefined && target?.cycle === vertex.cycle
  }

  /** FE-32: another pass while the loop's item is live, else the loop is over. */
  #afterLoop(scope: Scope, vertex: PlanVertex, built: Built): void {
    const again = vertex.incoming.some((edge) => edge.loopBack && !built.dead.has(edge.field))
    if (!again || vertex.loop === undefined) {
      this.#close(scope, vertex, DONE)
      return
    }
    const pass = this.#open(vertex.loop, scope)
    scope.passes ??= new Map()
    scope.passes.set(vertex.loop, new Set([pass]))
    scope.lastPass ??= new Map()
    scope.lastPass.set(vertex.loop, pass)
    if (pass.remaining === 0) this.#afterPass(pass)
  }

  #afterPass(pass: Scope): void {
    const { parent, region } = pass
    if (parent === undefined || region.loop === undefined) return
    this.scopes.delete(pass)
    this.#cycles.delete(pass)
    parent.passes?.delete(region.index)
    const vertex = this.#graph.vertices[region.loop]
    if (vertex !== undefined && parent.status[vertex.local] !== BLOCKED) {
      this.#ready.push({ scope: parent, vertex })
    }
  }

  #afterTurn(scope: Scope, vertex: PlanVertex, cycle: CycleRun): void {
    scope.status[vertex.local] = IDLE
    cycle.active.delete(vertex.index)
    const dead = scope.built[vertex.local]?.dead
    passTokens(cycle, vertex, (output) => dead?.has(output) !== true)
    this.#settleCycle(scope, cycle)
  }

  #settleCycle(scope: Scope, cycle: CycleRun): void {
    const { vertices } = this.#graph
    const ready = (member: number): boolean => scope.waiting[vertices[member]?.local ?? 0] === 0
    let turns = takeTurns(cycle, ready)
    while (turns.length > 0) {
      for (const [member, live] of turns) {
        const vertex = vertices[member]
        if (vertex === undefined) continue
        if (live) this.#start({ scope, vertex })
        else passTokens(cycle, vertex, () => false)
      }
      turns = takeTurns(cycle, ready)
    }
    for (const member of cycle.holders.keys()) {
      const vertex = vertices[member]
      if (vertex !== undefined && !ready(member)) this.#touched.push({ scope, vertex })
    }
    if (cycle.active.size === 0 && cycle.holders.size === 0) this.#closeCycle(scope, cycle)
  }

  /** Nothing is under way in the cycle: what waits for it is told. */
  #closeCycle(scope: Scope, cycle: CycleRun): void {
    if (cycle.over) return
    cycle.over = true
    for (const member of cycle.members) {
      const vertex = this.#graph.vertices[member]
      if (vertex === undefined) continue
      this.#close(scope, vertex, scope.built[vertex.local] === undefined ? SKIPPED : DONE)
    }
  }

  /** FE-13: starts what a waiting vertex still needs and nobody has started. */
  #pull(task: Task): void {
    const work = [task]
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const { scope, vertex } = item
      const marks = scope.marks[vertex.local] ?? 0
      const doomed = this.#strict && (marks & DEAD) !== 0
      if (scope.status[vertex.local] !== IDLE || (marks & PULLED) !== 0 || doomed) continue
      scope.marks[vertex.local] = marks | PULLED
      for (const edge of vertex.incoming) {
        if (edge.loopBack || edge.self || this.#slice.contains[edge.source] !== 1) continue
        const at = scopeOf(this.#graph, scope, edge.fromRegion)
        const from = this.#graph.vertices[this.#entryOf(edge.from)]
        if (at === undefined || from === undefined || at.status[from.local] !== IDLE) continue
        if (at.built[from.local] !== undefined) continue
        if (at.waiting[from.local] === 0) this.#start({ scope: at, vertex: from })
        else work.push({ scope: at, vertex: from })
      }
    }
  }

  /** An entered cycle begins at its entry, wherever it is needed. */
  #entryOf(index: number): number {
    const { entry } = this.#slice
    if (entry === undefined || this.#entered === undefined) return index
    return this.#graph.vertices[index]?.cycle === this.#entered ? entry : index
  }

  /** What is directly behind a vertex, its loop and the rest of its cycle included. */
  #dependents({ scope, vertex }: Task): Task[] {
    const { vertices, regions, cycles } = this.#graph
    const found: Task[] = []
    for (const edge of vertex.releases) {
      const target = vertices[edge.target]
      if (target === undefined || this.#slice.contains[edge.target] !== 1) continue
      for (const at of activeScopes(this.#graph, scope, target.region)) {
        found.push({ scope: at, vertex: target })
      }
    }
    const loop = regions[scope.region.index]?.loop
    const around = loop === undefined ? undefined : vertices[loop]
    if (around !== undefined && scope.parent !== undefined) {
      found.push({ scope: scope.parent, vertex: around })
    }
    if (this.#cycleOf(scope, vertex) !== undefined) {
      for (const member of cycles[vertex.cycle ?? -1] ?? []) {
        const other = vertices[member]
        if (other !== undefined) found.push({ scope, vertex: other })
      }
    }
    return found
  }
}

const NOTHING: Task[] = []

function bump(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1
}
