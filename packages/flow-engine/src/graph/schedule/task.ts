import type { OpenBuild } from '../context/run-teller.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { Scope } from './scope.ts'

/** A vertex to build in a scope. A class, not a literal (decision 009). */
export class Task {
  readonly scope: Scope
  readonly vertex: PlanVertex
  /** Where hooks look into the run: its build, whose end they are still to be told. */
  open: OpenBuild | undefined = undefined

  constructor(scope: Scope, vertex: PlanVertex) {
    this.scope = scope
    this.vertex = vertex
  }
}

/** Tasks that became ready together, as they start (FE-14); mostly they are in order already. */
export function inNodeOrder(tasks: readonly Task[]): readonly Task[] {
  for (let at = 1; at < tasks.length; at += 1) {
    const one = tasks[at - 1]
    const next = tasks[at]
    if (one !== undefined && next !== undefined && comparePlaces(one, next) > 0) {
      return tasks.toSorted(comparePlaces)
    }
  }
  return tasks
}

function comparePlaces(a: Task, b: Task): number {
  return a.vertex.index - b.vertex.index || a.scope.serial - b.scope.serial
}
