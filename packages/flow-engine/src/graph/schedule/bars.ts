import type { PlanVertex } from '../plan/plan-graph.ts'
import type { ScheduleState } from './schedule-state.ts'
import { IDLE, isBarred, scopeOf, STARTED, type Scope } from './scope.ts'
import { Task } from './task.ts'

/** Members of a new pass that a decision around the loop cut off will not run. */
export function barMembers(state: ScheduleState, pass: Scope): void {
  const { graph, slice } = state
  if (!hasBars(pass)) return
  for (const member of pass.region.members) {
    const vertex = graph.vertices[member]
    if (vertex === undefined || slice.contains[member] !== 1 || !isBarred(pass, vertex)) continue
    hold(state, pass, vertex)
  }
}

function hasBars(scope: Scope): boolean {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.barred !== undefined) return true
  }
  return false
}

/**
 * Lets a vertex that is cut off be settled as soon as no open edge can bring another decision: what comes
 * after it may be cut off by that one.
 */
export function hold(state: ScheduleState, scope: Scope, vertex: PlanVertex): void {
  if (scope.status[vertex.local] !== IDLE || state.cycleOf(scope, vertex) !== undefined) return
  let open = 0
  for (const edge of vertex.incoming) {
    if (edge.self || edge.loopBack || state.slice.contains[edge.source] !== 1) continue
    if (state.cuts.isFree(edge.source)) continue
    const from = state.graph.vertices[edge.from]
    const at = scopeOf(state.graph, scope, edge.fromRegion)
    const status = from === undefined ? undefined : at?.status[from.local]
    const isAround = from?.loop !== undefined && scope.region.path.includes(from.loop)
    if (!isAround && (status === IDLE || status === STARTED)) open += 1
  }
  if (open === 0) state.due.push(new Task(scope, vertex))
  else (scope.held ??= new Map()).set(vertex.local, open)
}

/** Called when an edge into a vertex was decided, while other edges are open. */
export function release(state: ScheduleState, { scope, vertex }: Task, source: number): void {
  const open = scope.held?.get(vertex.local)
  if (open === undefined || state.cuts.isFree(source)) return
  scope.held?.set(vertex.local, open - 1)
  if (open === 1) state.due.push(new Task(scope, vertex))
}
