const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether the brackets of a JSON text are nested deeper than `limit`, found without parsing it. */
export function exceedsDepth(text: string, limit: number): boolean {
  // Every level needs two characters.
  if (text.length <= 2 * limit) return false
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      i = endOfString(text, i)
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > limit) return true
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return false
}

/** The position of the quote that ends the string which begins at `start`. */
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
