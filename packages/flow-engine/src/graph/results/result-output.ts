import { invalidRequest } from '../../errors.ts'
import type { OutputRef } from '../draft/flow-draft.ts'
import type { RunResult } from '../context/run-options.ts'

/** Reads output values by vertex id or display name. */
export function outputReader(vertices: RunResult['vertices']): RunResult['output'] {
  return <T>(vertex: string | OutputRef<T>, name?: string): T | undefined =>
    (typeof vertex === 'string'
      ? outputOf(vertices, vertex, name)
      : outputOf(vertices, vertex.vertexId, vertex.name)) as T | undefined
}

function outputOf(
  vertices: RunResult['vertices'],
  vertex: string,
  name: string | undefined,
): unknown {
  const byName = (): unknown => [...vertices.values()].findLast((v) => v.displayName === vertex)
  const found = vertices.get(vertex) ?? (byName() as ReturnType<typeof vertices.get>)
  if (found === undefined) return undefined
  const { outputs } = found
  if (name !== undefined) return Object.hasOwn(outputs, name) ? outputs[name] : undefined
  const names = Object.keys(outputs)
  if (names.length > 1)
    throw invalidRequest(`${vertex} has the outputs ${names.join(', ')}: name one of them`)
  return outputs[names[0] ?? '']
}
