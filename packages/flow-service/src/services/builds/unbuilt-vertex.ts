import type { PlanVertex } from '@x/flow-engine/internal'
import type { VertexBuildJson } from '@x/flow-engine'

/** The response for a vertex that waits for another one to be built. */
export function describeUnbuilt(
  vertex: PlanVertex,
  { displayName }: Pick<PlanVertex, 'displayName'>,
  now?: Date,
): VertexBuildJson {
  return describeFailure(vertex, `Component ${displayName} has not been built yet`, now)
}

/** The response for a vertex that cannot be built. */
export function describeFailure(
  { id, outputs }: PlanVertex,
  errorMessage: string,
  now: Date = new Date(0),
): VertexBuildJson {
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
