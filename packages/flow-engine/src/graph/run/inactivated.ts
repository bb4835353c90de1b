import type { CheckedRun } from '../context/checked-run.ts'
import type { Decision } from '../schedule/decision.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import type { Task } from '../schedule/task.ts'
import type { TaskResult } from '../vertex/task-build.ts'

const NO_IDS: readonly string[] = []
const NONE: readonly number[] = []

/** What excluded outputs cut off, latest first. Never changed, so that an end can be asked later. */
interface Exclusion {
  /** Position of the vertex that excludes. */
  readonly by: number
  readonly cut: readonly number[]
  readonly before: Exclusion | undefined
}

/**
 * Computes `inactivated_vertices` of each end: what a build stops or excludes, and earlier exclusions
 * still in effect. The lists are made when they are asked for: all ends together name the exclusions of a
 * run many times.
 */
export class InactivatedVertices {
  readonly #run: CheckedRun
  readonly #scheduler: Pick<Scheduler, 'cutBehind'>
  #excluded: Exclusion | undefined
  readonly #excluding = new Set<number>()

  constructor(run: CheckedRun, scheduler: Pick<Scheduler, 'cutBehind'>) {
    this.#run = run
    this.#scheduler = scheduler
  }

  /** Called after a successful build; its decision is kept for the vertices downstream. */
  after(task: Task, { decision, branches }: TaskResult): () => readonly string[] {
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
  excluded(): () => readonly string[] {
    return this.#idsOf(NONE)
  }

  /** The ids of some vertices and of all that are excluded now, in node order. */
  #idsOf(stopped: readonly number[]): () => readonly string[] {
    const excluded = this.#excluded
    if (stopped.length === 0 && excluded === undefined) return nobody
    const { vertices } = this.#run.graph
    return () => {
      const found = new Set(stopped)
      for (let one = excluded; one !== undefined; one = one.before)
        for (const index of one.cut) found.add(index)
      return [...found].toSorted((a, b) => a - b).flatMap((index) => vertices[index]?.id ?? [])
    }
  }

  #exclude(task: Task, { excluded, dead }: Decision): void {
    const by = task.vertex.index
    const cut = this.#scheduler.cutBehind(task, { outputs: excluded, dead })
    if (this.#excluding.delete(by)) this.#excluded = without(this.#excluded, by)
    if (cut.length === 0) return
    this.#excluding.add(by)
    this.#excluded = { by, cut, before: this.#excluded }
  }
}

const nobody = (): readonly string[] => NO_IDS

function without(list: Exclusion | undefined, by: number): Exclusion | undefined {
  const kept: Exclusion[] = []
  for (let one = list; one !== undefined; one = one.before) if (one.by !== by) kept.push(one)
  return kept.reduceRight<Exclusion | undefined>((before, one) => ({ ...one, before }), undefined)
}
