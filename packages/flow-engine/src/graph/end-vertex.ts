import { createCutter, cutText } from './cut-json.ts'
import type { RunContext } from './run-context.ts'
import type { PlanVertex } from './plan-graph.ts'
import type { VertexDataJson, VertexBuildJson } from './run-event.ts'
import type { VertexResult } from './run-options.ts'
import { buildView, type VertexNotes } from './run-result.ts'
import type { JsonValue } from './values/format-value.ts'
import { formatDuration, vertexParts } from './vertex-data.ts'

export interface EndVertex {
  readonly result: VertexResult
  readonly notes: VertexNotes
  readonly inactivated: readonly string[]
  readonly next: readonly PlanVertex[]
  readonly at: Date
}

/** The `build_data` of an `end_vertex` (events.md 2.6), masked and cut. */
export function endVertexData(end: EndVertex, { limits, secrets }: RunContext): VertexBuildJson {
  const { result, next } = end
  return {
    id: result.id,
    inactivated_vertices: [...end.inactivated],
    next_vertices_ids: [...new Set(next.map((vertex) => vertex.id))],
    top_level_vertices: [...new Set(next.map((vertex) => vertex.topLevelId))],
    valid: result.valid,
    params:
      result.error === undefined
        ? null
        : cutText(secrets.mask(result.error.detail), limits.textLength),
    data: vertexDataJson(end, { limits, secrets }),
    timestamp: end.at.toISOString(),
  }
}

/** The `data` of a vertex build (results.md 1). */
export function vertexDataJson(
  { result, notes }: Pick<EndVertex, 'result' | 'notes'>,
  { limits, secrets }: Pick<RunContext, 'limits' | 'secrets'>,
): VertexDataJson {
  const cut = createCutter(limits)
  // Made of JSON values only, see vertexParts.
  const parts = cut(secrets.maskJson(vertexParts(buildView(result, notes))) as unknown as JsonValue)
  const data = parts as unknown as ReturnType<typeof vertexParts>
  return {
    ...data,
    message: data.artifacts,
    timedelta: result.durationMs / 1000,
    duration: formatDuration(result.durationMs),
    used_frozen_result: result.usedFrozenResult,
  }
}
