/** Whether a path has signs of a pattern. */
export function isGlob(path: string): boolean {
  return /[*?{]/.test(path)
}

/** The folder in which all matches of a pattern lie. */
export function globRoot(pattern: string): string {
  const fixed = pattern.split('/')
  const first = fixed.findIndex(isGlob)
  return fixed.slice(0, first).join('/') || (pattern.startsWith('/') ? '/' : '.')
}

/** Matches whole paths: `**` any folders, `*` and `?` within a name, `{a,b}` alternatives. */
export function globPattern(pattern: string): RegExp {
  let source = ''
  let depth = 0
  for (let at = 0; at < pattern.length; at += 1) {
    const sign = pattern.charAt(at)
    if (pattern.startsWith('**/', at)) {
      source += '(?:[^/]+/)*'
      at += 2
    } else if (pattern.startsWith('**', at)) {
      source += '.*'
      at += 1
    } else if (sign === '*') source += '[^/]*'
    else if (sign === '?') source += '[^/]'
    else if (sign === '{' && pattern.includes('}', at)) {
      source += '(?:'
      depth += 1
    } else if (sign === '}' && depth > 0) {
      source += ')'
      depth -= 1
    } else if (sign === ',' && depth > 0) source += '|'
    else source += sign.replaceAll(/[\\^$.|+()[\]{}*?]/g, String.raw`\$&`)
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u')
}
