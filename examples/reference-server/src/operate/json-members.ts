/** Text that JSON writes as it is: printable ASCII without quote and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/

/**
 * The members of a plain object as JSON, without the braces, like `JSON.stringify`, which takes several times
 * as long for the small flat objects of a log.
 */
export function jsonMembers(object: object): string {
  const values = object as Readonly<Record<string, unknown>>
  let text = ''
  for (const name of Object.keys(values)) {
    const json = jsonOf(values[name])
    if (json !== undefined) text += `${text === '' ? '' : ','}${quoted(name)}:${json}`
  }
  return text
}

/** Undefined for values that JSON leaves out. */
function jsonOf(value: unknown): string | undefined {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.length === 0) return '[]'
  // It gives undefined for functions and symbols, unlike its type.
  return JSON.stringify(value)
}

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
