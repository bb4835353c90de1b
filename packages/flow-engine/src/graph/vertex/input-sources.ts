import type { InputSource } from '../../components/define/context.ts'
import type { CheckedRun } from '../context/checked-run.ts'
import type { PlanEdge, PlanVertex } from '../plan/plan-graph.ts'
import { edgeState } from '../schedule/scope.ts'
import type { Task } from '../schedule/task.ts'
import { planFields } from './field-plan.ts'

const MODEL_FIELDS = ['model_name', 'model_id', 'model'] as const

/** The sources of a field's edges that are not dead, with the model selected on each. */
export function sourcesOf({ vertex, scope }: Task, field: string, run: CheckedRun): InputSource[] {
  const { graph, tweaks } = run
  const delivers = (edge: PlanEdge): boolean =>
    edge.field === field && !edge.self && edgeState(graph, scope, edge) !== 'dead'
  return vertex.incoming.filter(delivers).flatMap((edge) => {
    const source = graph.vertices[edge.source]
    if (source === undefined) return []
    const { id: vertexId, type, displayName } = source
    const model = modelOf(source, tweaks.fields.get(source.index))
    return [{ vertexId, type, displayName, output: edge.output, model }]
  })
}

function modelOf(
  vertex: PlanVertex,
  tweaked: Parameters<typeof planFields>[1],
): string | undefined {
  const { fixed } = planFields(vertex, tweaked)
  for (const name of MODEL_FIELDS) {
    const value = fixed[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
