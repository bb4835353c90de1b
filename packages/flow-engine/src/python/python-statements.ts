/**
 * The statements of a Python text that stand at the left margin, each on one line, without comments
 * and with empty strings: enough to see what a module imports and which classes it has. Takes time
 * proportional to the length of the text; nothing is executed.
 */
export function unindentedStatements(code: string): string[] {
  const plain = withoutStrings(code)
  return plain
    .split(/\n|;/)
    .filter((line) => /^[A-Za-z_@]/.test(line))
    .map((line) => line.trimEnd())
}

/** Strings are emptied, comments dropped, lines in brackets or after a backslash joined. */
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

/** The end of the string that begins here; an unterminated one runs to the end of the line or text. */
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
