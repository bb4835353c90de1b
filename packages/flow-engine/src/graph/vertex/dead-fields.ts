import { own, ownObject, type PlainObject } from '@x/wire'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { CheckedRun } from '../context/checked-run.ts'
import { edgeState } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import { isEmpty, planFields } from './field-plan.ts'

const NONE: ReadonlySet<string> = new Set()

/** The fields of a vertex whose edges are all dead: they have their stored values. */
export function deadFields(
  { scope, vertex }: Task,
  { graph }: Pick<CheckedRun, 'graph'>,
): ReadonlySet<string> {
  let dead: Set<string> | undefined
  let live: Set<string> | undefined
  for (const edge of vertex.incoming) {
    if (edge.self) continue
    const isDead = !edge.loopBack && edgeState(graph, scope, edge) === 'dead'
    if (isDead) (dead ??= new Set()).add(edge.field)
    else (live ??= new Set()).add(edge.field)
  }
  if (dead === undefined) return NONE
  for (const field of live ?? NONE) dead.delete(field)
  return dead
}

/** True if dead edges leave a required field without a value: nothing was delivered to the vertex. */
export function lacksInput(task: Task, run: CheckedRun): boolean {
  const dead = deadFields(task, run)
  if (dead.size === 0) return false
  const { vertex } = task
  const tweaks = run.tweaks.fields.get(vertex.index)
  const { fields } = planFields(vertex, tweaks, dead)
  return fields.some(
    ({ name, type, required, variable, value }) =>
      dead.has(name) &&
      (required || (type === 'model' && requiresModel(vertex, name, tweaks))) &&
      isEmpty(variable) &&
      isEmpty(value),
  )
}

function requiresModel(
  { template, toolMode }: PlanVertex,
  name: string,
  tweaks: ReadonlyMap<string, PlainObject> | undefined,
): boolean {
  const given = tweaks?.get(name) ?? ownObject(template, name) ?? {}
  return !toolMode && own(given, 'required') === true && own(given, 'show') !== false
}
