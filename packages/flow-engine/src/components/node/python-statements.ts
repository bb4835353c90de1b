/**
 * Splits Python source into its unindented statements, one per line, without comments and with empty strings:
 * enough to find the imports and classes of a module. Takes linear time and executes nothing.
 */
export function unindentedStatements(code: string): string[] {
  const plain = withoutStrings(code)
  return plain
    .split(/\n|;/)
    .filter((line) => /^[A-Za-z_@]/.test(line))
    .map((line) => line.trimEnd())
}

/** Empties strings, drops comments, and joins lines inside brackets or after a backslash. */
function withoutStrings(code: string): string {
  let made = ''
  let depth = 0
  for (let at = 0; at < code.length; at += 1) {
    const char = code[at] ?? ''
    if (char === '#') {
      at = lineEnd(code, at) - 1
    } else if (char === '"' || char === "'") {
      made += '""'
      at = stringEnd(code, at) - 1
    } else if (char === '\\' && code[at + 1] === '\n') {
      made += ' '
      at += 1
    } else if (char === '\r') {
      continue
    } else {
      if ('([{'.includes(char)) depth += 1
      if (')]}'.includes(char)) depth = Math.max(0, depth - 1)
      made += char === '\n' && depth > 0 ? ' ' : char
    }
  }
  return made
}

function lineEnd(code: string, from: number): number {
  const end = code.indexOf('\n', from)
  return end < 0 ? code.length : end
}

/** Finds the end of the string that starts here; an unterminated one ends with the line or the source. */
function stringEnd(code: string, from: number): number {
  const quote = code[from] ?? ''
  const isLong = code.startsWith(quote.repeat(3), from)
  const mark = isLong ? quote.repeat(3) : quote
  for (let at = from + mark.length; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1
    else if (!isLong && code[at] === '\n') return at
    else if (code.startsWith(mark, at)) return at + mark.length
  }
  return code.length
}
