import { jsonExcess } from '@x/wire'

/** Deepest nesting of a JSON text from outside. */
const MAX_DEPTH = 200
/** Values of a JSON text from outside: members and items, on all levels. */
const MAX_VALUES = 1_000_000

/** What makes a JSON text too heavy to be parsed (abuse.md AB-52); null where nothing does. */
export function jsonProblem(text: string): string | null {
  const excess = jsonExcess(text, { depth: MAX_DEPTH, values: MAX_VALUES })
  if (excess === null) return null
  return excess === 'depth' ? 'nested too deeply' : `more than ${MAX_VALUES} values`
}
