/**
 * A regular expression in the notation that exported flows use: named groups as `(?P<name>)`,
 * flags in front as `(?i)`, `\A` and `\Z`. null when it is none.
 */
export function compilePattern(source: string, flags = ''): RegExp | null {
  const [front = '', letters = ''] = /^\(\?([aiLmsux]+)\)/.exec(source) ?? []
  const wanted = new Set((flags + letters.replaceAll(/[^ims]/g, '')).split(''))
  try {
    return new RegExp(translate(source.slice(front.length)), [...wanted].join(''))
  } catch {
    return null
  }
}

/** Whether the pattern fits at the very start of the text; a bad pattern fits nowhere. */
export function matchesAtStart(source: string, text: string): boolean {
  return compilePattern(source, 'y')?.test(text) ?? false
}

function translate(source: string): string {
  return source.replaceAll(
    /\\([\s\S])|\(\?P<|\(\?P=(\w+)\)/g,
    (part, escaped: string | undefined, reference: string | undefined) => {
      if (reference !== undefined) return `\\k<${reference}>`
      if (escaped === 'A') return '(?<![\\s\\S])'
      if (escaped === 'Z') return '(?![\\s\\S])'
      return escaped === undefined ? '(?<' : part
    },
  )
}
