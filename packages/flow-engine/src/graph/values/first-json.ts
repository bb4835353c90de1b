import { parseJson } from '@x/wire'

/** Maximum number of start positions tried. */
const MAX_STARTS = 50

/** Returns the first JSON object or array in a string; undefined if there is none. */
export function firstJson(text: string): unknown {
  let at = 0
  for (let tries = 0; tries < MAX_STARTS; tries += 1) {
    const start = text.slice(at).search(/[[{]/)
    if (start < 0) return undefined
    const end = endOf(text, at + start)
    const found = end === undefined ? undefined : parsed(text.slice(at + start, end))
    if (found !== undefined) return found
    at += start + 1
  }
  return undefined
}

/** Returns the offset after the bracket that closes the one at `start`, ignoring brackets in strings. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at += 1) {
    const char = text[at]
    if (quoted) {
      if (char === '\\') at += 1
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
