import { deadDownstream } from '../schedule/branches.ts'
import type { Decision } from '../schedule/decision.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { RunRequest } from '../context/run-request.ts'
import type { Task } from '../schedule/task.ts'
import type { TaskResult } from '../vertex/task-build.ts'

const NO_IDS: readonly string[] = []

/**
 * Computes `inactivated_vertices` of each end (FE-30): what a build excludes, and earlier exclusions still in
 * effect.
 */
export class InactivatedVertices {
  readonly #request: RunRequest
  /** Ids downstream of excluded outputs, by the excluding vertex. */
  #excluded: Map<number, readonly string[]> | undefined

  constructor(request: RunRequest) {
    this.#request = request
  }

  /** Called after a successful build; its decision is kept for the vertices downstream. */
  after(task: Task, { decision, branches }: TaskResult): readonly string[] {
    const { vertex, scope } = task
    if (branches.length > 0) {
      scope.decisions ??= new Map()
      scope.decisions.set(vertex.index, decision)
      this.#exclude(task, decision)
    }
    const excluded = this.excluded()
    if (decision.stopped.size === 0 && excluded.length === 0) return NO_IDS
    const stopped = decision.stopped.size === 0 ? [] : this.#behind(task, decision.dead)
    const ids = new Set(idsOf(stopped.filter((behind) => behind.incoming.length <= 1)))
    for (const id of excluded) ids.add(id)
    const { indexOf } = this.#request.graph
    return [...ids].toSorted((a, b) => (indexOf.get(a) ?? 0) - (indexOf.get(b) ?? 0))
  }

  /** Vertices excluded until their vertex decides again. */
  excluded(): readonly string[] {
    return this.#excluded?.size ? [...this.#excluded.values()].flat() : NO_IDS
  }

  #exclude(task: Task, { excluded }: Decision): void {
    const ids = idsOf(this.#behind(task, excluded))
    this.#excluded ??= new Map()
    if (ids.length === 0) this.#excluded.delete(task.vertex.index)
    else this.#excluded.set(task.vertex.index, ids)
  }

  #behind({ scope, vertex }: Task, outputs: ReadonlySet<string>): PlanVertex[] {
    const { graph, slice, strict } = this.#request
    return deadDownstream({ graph, slice, scope, vertex, outputs, strict })
  }
}

function idsOf(vertices: readonly PlanVertex[]): readonly string[] {
  return vertices.map((vertex) => vertex.id)
}
