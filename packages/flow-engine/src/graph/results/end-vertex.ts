import { createCutter, cutText } from '../events/cut-json.ts'
import type { VertexNotes } from '../events/vertex-notes.ts'
import type { RunContext } from '../context/run-context.ts'
import { CHARACTER_BYTES, longestText } from '../events/event-size.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import {
  eventJson,
  type RunEventData,
  type RunEventOf,
  type VertexDataJson,
} from '../events/run-event.ts'
import type { VertexResult } from '../context/run-options.ts'
import { buildView } from './format-response.ts'
import type { JsonValue } from '../values/format-value.ts'
import { formatDuration, vertexParts } from '../events/vertex-data.ts'

export interface EndVertexMetadata {
  readonly result: VertexResult
  readonly vertex: PlanVertex
  readonly notes: VertexNotes | undefined
  readonly inactivated: () => readonly string[]
  /** Vertices that became ready when it ended. */
  readonly ready: readonly { readonly vertex: PlanVertex }[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

/**
 * The `end_vertex` event. Its `build_data`, masked and truncated, is computed once on first
 * access.
 */
export class EndVertex implements RunEventOf<'end_vertex'> {
  /** Assigned when sent. */
  seq = -1
  readonly event = 'end_vertex'
  readonly result: VertexResult
  readonly #vertex: PlanVertex
  readonly #notes: VertexNotes | undefined
  readonly #inactivated: () => readonly string[]
  /** Usually a single vertex, which needs no array. */
  readonly #next: PlanVertex | readonly PlanVertex[]
  readonly #at: number
  readonly #run: RunContext
  #data: RunEventData['end_vertex'] | undefined = undefined

  constructor(facts: EndVertexMetadata, run: RunContext) {
    this.result = facts.result
    this.#vertex = facts.vertex
    this.#notes = facts.notes
    this.#inactivated = facts.inactivated
    this.#next = verticesOf(facts.ready)
    this.#at = facts.at
    this.#run = run
  }

  get data(): RunEventData['end_vertex'] {
    if (this.#data !== undefined) return this.#data
    const { result } = this
    const { error } = result
    const { limits: bounds, secrets } = this.#run
    const limits = error === undefined ? bounds : failureLimits(bounds)
    const params =
      error === undefined
        ? (this.#vertex.notice ?? null)
        : cutText(secrets.mask(error.detail), limits.textLength)
    const parts = { result, vertex: this.#vertex, notes: this.#notes }
    const next = [this.#next].flat()
    const inactivated = [...this.#inactivated()]
    const nextIds = [...new Set(next.map((vertex) => vertex.id))]
    const topIds = [...new Set(next.map((vertex) => vertex.topLevelId))]
    const reserved =
      longestBytes([result.id, params ?? '']) +
      longestBytes(inactivated) +
      longestBytes(nextIds) +
      longestBytes(topIds)
    this.#data = {
      build_data: {
        id: result.id,
        inactivated_vertices: inactivated,
        next_vertices_ids: nextIds,
        top_level_vertices: topIds,
        valid: result.valid,
        params,
        data: vertexDataJson(parts, { limits, secrets, reserved }),
        timestamp: new Date(this.#at).toISOString(),
      },
    }
    return this.#data
  }

  toJSON(): object {
    return eventJson(this)
  }
}

const NONE: readonly PlanVertex[] = []

function verticesOf(tasks: EndVertexMetadata['ready']): PlanVertex | readonly PlanVertex[] {
  const [only] = tasks
  if (only === undefined) return NONE
  return tasks.length === 1 ? only.vertex : tasks.map(({ vertex }) => vertex)
}

/** The failure text appears twice in its event, in addition to the keys. */
function failureLimits(limits: RunLimits): RunLimits {
  const { textLength, eventBytes } = limits
  return { ...limits, textLength: Math.min(textLength, Math.floor(longestText(eventBytes) * 0.4)) }
}

/** Upper bound of the encoded size of the strings of an event. */
function longestBytes(texts: readonly string[]): number {
  // Quotes and commas take less than one character.
  return texts.reduce((bytes, text) => bytes + (text.length + 1) * CHARACTER_BYTES, 0)
}

/** The `data` of a vertex build. */
export function vertexDataJson(
  { result, vertex, notes }: Pick<EndVertexMetadata, 'result' | 'vertex' | 'notes'>,
  {
    limits,
    secrets,
    reserved,
  }: Pick<RunContext, 'limits' | 'secrets'> & { readonly reserved: number },
): VertexDataJson {
  const parts = secrets.maskJson(vertexParts(buildView(result, vertex, notes), limits.items))
  const cutter = createCutter(limits, reserved)
  // Contains JSON values only, see vertexParts.
  const cut = <T>(part: T): T => cutter(part as unknown as JsonValue) as unknown as T
  return {
    results: cut(parts.results),
    outputs: cut(parts.outputs),
    logs: cut(parts.logs),
    artifacts: cut(parts.artifacts),
    // Counted twice, because it is encoded twice.
    message: cut(parts.artifacts),
    timedelta: result.durationMs / 1000,
    duration: formatDuration(result.durationMs),
    used_frozen_result: result.usedFrozenResult,
  }
}
