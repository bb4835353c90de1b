import type { PlanVertex } from '../plan/plan-graph.ts'
import { warning } from '../flow/problems.ts'
import { isEmpty, type VertexFields } from './field-plan.ts'
import { takesInput, type CheckedRun } from '../context/checked-run.ts'

const NONE: ReadonlyMap<string, unknown> = new Map()

export interface GivenPlace {
  readonly vertex: PlanVertex
  readonly fields: VertexFields
  readonly run: CheckedRun
}

/** Values the request sets on fields that no edge feeds: input, files, session, stream. */
export function givenValues({ vertex, fields, run }: GivenPlace): ReadonlyMap<string, unknown> {
  const { session, stream, input } = fields.settable
  const named = run.inputs.get(vertex.index)
  if (!session && !stream && vertex.role !== 'input' && named === undefined) return NONE
  const values = new Map<string, unknown>()
  const { options, sessionId } = run
  if (session && !keepsSession({ vertex, fields, run })) {
    values.set('session_id', sessionId)
  }
  if (vertex.role === 'input' && takesInput(vertex, run)) {
    const { value, files = [] } = run.input
    if (value !== undefined && input) values.set('input_value', value)
    if (files.length > 0 && vertex.kind === 'chatInput') values.set('files', files)
  }
  if (stream && options.stream !== undefined && !Object.hasOwn(options.tweaks ?? {}, 'stream')) {
    values.set('stream', options.stream)
  }
  for (const [name, value] of named ?? []) values.set(name, value)
  return values
}

/** True if the session of the node is used, not that of the run. */
function keepsSession({ vertex, fields, run }: GivenPlace): boolean {
  const stored = fields.fields.find(({ name }) => name === 'session_id')
  const own = stored?.variable ?? stored?.value
  if (typeof own !== 'string' || isEmpty(own)) return false
  if (run.mode === 'build') return true
  if (vertex.component.keepsSession !== true) return false
  if (run.tweaks.fields.get(vertex.index)?.has('session_id') === true) return true
  const { sessionId = '' } = run.options
  if (sessionId === '') return true
  if (own !== sessionId) {
    const text = `${vertex.displayName} reads the session of the request, not the one stored in it`
    run.warn(warning('session_replaced', text, { nodeId: vertex.id, field: 'session_id' }))
  }
  return false
}
