import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { hold, release } from './bars.ts'
import { blockDependents } from './block-dependents.ts'
import { controlsPasses, type Closed, type Cuts } from './cuts.ts'
import type { CycleRun } from './cycle-run.ts'
import { beginTurns, endTurn, isCycleOver } from './cycle-turns.ts'
import { beginPass, endIteration } from './loop-turns.ts'
import { outcomeOf, type EdgeOutcome } from './open-edges.ts'
import { openRoot } from './open-scope.ts'
import { pullAncestors } from './pull-ancestors.ts'
import { ScheduleState, type SchedulerOptions } from './schedule-state.ts'
import {
  activeScopes,
  BLOCKED,
  DEAD,
  DONE,
  IDLE,
  LIVE,
  outermostLoop,
  PULLED,
  SKIPPED,
  type Built,
  type Scope,
} from './scope.ts'
import { stalledVertices } from './stalled.ts'
import { Task } from './task.ts'

/**
 * Decides which vertices may be built and when, by counting the open edges of each vertex. It does not
 * recurse, visits each edge once, and runs nothing itself.
 */
export class Scheduler {
  readonly #state: ScheduleState
  readonly root: Scope

  constructor(options: SchedulerOptions) {
    this.#state = new ScheduleState(options)
    this.root = openRoot(this.#state)
  }

  /** Passes dropped because of a failure; their builds are to be stopped. */
  get cancelled(): Scope[] {
    return this.#state.cancelled
  }

  get cuts(): Cuts {
    return this.#state.cuts
  }

  /** Scopes that are not over. */
  get scopes(): readonly Scope[] {
    return [this.root, ...(this.#state.passes ?? [])]
  }

  /** Vertices that wait for a cycle, and those that wait for them. */
  stalled(): PlanVertex[] {
    const { graph, slice } = this.#state
    const { root, scopes } = this
    return stalledVertices({ graph, slice, root, scopes })
  }

  /** The first layer. */
  begin(): readonly Task[] {
    const { graph, slice } = this.#state
    for (const index of slice.firstLayer) {
      const vertex = graph.vertices[index]
      if (vertex !== undefined) {
        this.#state.start(new Task(this.root, outermostLoop(graph, vertex)))
      }
    }
    return this.#takeReady()
  }

  /** True if a vertex that waited for a free slot still has to be built. */
  wants({ scope, vertex }: Task): boolean {
    return !scope.cancelled && scope.status[vertex.local] !== BLOCKED
  }

  /** What a decision cuts off behind some of its closed outputs, in node order. */
  cutBehind({ scope, vertex }: Task, closed: Pick<Closed, 'outputs' | 'dead'>): readonly number[] {
    const cycle = this.#state.cycleOf(scope, vertex)
    return this.#state.cuts.behind({ ...closed, vertex, cycle })
  }

  /** Called when a vertex was built; returns the tasks that become ready, in start order. */
  finished(task: Task, built: Built): readonly Task[] {
    const { scope, vertex } = task
    scope.built[vertex.local] = built
    if (scope.status[vertex.local] === BLOCKED) return []
    const cycle = this.#state.cycleOf(scope, vertex)
    this.#cutOff(task, built, cycle)
    if (vertex.loop !== undefined) {
      if (!beginPass(this.#state, task, built)) this.#settle(scope, vertex, DONE)
    } else if (cycle === undefined) {
      this.#settle(scope, vertex, DONE)
    } else {
      endTurn(this.#state, task, cycle)
      if (isCycleOver(cycle)) this.#settleCycle(scope, cycle)
    }
    return this.#takeReady()
  }

  /** What a decision cuts off; in an entered cycle its last decision counts, when it is over. */
  #cutOff({ scope, vertex }: Task, { dead }: Built, cycle: CycleRun | undefined): void {
    if (dead.size === 0) {
      scope.cuts?.delete(vertex.index)
      return
    }
    if (controlsPasses(vertex)) return
    const cut = this.#state.cuts.behind({ vertex, outputs: dead, dead, cycle })
    if (cycle === undefined) this.#drop(scope, cut)
    else (scope.cuts ??= new Map()).set(vertex.index, new Set(cut))
  }

  /** Bars vertices that a decision of this scope cut off; in a pass, only those of the pass. */
  #drop(scope: Scope, cut: Iterable<number>): void {
    const state = this.#state
    const { graph, slice } = state
    const own = scope.region.index
    for (const index of cut) {
      const vertex = graph.vertices[index]
      if (vertex === undefined || slice.contains[index] !== 1) continue
      const { region } = vertex
      if (region !== own && graph.regions[region]?.path.includes(own) !== true) continue
      ;(scope.barred ??= new Set()).add(index)
      for (const at of activeScopes(graph, scope, region)) hold(state, at, vertex)
    }
  }

  /** Called when a vertex failed: nothing that depends on it is built. */
  failed(task: Task): void {
    blockDependents(this.#state, task)
  }

  #takeReady(): readonly Task[] {
    const state = this.#state
    const { decided, due } = state
    while (decided.length + due.length + state.touched.length > 0) {
      for (let next = decided.pop(); next !== undefined; next = decided.pop()) {
        this.#apply(next.scope, next.edge, next.outcome)
      }
      for (let next = due.pop(); next !== undefined; next = due.pop()) {
        this.#decide(next)
      }
      if (state.touched.length === 0) break
      const { touched } = state
      state.touched = []
      for (const task of touched) pullAncestors(state, task)
    }
    return state.takeReleased()
  }

  /** Never decides about the vertex itself, as that might not terminate. */
  #apply(scope: Scope, edge: PlanEdge, outcome: EdgeOutcome): void {
    const { graph, due, touched } = this.#state
    const vertex = graph.vertices[edge.target]
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
    const task = new Task(scope, vertex)
    if (waiting === 0) due.push(task)
    else if ((marks & PULLED) === 0) touched.push(task)
    if (waiting > 0 && scope.held !== undefined) release(this.#state, task, edge.source)
  }

  /** All edges of a vertex are decided, or it is cut off: starts or skips it. */
  #decide(task: Task): void {
    const { scope, vertex } = task
    if (scope.status[vertex.local] !== IDLE) return
    const state = this.#state
    const cycle = state.cycleOf(scope, vertex)
    const marks = scope.marks[vertex.local] ?? 0
    const isDead = (marks & DEAD) !== 0 && (state.strict || (marks & LIVE) === 0)
    const skipped = isDead || !state.mayRun(task)
    if (
      cycle !== undefined &&
      (cycle.active.size > 0 || cycle.over || cycle.entry !== vertex.index)
    ) {
      if (!cycle.holders.has(vertex.index)) return
      beginTurns(state, scope, cycle)
      if (isCycleOver(cycle)) this.#settleCycle(scope, cycle)
    } else if (!skipped) {
      state.start(task)
    } else if (cycle === undefined) {
      this.#settle(scope, vertex, SKIPPED)
    } else {
      this.#settleCycle(scope, cycle)
    }
  }

  /** Settles a vertex and decides the edges to the vertices that wait for it. */
  #settle(scope: Scope, vertex: PlanVertex, status: typeof DONE | typeof SKIPPED): void {
    const { graph, slice } = this.#state
    scope.status[vertex.local] = status
    for (const edge of vertex.releases) {
      if (slice.contains[edge.target] !== 1 || this.#staysInCycle(vertex, edge)) continue
      const region = graph.vertices[edge.target]?.region ?? 0
      if (region === scope.region.index) {
        this.#apply(scope, edge, this.#ownOutcome(scope, vertex, edge))
        continue
      }
      for (const at of activeScopes(graph, scope, region)) {
        this.#apply(at, edge, outcomeOf(graph, scope, edge))
      }
    }
    scope.remaining -= 1
    if (scope.remaining === 0) endIteration(this.#state, scope)
  }

  /** Like `outcomeOf`, for an edge that usually starts at the vertex itself. */
  #ownOutcome(scope: Scope, vertex: PlanVertex, edge: PlanEdge): EdgeOutcome {
    const built = scope.built[vertex.local]
    if (edge.source !== vertex.index || built === undefined)
      return outcomeOf(this.#state.graph, scope, edge)
    return built.dead.size > 0 && built.dead.has(edge.output) ? 'dead' : 'alive'
  }

  #staysInCycle(vertex: PlanVertex, edge: PlanEdge): boolean {
    return (
      vertex.cycle !== undefined && this.#state.graph.vertices[edge.target]?.cycle === vertex.cycle
    )
  }

  /** Called when no vertex of the cycle is running: settles its members. */
  #settleCycle(scope: Scope, cycle: CycleRun): void {
    if (cycle.over) return
    cycle.over = true
    const { cuts } = scope
    scope.cuts = undefined
    for (const cut of cuts?.values() ?? []) this.#drop(scope, cut)
    for (const member of cycle.members) {
      const vertex = this.#state.graph.vertices[member]
      if (vertex === undefined) continue
      this.#settle(scope, vertex, scope.built[vertex.local] === undefined ? SKIPPED : DONE)
    }
  }
}
