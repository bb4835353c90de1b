import { toLiteralText } from '../../graph/values/literal-text.ts'

const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>=^]))?(?<sign>[-+ ])?(?<alternate>#)?(?<zero>0)?(?<width>\d+)?(?<group>[,_])?(?:\.(?<precision>\d+))?(?<type>[a-zA-Z%])?$/su

/** Maximum width and precision. */
const MAX_WIDTH = 10_000

/**
 * Formats a value with the conversion and format spec of its placeholder.
 * @param spend counts the characters of a conversion, of which the format spec may keep one
 * @throws TypeError if either is unknown or not applicable to the value
 */
export function formatPlace(
  value: unknown,
  { conversion, spec }: { readonly conversion?: string; readonly spec: string },
  spend?: (characters: number) => void,
): string {
  if (conversion === undefined) return formatBySpec(value, spec)
  const convert = CONVERSIONS.get(conversion)
  if (convert === undefined) throw new TypeError(`Unknown conversion !${conversion}`)
  const converted = convert(value)
  spend?.(converted.length)
  return formatBySpec(converted, spec)
}

const quoted = (value: unknown): string => toLiteralText([value]).slice(1, -1)
// oxlint-disable-next-line no-control-regex -- escapes all non-ASCII characters
const NOT_ASCII = /[^\u0000-\u007f]/gu

const CONVERSIONS = new Map<string, (value: unknown) => string>([
  ['s', toLiteralText],
  ['r', quoted],
  ['a', (value) => quoted(value).replaceAll(NOT_ASCII, escaped)],
])

function escaped(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16)
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`
}

/**
 * Formats a value with a format spec such as `05d`, `.2f`, `>10`, `,`. Booleans count as
 * numbers; only numbers and strings can have a spec.
 * @throws TypeError if the spec is unknown or not applicable to the value
 */
export function formatBySpec(value: unknown, spec: string): string {
  if (spec === '') return toLiteralText(value)
  const parts = SPEC.exec(spec)?.groups
  if (parts === undefined) throw new TypeError(`Invalid format specifier '${spec}'`)
  const { width = 0, precision = 0 } = parts
  if (Number(width) > MAX_WIDTH || Number(precision) > MAX_WIDTH) {
    throw new TypeError('Too many decimal digits in format string')
  }
  if (typeof value === 'string') return formatText(value, parts, spec)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return pad(formatNumeric(Number(value), parts), parts, parts.zero === undefined ? '>' : '=')
  }
  throw new TypeError(`Format '${spec}' needs a number or a string`)
}

function formatText(text: string, parts: Parts, spec: string): string {
  const { type = 's', sign, alternate, align, precision } = parts
  if (type !== 's') throw new TypeError(`Format '${spec}' needs a number, got a string`)
  if ([sign, parts.group, alternate].some((part) => part !== undefined) || align === '=') {
    throw new TypeError(`Format '${spec}' does not apply to a string`)
  }
  return pad(precision === undefined ? text : text.slice(0, Number(precision)), parts, '<')
}

function pad(body: string, { align, fill, zero, width }: Parts, usual: string): string {
  const padding = fill ?? (zero === undefined ? ' ' : '0')
  return padTo(body, Number(width ?? 0), align ?? usual, padding)
}

type Parts = Readonly<Record<string, string | undefined>>

function formatNumeric(value: number, parts: Parts): string {
  if (parts.type === 's') throw new TypeError('A string format does not apply to a number')
  const wholeOnly =
    parts.type === undefined ? Number.isInteger(value) : /[dnboxXc]/.test(parts.type)
  if (wholeOnly && parts.precision !== undefined) {
    throw new TypeError('An integer format has no precision')
  }
  const size = Math.abs(value)
  const negative = value < 0 || Object.is(value, -0)
  const digits = group(digitsOf(size, parts), parts.group)
  const sign = negative ? '-' : parts.sign === '+' || parts.sign === ' ' ? parts.sign : ''
  return `${sign}${digits}`
}

function digitsOf(size: number, { type, precision, alternate }: Parts): string {
  const places = Math.min(100, precision === undefined ? 6 : Number(precision))
  const prefix = (text: string) => (alternate === undefined ? '' : text)
  switch (type) {
    case 'd':
    case 'n':
      return toInteger(size).toString()
    case 'f':
    case 'F':
      return fixed(size, places)
    case '%':
      return `${fixed(size * 100, places)}%`
    case 'e':
    case 'E':
      return exponent(size.toExponential(places), type)
    case 'g':
    case 'G':
      return general(size, Math.max(1, places))
    case 'b':
      return prefix('0b') + toInteger(size).toString(2)
    case 'o':
      return prefix('0o') + toInteger(size).toString(8)
    case 'x':
      return prefix('0x') + toInteger(size).toString(16)
    case 'X':
      return prefix('0X') + toInteger(size).toString(16).toUpperCase()
    case 'c':
      return String.fromCodePoint(Number(toInteger(size)))
    case undefined:
      return precision === undefined ? toLiteralText(size) : general(size, Math.max(1, places))
    default:
      throw new TypeError(`Unknown format code '${type}'`)
  }
}

/** Writes out all digits before the decimal point where `toFixed` would use an exponent. */
function fixed(size: number, places: number): string {
  if (!Number.isFinite(size) || size < 1e21) return size.toFixed(places)
  return places === 0 ? toInteger(size).toString() : `${toInteger(size)}.${'0'.repeat(places)}`
}

function toInteger(size: number): bigint {
  if (!Number.isInteger(size)) throw new TypeError('This format needs an integer')
  return BigInt(size)
}

function general(size: number, precision: number): string {
  // The exponent after rounding: 999999.5 has seven digits before the decimal point.
  const power = Number(size.toExponential(precision - 1).split('e')[1])
  if (power < -4 || power >= precision) {
    return exponent(size.toExponential(precision - 1).replace(/\.?0*e/, 'e'), 'e')
  }
  return String(Number(size.toPrecision(precision)))
}

function exponent(text: string, type: string): string {
  const padded = text.replace(/e([+-])(\d)$/, 'e$10$2')
  return type === 'E' ? padded.toUpperCase() : padded
}

function group(digits: string, mark: string | undefined): string {
  if (mark === undefined) return digits
  const [, before = '', after = ''] = /^(\d+)(.*)$/s.exec(digits) ?? []
  return before.replaceAll(/\B(?=(\d{3})+$)/g, mark) + after
}

function padTo(body: string, width: number, align: string, fill: string): string {
  const missing = width - body.length
  if (missing <= 0) return body
  if (align === '<') return body + fill.repeat(missing)
  if (align === '>') return fill.repeat(missing) + body
  if (align === '=') {
    const sign = /^[-+ ]?/.exec(body)?.[0] ?? ''
    return sign + fill.repeat(missing) + body.slice(sign.length)
  }
  const left = Math.floor(missing / 2)
  return fill.repeat(left) + body + fill.repeat(missing - left)
}
