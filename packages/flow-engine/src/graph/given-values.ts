import type { PlanVertex } from './plan-graph.ts'
import { templateValue } from './vertex-plan.ts'
import { own, type PlainObject } from './plain-object.ts'
import { takesInput, type RunRequest } from './run-request.ts'

const NONE: ReadonlyMap<string, unknown> = new Map()

/** Values that the request sets on fields which no edge feeds: input, files, session, stream (FE-20, FE-22). */
export function givenValues(
  vertex: PlanVertex,
  request: RunRequest,
  tweaked: ReadonlyMap<string, PlainObject> | undefined,
): ReadonlyMap<string, unknown> {
  let values: Map<string, unknown> | undefined
  const set = (field: string, value: unknown): void => {
    if (vertex.incoming.some((edge) => edge.field === field)) return
    values ??= new Map()
    values.set(field, value)
  }
  const { input, options, mode, sessionId } = request
  if (hasField(vertex, 'session_id')) {
    const current = tweaked?.has('session_id')
      ? own(tweaked.get('session_id') ?? {}, 'value')
      : templateValue(vertex, 'session_id')
    const keeps = mode === 'build' && typeof current === 'string' && current !== ''
    if (!keeps) set('session_id', sessionId)
  }
  if (vertex.role === 'input' && takesInput(vertex, request)) {
    if (input.value !== undefined && hasField(vertex, 'input_value'))
      set('input_value', input.value)
    if (input.files !== undefined && input.files.length > 0 && vertex.kind === 'chatInput') {
      set('files', input.files)
    }
  }
  const wantsStream = options.stream !== undefined && !Object.hasOwn(options.tweaks ?? {}, 'stream')
  if (wantsStream && hasField(vertex, 'stream')) set('stream', options.stream)
  return values ?? NONE
}

function hasField({ template, component }: PlanVertex, name: string): boolean {
  return Object.hasOwn(template, name) || Object.hasOwn(component.inputs, name)
}
