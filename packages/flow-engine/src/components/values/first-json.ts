import { parseJson } from '../../base/parse-json.ts'

/** Beginnings that are tried before the search is given up. */
const MAX_STARTS = 50

/** The first JSON object or array in a text; undefined when there is none. */
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

/** The place behind the bracket that closes the one at `start`; brackets in strings do not count. */
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
