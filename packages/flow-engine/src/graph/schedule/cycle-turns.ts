import { passTokens, takeTurns, type CycleRun } from './cycle-run.ts'
import type { ScheduleState } from './schedule-state.ts'
import { IDLE, type Scope } from './scope.ts'
import { Task } from './task.ts'

/** Called when a vertex has taken its turn in an entered cycle: passes its tokens on. */
export function endTurn(state: ScheduleState, { scope, vertex }: Task, cycle: CycleRun): void {
  scope.status[vertex.local] = IDLE
  cycle.active.delete(vertex.index)
  const dead = scope.built[vertex.local]?.dead
  passTokens(cycle, vertex, (output) => dead?.has(output) !== true)
  beginTurns(state, scope, cycle)
}

/** Starts the members whose turn it is. */
export function beginTurns(state: ScheduleState, scope: Scope, cycle: CycleRun): void {
  const { vertices } = state.graph
  const ready = (member: number): boolean => scope.waiting[vertices[member]?.local ?? 0] === 0
  let turns = takeTurns(cycle, ready)
  while (turns.length > 0) {
    for (const [member, live] of turns) {
      const vertex = vertices[member]
      if (vertex === undefined) continue
      const task = new Task(scope, vertex)
      if (live && state.mayRun(task)) state.start(task)
      else passTokens(cycle, vertex, () => false)
    }
    turns = takeTurns(cycle, ready)
  }
  for (const member of cycle.holders.keys()) {
    const vertex = vertices[member]
    if (vertex !== undefined && !ready(member)) state.touched.push(new Task(scope, vertex))
  }
}

/** True if no member is being built or will get another turn. */
export function isCycleOver({ active, holders }: CycleRun): boolean {
  return active.size === 0 && holders.size === 0
}
