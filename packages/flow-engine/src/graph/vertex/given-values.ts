import type { PlanVertex } from '../plan/plan-graph.ts'
import type { VertexFields } from './field-plan.ts'
import { own } from '../flow/plain-object.ts'
import { takesInput, type RunRequest } from '../context/run-request.ts'

const NONE: ReadonlyMap<string, unknown> = new Map()

export interface GivenRequest {
  readonly vertex: PlanVertex
  readonly fields: VertexFields
  readonly request: RunRequest
}

/** Values the request sets on fields that no edge feeds: input, files, session, stream. */
export function givenValues({
  vertex,
  fields,
  request,
}: GivenRequest): ReadonlyMap<string, unknown> {
  const { session, stream, input } = fields.settable
  const named = request.inputs.get(vertex.index)
  if (!session && !stream && vertex.role !== 'input' && named === undefined) return NONE
  const values = new Map<string, unknown>()
  const { options, mode, sessionId } = request
  if (session) {
    const current = own(fields.fixed, 'session_id')
    const keeps = mode === 'build' && typeof current === 'string' && current !== ''
    if (!keeps) values.set('session_id', sessionId)
  }
  if (vertex.role === 'input' && takesInput(vertex, request)) {
    const { value, files = [] } = request.input
    if (value !== undefined && input) values.set('input_value', value)
    if (files.length > 0 && vertex.kind === 'chatInput') values.set('files', files)
  }
  if (stream && options.stream !== undefined && !Object.hasOwn(options.tweaks ?? {}, 'stream')) {
    values.set('stream', options.stream)
  }
  for (const [name, value] of named ?? []) values.set(name, value)
  return values
}
