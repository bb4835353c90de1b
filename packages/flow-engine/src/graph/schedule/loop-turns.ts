import type { PlanVertex } from '../plan/plan-graph.ts'
import { openPass } from './open-scope.ts'
import { isLoopDue, keepReturned } from './parallel-passes.ts'
import type { ScheduleState } from './schedule-state.ts'
import { STARTED, type Built, type Scope } from './scope.ts'
import { Task } from './task.ts'

/** Opens another pass if the loop that was just built has an item for it; false if the loop is over. */
export function beginPass(state: ScheduleState, { scope, vertex }: Task, built: Built): boolean {
  const { loop } = vertex
  const again = vertex.incoming.some((edge) => edge.loopBack && !built.dead.has(edge.field))
  if (!again || loop === undefined) return false
  const pass = openPass(state, scope, { loop, opener: built })
  const beside = scope.sideBySide?.get(loop)
  if (beside !== undefined) {
    beside.given += 1
    beside.building = false
  }
  if (pass.remaining === 0) endIteration(state, pass)
  else if (beside !== undefined) rebuildWhenDue(state, scope, vertex)
  return true
}

/** Called when every vertex of a pass is settled. */
export function endIteration(state: ScheduleState, pass: Scope): void {
  const { parent, region } = pass
  if (parent === undefined || region.loop === undefined) return
  state.passes?.delete(pass)
  state.cycles?.delete(pass)
  parent.passes?.get(region.index)?.delete(pass)
  const vertex = state.graph.vertices[region.loop]
  if (vertex === undefined) return
  const passes = parent.sideBySide?.get(region.index)
  if (passes !== undefined) keepReturned(state.graph, pass, { vertex, passes })
  rebuildWhenDue(state, parent, vertex)
}

/** Builds a loop again after each pass, or when its concurrent passes leave room. */
function rebuildWhenDue(state: ScheduleState, scope: Scope, vertex: PlanVertex): void {
  const { local, loop } = vertex
  if (scope.status[local] !== STARTED || loop === undefined) return
  const beside = scope.sideBySide?.get(loop)
  if (beside !== undefined) {
    if (!isLoopDue(beside, scope.passes?.get(loop)?.size ?? 0)) return
    beside.building = true
  }
  state.release(new Task(scope, vertex))
}
