import { jsonExcess } from './json-excess.ts'

/** Maximum nesting depth of untrusted JSON. */
const MAX_DEPTH = 200
/** Maximum number of values in untrusted JSON: members and items at all levels. */
const MAX_VALUES = 1_000_000

/** Describes why a JSON text is too expensive to parse; null if it is not. */
export function jsonProblem(text: string): string | null {
  const excess = jsonExcess(text, { depth: MAX_DEPTH, values: MAX_VALUES })
  if (excess === null) return null
  return excess === 'depth' ? 'nested too deeply' : `more than ${MAX_VALUES} values`
}
