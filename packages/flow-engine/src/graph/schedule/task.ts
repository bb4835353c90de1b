import type { OpenBuild } from '../context/run-reporter.ts'
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

  /** Called when its build has ended; returns false if its pass was abandoned before. */
  leave(): boolean {
    if (this.scope.cancelled) return false
    this.scope.running -= 1
    return true
  }
}
