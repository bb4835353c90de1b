import type { OpenBuild } from '../context/run-teller.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { Scope } from './scope.ts'

/** A vertex to build in a scope. A class, not a literal (decision 009). */
export class Task {
  readonly scope: Scope
  readonly vertex: PlanVertex
  /** With hooks: its open build, whose end is still to be reported. */
  open: OpenBuild | undefined = undefined

  constructor(scope: Scope, vertex: PlanVertex) {
    this.scope = scope
    this.vertex = vertex
  }
}

/** Sorts tasks that became ready together into start order (FE-14); usually they are sorted already. */
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
