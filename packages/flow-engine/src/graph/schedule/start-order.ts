import type { Task } from './task.ts'

/**
 * Sorts tasks that became ready together: by the place of their nodes in the flow, then by the age of their
 * scope. Usually they are sorted already.
 */
export function inStartOrder(tasks: readonly Task[]): readonly Task[] {
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
