import { isData } from './data.ts'
import { isDataFrame } from './data-frame.ts'
import { isMessage } from './message.ts'

const MAX_DEPTH = 200

/**
 * Python literal notation: `True`, `None`, `{'k': 1}`. A top-level string is returned as is; nested
 * strings are quoted. Circular references are written `...`.
 */
export function toLiteralText(value: unknown): string {
  return typeof value === 'string' ? value : literal(value, [])
}

function literal(value: unknown, parents: readonly unknown[]): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return quote(typeof value)
  if (value instanceof Date) return formatDate(value)
  if (isMessage(value)) return typeof value.text === 'string' ? quote(value.text) : "''"
  return nested(value, parents)
}

function nested(value: object, parents: readonly unknown[]): string {
  if (parents.includes(value) || parents.length > MAX_DEPTH) return '...'
  const inside = [...parents, value]
  if (isDataFrame(value)) return literal(value.rows, parents)
  if (isData(value)) return literal(value.data, parents)
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, inside)).join(', ')}]`
  const entries = Object.entries(value).map(
    ([key, item]) => `${quote(key)}: ${literal(item, inside)}`,
  )
  return `{${entries.join(', ')}}`
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  // oxlint-disable-next-line no-control-regex -- control characters are what is being escaped
  const escaped = text.replaceAll(/[\\'"\u0000-\u001f\u007f-\u00a0\u00ad]/g, (char) => {
    if (char === "'" || char === '"') return char === mark ? `\\${char}` : char
    return ESCAPES.get(char) ?? `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
  return `${mark}${escaped}${mark}`
}

const ESCAPES = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

/** The shortest string that parses to the same number; exponents have at least two digits. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Number.isInteger(value)) return Object.is(value, -0) ? '-0.0' : BigInt(value).toString()
  const small = Math.abs(value) < 1e-4
  return (small ? value.toExponential() : String(value)).replace(/e([+-])(\d)$/, 'e$10$2')
}

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export function formatDate(date: Date): string {
  return Number.isNaN(date.getTime())
    ? 'invalid date'
    : date.toISOString().slice(0, 19).replace('T', ' ')
}
