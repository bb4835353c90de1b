import type { PlanVertex } from '../graph/plan-graph.ts'
import type { VertexBuildJson } from '../graph/run-event.ts'

/** The answer for a vertex that waits for another one to be built. */
export function describeUnbuilt(
  { id, outputs }: PlanVertex,
  { displayName }: Pick<PlanVertex, 'displayName'>,
  now: Date = new Date(0),
): VertexBuildJson {
  const errorMessage = `Component ${displayName} has not been built yet`
  const [first] = outputs
  const failure = { message: { errorMessage, stackTrace: '' }, type: 'error' }
  return {
    id,
    inactivated_vertices: [],
    next_vertices_ids: [],
    top_level_vertices: [],
    valid: false,
    params: errorMessage,
    data: {
      results: {},
      outputs: first === undefined ? {} : Object.fromEntries([[first, failure]]),
      logs: {},
      artifacts: {},
      message: {},
      timedelta: 0,
      duration: '0 ms',
      used_frozen_result: false,
    },
    timestamp: now.toISOString(),
  }
}
