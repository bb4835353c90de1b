import { dependentsOf } from './dependents.ts'
import { cancelPasses } from './parallel-passes.ts'
import type { ScheduleState } from './schedule-state.ts'
import { BLOCKED, IDLE, STARTED, type Scope } from './scope.ts'
import { Task } from './task.ts'

/** Blocks a vertex that failed and everything that depends on it, so that none of it is built. */
export function blockDependents(state: ScheduleState, { scope, vertex }: Task): void {
  const { graph, slice } = state
  scope.status[vertex.local] = BLOCKED
  const failed = new Task(scope, vertex)
  dropPasses(state, failed, scope)
  const work = [failed]
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const takesTurns = state.cycleOf(item.scope, item.vertex) !== undefined
    for (const next of dependentsOf(item, graph, takesTurns)) {
      if (slice.contains[next.vertex.index] !== 1) continue
      const status = next.scope.status[next.vertex.local]
      const holds = next.vertex.loop !== undefined || state.cycleOf(next.scope, next.vertex)
      if (status !== IDLE && !(status === STARTED && holds)) continue
      next.scope.status[next.vertex.local] = BLOCKED
      dropPasses(state, next, item.scope)
      work.push(next)
    }
  }
}

/** Ends the passes of a loop that will not finish, except the one that failed. */
function dropPasses(state: ScheduleState, { scope, vertex }: Task, except: Scope): void {
  if (vertex.loop === undefined) return
  for (const pass of cancelPasses(scope, vertex.loop, except)) {
    state.passes?.delete(pass)
    state.cycles?.delete(pass)
    state.cancelled.push(pass)
  }
}
