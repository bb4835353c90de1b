import type { PlanGraph, PlanVertex } from '../plan/plan-graph.ts'
import type { GraphSlice } from '../plan/slice.ts'
import { createPooledArray } from '../values/create-pooled-array.ts'
import type { Cuts } from './cuts.ts'
import type { CycleRun } from './cycle-run.ts'
import type { Decided } from './open-edges.ts'
import { DEAD, IDLE, isBarred, STARTED, type Scope } from './scope.ts'
import { inStartOrder } from './start-order.ts'
import type { Task } from './task.ts'

export interface SchedulerOptions {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  /** A stopped branch stops every descendant. */
  readonly strict: boolean
  readonly cuts: Cuts
  /** True if dead edges leave a vertex without a value that it requires. */
  readonly lacksInput: (task: Task) => boolean
}

/** The state that the parts of a scheduler share. */
export class ScheduleState {
  readonly graph: PlanGraph
  readonly slice: GraphSlice
  readonly strict: boolean
  readonly cuts: Cuts
  readonly #lacksInput: (task: Task) => boolean
  /** The cycle that is entered, if any. */
  readonly entered: number | undefined
  /** Passes dropped because of a failure; their builds are to be stopped. */
  readonly cancelled: Scope[] = createPooledArray()
  /** Loop passes that are not over. */
  passes: Set<Scope> | undefined = undefined
  /** Entered cycles, by the scope in which their vertices take turns. */
  cycles: Map<Scope, CycleRun> | undefined = undefined
  /** Number of passes opened so far. */
  serial = 0
  /** Edges from outside a new scope that were decided already. */
  readonly decided: Decided[] = createPooledArray()
  /** Vertices all of whose edges are decided. */
  readonly due: Task[] = createPooledArray()
  /** Waiting vertices with a newly decided edge, whose ancestors may have to be started. */
  touched: Task[] = createPooledArray()
  /** Replaced rather than filled, because most ends release at most one task. */
  #released: Task[] = NOTHING

  constructor({ graph, slice, strict, cuts, lacksInput }: SchedulerOptions) {
    this.graph = graph
    this.slice = slice
    this.strict = strict
    this.cuts = cuts
    this.#lacksInput = lacksInput
    this.entered = slice.entry === undefined ? undefined : graph.vertices[slice.entry]?.cycle
  }

  /** The cycle in which a vertex takes turns. */
  cycleOf(scope: Scope, vertex: PlanVertex): CycleRun | undefined {
    if (vertex.cycle === undefined || vertex.cycle !== this.entered) return undefined
    return this.cycles?.get(scope)
  }

  /** False for a vertex that is cut off, or left without a value that it requires. */
  mayRun(task: Task): boolean {
    const { scope, vertex } = task
    if (isBarred(scope, vertex)) return false
    const hasDead = vertex.cycle !== undefined || ((scope.marks[vertex.local] ?? 0) & DEAD) !== 0
    return !hasDead || !this.#lacksInput(task)
  }

  /** Starts a vertex, unless it was started, settled or blocked before. */
  start(task: Task): void {
    const { scope, vertex } = task
    if (scope.status[vertex.local] !== IDLE) return
    scope.status[vertex.local] = STARTED
    this.cycleOf(scope, vertex)?.active.add(vertex.index)
    this.release(task)
  }

  /** Hands out a task whose vertex is started. */
  release(task: Task): void {
    // An exact-size array has no spare capacity.
    if (this.#released.length === 0) this.#released = [task]
    else this.#released.push(task)
  }

  /** The tasks released since the last call, in start order. */
  takeReleased(): readonly Task[] {
    const released = this.#released
    if (released.length === 0) return NOTHING
    this.#released = NOTHING
    return inStartOrder(released)
  }
}

const NOTHING: Task[] = []
