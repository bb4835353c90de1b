import type { CheckedRun } from '../context/checked-run.ts'
import type { Decision } from '../schedule/decision.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { Task } from '../schedule/task.ts'
import type { TaskResult } from '../vertex/task-build.ts'

const NO_IDS: readonly string[] = []
const NONE: readonly number[] = []

/**
 * Computes `inactivated_vertices` of each end: what a build stops or excludes, and earlier exclusions
 * still in effect.
 */
export class InactivatedVertices {
  readonly #run: CheckedRun
  readonly #scheduler: Pick<Scheduler, 'cutBehind'>
  /** What excluded outputs cut off, by the excluding vertex. */
  #excluded: Map<number, readonly number[]> | undefined

  constructor(run: CheckedRun, scheduler: Pick<Scheduler, 'cutBehind'>) {
    this.#run = run
    this.#scheduler = scheduler
  }

  /** Called after a successful build; its decision is kept for the vertices downstream. */
  after(task: Task, { decision, branches }: TaskResult): readonly string[] {
    const { vertex, scope } = task
    if (branches.length > 0) {
      scope.decisions ??= new Map()
      scope.decisions.set(vertex.index, decision)
      this.#exclude(task, decision)
    }
    const { vertices } = this.#run.graph
    const { dead, stopped } = decision
    const cut = stopped.size === 0 ? NONE : this.#scheduler.cutBehind(task, { outputs: dead, dead })
    return this.#idsOf(cut.filter((index) => (vertices[index]?.incoming.length ?? 0) <= 1))
  }

  /** Vertices excluded until their vertex decides again. */
  excluded(): readonly string[] {
    return this.#idsOf(NONE)
  }

  /** The ids of some vertices and of all that are excluded, in node order. */
  #idsOf(stopped: readonly number[]): readonly string[] {
    const excluded = this.#excluded?.size ? [...this.#excluded.values()].flat() : NONE
    if (stopped.length + excluded.length === 0) return NO_IDS
    const { vertices } = this.#run.graph
    const all = [...new Set([...stopped, ...excluded])].toSorted((a, b) => a - b)
    return all.flatMap((index) => vertices[index]?.id ?? [])
  }

  #exclude(task: Task, { excluded, dead }: Decision): void {
    const { vertex } = task
    const cut = this.#scheduler.cutBehind(task, { outputs: excluded, dead })
    this.#excluded ??= new Map()
    if (cut.length === 0) this.#excluded.delete(vertex.index)
    else this.#excluded.set(vertex.index, cut)
  }
}
