const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** Limits on a JSON text. */
export interface JsonLimits {
  /** Levels of lists and objects inside one another. */
  readonly depth: number
  /** Maximum number of values: members of objects and items of arrays. Default: unlimited. */
  readonly values?: number
  /** Maximum number of arrays, objects and object members; array items cost less. Default: unlimited. */
  readonly structures?: number
}

/**
 * Names the exceeded limit of a JSON text without parsing it, because parsed values take up to a hundred
 * times the space of their text, and parsing blocks other requests. Counts brackets and commas outside
 * strings, without recursion; the text need not be well-formed.
 */
export function jsonExcess(text: string, limits: JsonLimits): keyof JsonLimits | null {
  const { depth: deepest, values: most = Number.POSITIVE_INFINITY } = limits
  const { structures: mostStructures = Number.POSITIVE_INFINITY } = limits
  let depth = 0
  let values = 0
  let structures = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = endOfString(text, i)
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      values += 1
      structures += 1
      if (depth > deepest) return 'depth'
      if (structures > mostStructures) return 'structures'
    } else if (code === 0x7d || code === 0x5d) depth -= 1
    else if (code === COLON) {
      structures += 1
      if (structures > mostStructures) return 'structures'
    } else if (code === COMMA) {
      values += 1
      if (values > most) return 'values'
    }
  }
  return null
}

/**
 * True if a JSON text is nested deeper than `depth` levels. A text that cannot be, because each level needs an
 * opening and a closing bracket, is not looked at; if brackets are missing it is not JSON.
 */
export function exceedsDepth(text: string, depth: number): boolean {
  return text.length > 2 * depth && jsonExcess(text, { depth }) === 'depth'
}

/** The position of the quote that ends the string beginning at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, position: number): boolean {
  let backslashes = 0
  while (text.charCodeAt(position - 1 - backslashes) === BACKSLASH) backslashes += 1
  return backslashes % 2 === 1
}
