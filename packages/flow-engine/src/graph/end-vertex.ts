import { createCutter, cutText } from './cut-json.ts'
import type { RunContext } from './run-context.ts'
import { longestText } from './event-size.ts'
import type { RunLimits } from './limits.ts'
import type { PlanVertex } from './plan-graph.ts'
import type { RunEventData, VertexBuildJson, VertexDataJson } from './run-event.ts'
import type { VertexResult } from './run-options.ts'
import { buildView, type VertexNotes } from './run-result.ts'
import type { JsonValue } from './values/format-value.ts'
import { formatDuration, vertexParts } from './vertex-data.ts'

export interface EndVertexFacts {
  readonly result: VertexResult
  readonly vertex: PlanVertex
  readonly notes: VertexNotes | undefined
  readonly inactivated: readonly string[]
  /** What its end has set going. */
  readonly ready: readonly { readonly vertex: PlanVertex }[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The end of a build; its `build_data` (events.md 2.6), masked and cut, is made once, when read. */
export class EndVertex {
  readonly result: VertexResult
  readonly #vertex: PlanVertex
  readonly #notes: VertexNotes | undefined
  readonly #inactivated: readonly string[]
  readonly #next: EndVertexFacts['ready']
  readonly #at: number
  readonly #run: RunContext
  #data: RunEventData['end_vertex'] | undefined

  constructor(facts: EndVertexFacts, run: RunContext) {
    this.result = facts.result
    this.#vertex = facts.vertex
    this.#notes = facts.notes
    this.#inactivated = facts.inactivated
    this.#next = facts.ready
    this.#at = facts.at
    this.#run = run
  }

  make(): RunEventData['end_vertex'] {
    return (this.#data ??= { build_data: this.#build() })
  }

  #build(): VertexBuildJson {
    const { result } = this
    const { error } = result
    const { secrets } = this.#run
    const limits = error === undefined ? this.#run.limits : failureLimits(this.#run.limits)
    const params =
      error === undefined ? null : cutText(secrets.mask(error.detail), limits.textLength)
    const parts = { result, vertex: this.#vertex, notes: this.#notes }
    return {
      id: result.id,
      inactivated_vertices: [...this.#inactivated],
      next_vertices_ids: [...new Set(this.#next.map(({ vertex }) => vertex.id))],
      top_level_vertices: [...new Set(this.#next.map(({ vertex }) => vertex.topLevelId))],
      valid: result.valid,
      params,
      data: vertexDataJson(parts, { limits, secrets }),
      timestamp: new Date(this.#at).toISOString(),
    }
  }
}

/** The text of a failure stands twice in its event. */
function failureLimits(limits: RunLimits): RunLimits {
  const { textLength, eventBytes } = limits
  return { ...limits, textLength: Math.min(textLength, Math.floor(longestText(eventBytes) / 2)) }
}

/** The `data` of a vertex build (results.md 1). */
export function vertexDataJson(
  { result, vertex, notes }: Pick<EndVertexFacts, 'result' | 'vertex' | 'notes'>,
  { limits, secrets }: Pick<RunContext, 'limits' | 'secrets'>,
): VertexDataJson {
  const cut = createCutter(limits)
  // Made of JSON values only, see vertexParts.
  const parts = cut(
    secrets.maskJson(vertexParts(buildView(result, vertex, notes))) as unknown as JsonValue,
  )
  const data = parts as unknown as ReturnType<typeof vertexParts>
  return {
    ...data,
    // Counted once more: it is encoded twice.
    message: cut(data.artifacts as JsonValue) as Record<string, unknown>,
    timedelta: result.durationMs / 1000,
    duration: formatDuration(result.durationMs),
    used_frozen_result: result.usedFrozenResult,
  }
}
