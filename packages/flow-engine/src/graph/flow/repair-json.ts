import { parseJson } from '@x/wire'

/**
 * Parses JSON, repairing single quotes and trailing commas. Returns the string itself if it is not JSON
 * (FE-23).
 */
export function repairJson(text: string): unknown {
  for (const candidate of [text, repaired(text)]) {
    try {
      return parseJson(candidate)
    } catch {
      // Try the next candidate, else return the string.
    }
  }
  return text
}

function repaired(text: string): string {
  let result = ''
  let quote: string | undefined
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== undefined) {
      if (char === '\\') {
        const escaped = text.charAt(at + 1)
        result += escaped === "'" ? "'" : char + escaped
        at += 1
      } else if (char === quote) {
        result += '"'
        quote = undefined
      } else {
        result += char === '"' ? '\\"' : char
      }
    } else if (char === '"' || char === "'") {
      quote = char
      result += '"'
    } else if (char !== ',' || !closesNext(text, at + 1)) {
      result += char
    }
  }
  return result
}

/** True if the next non-whitespace character closes an array or object. */
function closesNext(text: string, from: number): boolean {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return text.charAt(at) === '}' || text.charAt(at) === ']'
}
