import type { ScheduleState } from './schedule-state.ts'
import { DEAD, IDLE, PULLED, scopeOf, isBarred } from './scope.ts'
import { Task } from './task.ts'

/** Starts the ancestors that a waiting vertex still needs. */
export function pullAncestors(state: ScheduleState, task: Task): void {
  const { graph, slice } = state
  const work = [task]
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { scope, vertex } = item
    const marks = scope.marks[vertex.local] ?? 0
    const doomed = state.strict && (marks & DEAD) !== 0
    if (scope.status[vertex.local] !== IDLE || (marks & PULLED) !== 0 || doomed) continue
    scope.marks[vertex.local] = marks | PULLED
    const barred = isBarred(scope, vertex)
    for (const edge of vertex.incoming) {
      if (edge.loopBack || edge.self || slice.contains[edge.source] !== 1) continue
      if (barred && state.cuts.isFree(edge.source)) continue
      const at = scopeOf(graph, scope, edge.fromRegion)
      const from = graph.vertices[entryOf(state, edge.from)]
      if (at === undefined || from === undefined || at.status[from.local] !== IDLE) continue
      if (at.built[from.local] !== undefined) continue
      if (at.waiting[from.local] === 0) state.start(new Task(at, from))
      else work.push(new Task(at, from))
    }
  }
}

/** An entered cycle starts at its entry, whichever member is needed. */
function entryOf({ graph, slice, entered }: ScheduleState, index: number): number {
  if (slice.entry === undefined || entered === undefined) return index
  return graph.vertices[index]?.cycle === entered ? slice.entry : index
}
