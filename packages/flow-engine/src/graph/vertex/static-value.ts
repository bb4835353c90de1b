import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'

/** A field value of the template, before conversion. */
export interface StaticField {
  readonly name: string
  readonly type: string
  readonly value: unknown
  /** `file_path` of a file field. */
  readonly path: unknown
  /** True for a declared input; its default replaces an empty value. */
  readonly declared: boolean
  readonly fed: boolean
}

/** The value of a field that no edge feeds; undefined: the default applies. */
export function staticValue(field: StaticField): unknown {
  const { type, name, declared } = field
  if (type === 'other' && !field.fed) return undefined
  const value = type === 'file' ? filePath(field) : convert(type, field.value)
  if (isEmptyText(value)) return declared ? undefined : (value ?? undefined)
  return name.includes('kwargs') || name.includes('config') ? parsedText(value) : value
}

function convert(type: string, value: unknown): unknown {
  const read = CONVERT.get(type)
  return read === undefined || value === null || value === undefined ? value : read(value)
}

const CONVERT: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ['str', unescaped],
  ['int', (value) => number(value, Math.trunc)],
  ['float', (value) => number(value, (read) => read)],
  ['slider', (value) => number(value, (read) => read)],
  ['bool', Boolean],
  ['dict', merged],
])

/** In templates the two characters `\n` stand for a newline. */
function unescaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\\n', '\n')
  return Array.isArray(value) ? value.map(unescaped) : value
}

/** Values that cannot be parsed are kept unchanged. */
function number(value: unknown, finish: (read: number) => number): unknown {
  if (typeof value === 'number') return finish(value)
  if (typeof value !== 'string' || value.trim() === '') return value
  const read = Number(value)
  return Number.isNaN(read) ? value : finish(read)
}

/** Merges an array of objects into one; later keys win. */
function merged(value: unknown): unknown {
  if (!Array.isArray(value) || !value.every(isObject)) return value
  return Object.fromEntries(value.flatMap((item) => Object.entries(item)))
}

function filePath({ path, value }: StaticField): unknown {
  return isEmptyText(path) ? (Array.isArray(value) ? value : null) : path
}

/** Parses keyword arguments given as JSON; other strings are dropped. */
function parsedText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseJson(value)
  } catch {
    return undefined
  }
}

function isEmptyText(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}
