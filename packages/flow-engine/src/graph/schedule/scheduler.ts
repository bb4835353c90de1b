// Over 350 lines: one state machine that decides what may start; splitting it would expose its state.
import { dependentsOf } from './dependents.ts'
import { createCycleRun, passTokens, takeTurns, type CycleRun } from './cycle-run.ts'
import { LazySignal } from '../context/lazy-signal.ts'
import type { PlanEdge, PlanGraph, PlanVertex, Region } from '../plan/plan-graph.ts'
import {
  activeScopes,
  BLOCKED,
  DEAD,
  DONE,
  IDLE,
  LIVE,
  membersIn,
  outermostLoop,
  PULLED,
  Scope,
  scopeOf,
  SKIPPED,
  STARTED,
  type Built,
} from './scope.ts'
import { countOpenEdges, outcomeOf, type Decided, type EdgeOutcome } from './open-edges.ts'
import { addPass, cancelPasses, isLoopDue, keepReturned } from './parallel-passes.ts'
import type { GraphSlice } from '../plan/slice.ts'
import { inNodeOrder, Task } from './task.ts'
import { youngList } from '../values/young-list.ts'

export interface SchedulerOptions {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  /** A stopped branch stops every descendant (FE-30). */
  readonly strict: boolean
}

/**
 * Decides which vertices may be built and when, by counting the open edges of each vertex. It does not
 * recurse, visits each edge once (FE-14), and runs nothing itself.
 */
export class Scheduler {
  readonly #graph: PlanGraph
  readonly #slice: GraphSlice
  readonly #strict: boolean
  readonly root: Scope
  /** Passes dropped because of a failure; their builds are to be stopped (FE-32). */
  readonly cancelled: Scope[] = youngList()
  /** Loop passes that are not over. */
  #passes: Set<Scope> | undefined
  #cycles: Map<Scope, CycleRun> | undefined
  /** The cycle that is entered, if any. */
  readonly #entered: number | undefined
  #serial = 0
  /** Replaced rather than filled, because most ends release at most one task. */
  #ready: Task[] = NOTHING
  /** Edges from outside a new scope that were decided already. */
  #decided: Decided[] = youngList()
  /** Vertices all of whose edges are decided. */
  #due: Task[] = youngList()
  #touched: Task[] = youngList()

  constructor({ graph, slice, strict }: SchedulerOptions) {
    this.#graph = graph
    this.#slice = slice
    this.#strict = strict
    this.#entered = slice.entry === undefined ? undefined : graph.vertices[slice.entry]?.cycle
    this.root = this.#openRoot()
  }

  /** Scopes that are not over. */
  get scopes(): readonly Scope[] {
    return [this.root, ...(this.#passes ?? [])]
  }

  /** The first layer. */
  begin(): readonly Task[] {
    for (const index of this.#slice.firstLayer) {
      const vertex = this.#graph.vertices[index]
      if (vertex !== undefined) this.#start(new Task(this.root, outermostLoop(this.#graph, vertex)))
    }
    return this.#takeReady()
  }

  /** True if a vertex that waited for a free slot still has to be built. */
  wants({ scope, vertex }: Task): boolean {
    return !scope.cancelled && scope.status[vertex.local] !== BLOCKED
  }

  /** Called when a vertex was built; returns the tasks that become ready, in node order. */
  finished({ scope, vertex }: Task, built: Built): readonly Task[] {
    scope.built[vertex.local] = built
    if (scope.status[vertex.local] === BLOCKED) return []
    const cycle = this.#cycleOf(scope, vertex)
    if (vertex.loop !== undefined) this.#afterLoop(scope, vertex, built)
    else if (cycle === undefined) this.#close(scope, vertex, DONE)
    else this.#afterTurn(scope, vertex, cycle)
    return this.#takeReady()
  }

  /** Called when a vertex failed: nothing that depends on it is built (FE-61). */
  failed({ scope, vertex }: Task): void {
    scope.status[vertex.local] = BLOCKED
    const failed = new Task(scope, vertex)
    this.#cancelPasses(failed, scope)
    const work = [failed]
    for (let item = work.pop(); item !== undefined; item = work.pop()) {
      const takesTurns = this.#cycleOf(item.scope, item.vertex) !== undefined
      for (const next of dependentsOf(item, this.#graph, takesTurns)) {
        if (this.#slice.contains[next.vertex.index] !== 1) continue
        const status = next.scope.status[next.vertex.local]
        const holds = next.vertex.loop !== undefined || this.#cycleOf(next.scope, next.vertex)
        if (status !== IDLE && !(status === STARTED && holds)) continue
        next.scope.status[next.vertex.local] = BLOCKED
        this.#cancelPasses(next, item.scope)
        work.push(next)
      }
    }
  }

  /** Ends the passes of a loop that will not finish, except the one that failed (FE-32). */
  #cancelPasses({ scope, vertex }: Task, except: Scope): void {
    if (vertex.loop === undefined) return
    for (const pass of cancelPasses(scope, vertex.loop, except)) {
      this.#passes?.delete(pass)
      this.#cycles?.delete(pass)
      this.cancelled.push(pass)
    }
  }

  /** The cycle in which a vertex takes turns. */
  #cycleOf(scope: Scope, vertex: PlanVertex): CycleRun | undefined {
    if (vertex.cycle === undefined || vertex.cycle !== this.#entered) return undefined
    return this.#cycles?.get(scope)
  }

  #openRoot(): Scope {
    const { waiting } = this.#slice
    const region = this.#regionAt(0)
    const root = new Scope(region, { parent: undefined, serial: 0, waiting })
    if (waiting === undefined) this.#enter(root)
    else root.remaining = membersIn(region, this.#slice)
    return root
  }

  #regionAt(index: number): Region {
    const region = this.#graph.regions[index]
    if (region === undefined) throw new RangeError(`There is no region ${index}`)
    return region
  }

  /** Opens a pass of a loop that has just been built. */
  #openPass(parent: Scope, loop: number, opener: Built): Scope {
    const beside = parent.sideBySide?.get(loop)
    this.#serial += 1
    const pass = new Scope(this.#regionAt(loop), {
      parent,
      serial: this.#serial,
      opener,
      item: beside?.given,
      stop: beside === undefined ? undefined : new LazySignal(),
    })
    this.#enter(pass)
    this.#passes ??= new Set()
    this.#passes.add(pass)
    addPass(parent, loop, pass)
    return pass
  }

  /** Counts the open edges of a scope and enters its cycle. */
  #enter(scope: Scope): void {
    const { entry } = this.#slice
    const facts = { graph: this.#graph, slice: this.#slice, entered: this.#entered }
    for (const decided of countOpenEdges(scope, facts)) this.#decided.push(decided)
    const vertex = entry === undefined ? undefined : this.#graph.vertices[entry]
    if (vertex?.cycle === undefined || vertex.region !== scope.region.index) return
    const members = this.#graph.cycles[vertex.cycle] ?? []
    this.#cycles ??= new Map()
    this.#cycles.set(scope, createCycleRun(this.#graph, vertex.index, members))
  }

  #takeReady(): readonly Task[] {
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
    this.#ready = NOTHING
    return inNodeOrder(ready)
  }

  /** Never decides about the vertex itself, as that might not terminate. */
  #apply(scope: Scope, edge: PlanEdge, outcome: EdgeOutcome): void {
    const vertex = this.#graph.vertices[edge.target]
    if (vertex === undefined) return
    const { local } = vertex
    if (outcome === 'blocked') {
      if (scope.status[local] === IDLE) this.failed(new Task(scope, vertex))
      return
    }
    const waiting = (scope.waiting[local] ?? 0) - 1
    const marks = scope.marks[local] ?? 0
    scope.waiting[local] = waiting
    scope.marks[local] = marks | (outcome === 'alive' ? LIVE : DEAD)
    if (scope.status[local] !== IDLE) return
    if (waiting === 0) this.#due.push(new Task(scope, vertex))
    else if ((marks & PULLED) === 0) this.#touched.push(new Task(scope, vertex))
  }

  /** All edges of a vertex are decided: starts or skips it (FE-30). */
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
    this.#release(task)
  }

  /** Settles a vertex and notifies the vertices that wait for it. */
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
        this.#apply(at, edge, outcomeOf(this.#graph, scope, edge))
      }
    }
    scope.remaining -= 1
    if (scope.remaining === 0) this.#afterPass(scope)
  }

  /** Like `outcomeOf`, for an edge that usually starts at the vertex itself. */
  #ownOutcome(scope: Scope, vertex: PlanVertex, edge: PlanEdge): EdgeOutcome {
    const built = scope.built[vertex.local]
    if (edge.source !== vertex.index || built === undefined)
      return outcomeOf(this.#graph, scope, edge)
    return built.dead.size > 0 && built.dead.has(edge.output) ? 'dead' : 'alive'
  }

  #takesOwnTurns(vertex: PlanVertex, edge: PlanEdge): boolean {
    const target = this.#graph.vertices[edge.target]
    return vertex.cycle !== undefined && target?.cycle === vertex.cycle
  }

  /** FE-32: opens another pass while the loop's item output is live, else ends the loop. */
  #afterLoop(scope: Scope, vertex: PlanVertex, built: Built): void {
    const again = vertex.incoming.some((edge) => edge.loopBack && !built.dead.has(edge.field))
    if (!again || vertex.loop === undefined) {
      this.#close(scope, vertex, DONE)
      return
    }
    const pass = this.#openPass(scope, vertex.loop, built)
    const beside = scope.sideBySide?.get(vertex.loop)
    if (beside !== undefined) {
      beside.given += 1
      beside.building = false
    }
    if (pass.remaining === 0) this.#afterPass(pass)
    else if (beside !== undefined) this.#goOn(scope, vertex, vertex.loop)
  }

  #afterPass(pass: Scope): void {
    const { parent, region } = pass
    if (parent === undefined || region.loop === undefined) return
    this.#passes?.delete(pass)
    this.#cycles?.delete(pass)
    parent.passes?.get(region.index)?.delete(pass)
    const vertex = this.#graph.vertices[region.loop]
    if (vertex === undefined) return
    const passes = parent.sideBySide?.get(region.index)
    if (passes !== undefined) keepReturned(this.#graph, pass, { vertex, passes })
    this.#goOn(parent, vertex, region.index)
  }

  /** Builds a loop again when it is due: after each pass, or when its concurrent passes leave room. */
  #goOn(scope: Scope, vertex: PlanVertex, loop: number): void {
    if (scope.status[vertex.local] !== STARTED) return
    const beside = scope.sideBySide?.get(loop)
    if (beside !== undefined) {
      if (!isLoopDue(beside, scope.passes?.get(loop)?.size ?? 0)) return
      beside.building = true
    }
    this.#release(new Task(scope, vertex))
  }

  /** Starts with an exact-size array: it has no spare capacity. */
  #release(task: Task): void {
    if (this.#ready.length === 0) this.#ready = [task]
    else this.#ready.push(task)
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
        if (live) this.#start(new Task(scope, vertex))
        else passTokens(cycle, vertex, () => false)
      }
      turns = takeTurns(cycle, ready)
    }
    for (const member of cycle.holders.keys()) {
      const vertex = vertices[member]
      if (vertex !== undefined && !ready(member)) this.#touched.push(new Task(scope, vertex))
    }
    if (cycle.active.size === 0 && cycle.holders.size === 0) this.#closeCycle(scope, cycle)
  }

  /** Called when no vertex of the cycle is running: notifies the vertices that wait for it. */
  #closeCycle(scope: Scope, cycle: CycleRun): void {
    if (cycle.over) return
    cycle.over = true
    for (const member of cycle.members) {
      const vertex = this.#graph.vertices[member]
      if (vertex === undefined) continue
      this.#close(scope, vertex, scope.built[vertex.local] === undefined ? SKIPPED : DONE)
    }
  }

  /** FE-13: starts the ancestors a waiting vertex still needs. */
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
        if (at.waiting[from.local] === 0) this.#start(new Task(at, from))
        else work.push(new Task(at, from))
      }
    }
  }

  /** An entered cycle starts at its entry, whichever member is needed. */
  #entryOf(index: number): number {
    const { entry } = this.#slice
    if (entry === undefined || this.#entered === undefined) return index
    return this.#graph.vertices[index]?.cycle === this.#entered ? entry : index
  }
}

const NOTHING: Task[] = []
