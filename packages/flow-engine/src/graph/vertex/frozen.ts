import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { CachedResult } from '../context/cache.ts'
import type { PlanVertex } from '../plan/plan-graph.ts'
import type { VertexFields } from './field-plan.ts'
import type { BranchCall } from '../schedule/decision.ts'
import type { VertexNotes } from '../events/vertex-notes.ts'
import { isData } from '../values/data.ts'
import { isDataFrame } from '../values/data-frame.ts'
import { formatValue } from '../values/format-value.ts'
import { isMessage } from '../values/message.ts'

/** The part of a build that is stored for a frozen vertex: values, notes and branch calls. */
export interface FrozenResult extends CachedResult, VertexNotes {
  readonly branches: readonly BranchCall[]
}

export interface KeyRequest {
  readonly vertex: PlanVertex
  readonly fields: VertexFields
  readonly userId: string | undefined
  readonly flowId: string
  /** 1, except in loops and cycles, where every build has its own result. */
  readonly build: number
}

/** The last key of a vertex: most builds of a plan have the same owner, flow and settings. */
const lastKeys = new WeakMap<VertexFields, { readonly of: KeyRequest; readonly key: string }>()

export function resultKey(request: KeyRequest): string {
  const last = lastKeys.get(request.fields)
  if (last !== undefined && isSame(last.of, request)) return last.key
  const key = makeKey(request)
  lastKeys.set(request.fields, { of: request, key })
  return key
}

function isSame(one: KeyRequest, other: KeyRequest): boolean {
  return (
    one.vertex === other.vertex &&
    one.userId === other.userId &&
    one.flowId === other.flowId &&
    one.build === other.build
  )
}

/**
 * Derived from owner, flow, vertex, component and the vertex's own settings. Inputs from edges are not
 * included, because freezing keeps the result whatever they become.
 */
function makeKey({ vertex, fields, userId, flowId, build }: KeyRequest): string {
  const settings = fields.fields
    .filter(({ edges, secret }) => edges.length === 0 && !secret)
    .map(({ name, value, variable }) => [name, variable ?? null, identity(value ?? null)])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  const { component } = vertex
  const text = JSON.stringify([
    userId ?? null,
    flowId,
    vertex.id,
    component.type,
    component.version ?? '',
    vertex.computed,
    settings,
    build,
  ])
  return bytesToHex(sha256(utf8ToBytes(text)))
}

const firstPlaces = new WeakMap<PlanVertex, string>()

/** Identifies the vertex and its build within loops, regardless of its settings. */
export function placeOf(vertex: PlanVertex, build: number): string {
  const known = build === 1 ? firstPlaces.get(vertex) : undefined
  if (known !== undefined) return known
  const place = bytesToHex(sha256(utf8ToBytes(JSON.stringify([vertex.id, build]))))
  if (build === 1) firstPlaces.set(vertex, place)
  return place
}

/** A value without the parts that differ between runs: ids and times of messages. */
export function identity(value: unknown): unknown {
  if (isMessage(value)) {
    const { text, sender, senderName, contextId, files } = value
    return ['message', text, sender, senderName, contextId, formatValue(files)]
  }
  if (isData(value)) return ['data', formatValue(value.data), value.textKey]
  // A missing cell is not the same as null: their text differs.
  if (isDataFrame(value)) return ['dataframe', formatValue(value.rows)]
  return Array.isArray(value) ? value.map(identity) : formatValue(value)
}

export function isFrozenResult(value: CachedResult): value is FrozenResult {
  return 'branches' in value && 'logs' in value
}
