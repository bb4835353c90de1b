/** Deepest nesting of a JSON body. */
const MAX_DEPTH = 200

/**
 * Whether JSON text is nested deeper than 200 levels. Counts brackets outside of strings: no recursion,
 * and nothing is built.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = endOfText(text, i)
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return false
}

/** The index of the quote that closes the text opened at `start`. */
function endOfText(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at < 0) return text.length
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) return at
  }
}
