import type { RunResult, VertexResult } from '../context/run-options.ts'
import { toText } from '../values/convert.ts'
import { formatValue } from '../values/format-value.ts'
import { isMessage } from '../values/message.ts'
import { formatText } from '../events/vertex-data.ts'

/** Text of the given vertex, else of the first selected one that has text. */
export function resultText(
  result: Pick<RunResult, 'outputs' | 'vertices'>,
  component: string | undefined,
): string | undefined {
  if (component === undefined) {
    return result.outputs.map(vertexText).find((text) => text !== undefined)
  }
  const byName = [...result.vertices.values()].findLast((v) => v.displayName === component)
  const vertex = result.vertices.get(component) ?? byName
  return vertex === undefined ? undefined : vertexText(vertex)
}

/** The first textual output: a message, a string, or Data with its own text. */
function vertexText({ outputs }: VertexResult): string | undefined {
  const values = Object.values(outputs)
  const value = values.find((item) => isMessage(item) || typeof item === 'string')
  if (typeof value === 'string') return value
  if (isMessage(value)) return formatText(value)
  const [first] = values
  return first === undefined || first === null || typeof formatValue(first) !== 'object'
    ? undefined
    : toText(first)
}
