import { isPlainObject } from '../../json.ts'

export const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Names that stand for something else. */
export const RESERVED: ReadonlySet<string> = new Set([
  'true',
  'false',
  'null',
  'True',
  'False',
  'None',
  '_',
  'r',
  'surface',
  'deleteSurface',
])

/** A value of the data model, in which nothing is computed. */
export function literalText(value: unknown): string {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return numberText(value)
  if (Array.isArray(value)) return `[${value.map((item: unknown) => literalText(item)).join(', ')}]`
  if (!isPlainObject(value)) return value === true ? 'true' : value === false ? 'false' : 'null'
  const members = Object.entries(value).map(
    ([key, inner]) => `${keyText(key)}: ${literalText(inner)}`,
  )
  return `{${members.join(', ')}}`
}

/** The value within maps, at the deepest path that can be written. */
export function wrap(path: string, value: unknown): { path: string; value: unknown } {
  const segments = path.split('/').filter((one, at) => at > 0 || one !== '')
  const bad = segments.findIndex((one) => !/^[A-Za-z0-9_]+$/.test(one))
  let inner = value
  for (const segment of segments.slice(bad).toReversed()) {
    inner = { [segment.replaceAll('~1', '/').replaceAll('~0', '~')]: inner }
  }
  return { path: `/${segments.slice(0, bad).join('/')}`, value: inner }
}

/** A key of a map. */
export function keyText(key: string): string {
  return NAME.test(key) && !RESERVED.has(key) ? key : text(key)
}

/** A string: raw if that saves backslashes. */
export function text(value: string): string {
  // A raw string has no escapes and stands on one line.
  // eslint-disable-next-line no-control-regex -- these need an escape, or stay as they are
  if (value.includes('\\') && !/["\u0000-\u001f]/.test(value) && !value.endsWith('\\'))
    return `r"${value}"`
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
}

/** A number without exponent. */
function numberText(value: number): string {
  const short = String(value)
  const found = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(short)
  if (found === null) return short
  const [, sign = '', first = '', rest = '', exponent = '0'] = found
  const digits = first + rest
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return digits.length <= point
    ? sign + digits.padEnd(point, '0')
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
