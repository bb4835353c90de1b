import { SurfaceError } from '../errors.ts'
import { formatPointer, isPlainObject, ownValue } from '../json.ts'

/** A JSON Schema: an object, or true and false. */
export type Schema = boolean | { readonly [key: string]: unknown }

/** A problem of a schema document. */
export function invalidCatalog(detail: string, path: readonly (string | number)[]): SurfaceError {
  return new SurfaceError({ code: 'invalid_catalog', detail, path: formatPointer(path) })
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'id',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'format',
  'contentEncoding',
  'contentMediaType',
])
const NUMBERS: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
])
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf'])
const SINGLE: ReadonlySet<string> = new Set(['additionalProperties', 'items', 'not'])
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs'])
const TYPES: ReadonlySet<unknown> = new Set([
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
])
const MAXIMUM_PATTERN = 512
const MAXIMUM_DEPTH = 64

type Place = readonly (string | number)[]

/**
 * Checks that a schema is understood completely (SP-51).
 * @throws SurfaceError `invalid_catalog`
 */
export function checkSchema(schema: unknown, document: object, place: Place): void {
  if (typeof schema === 'boolean') return
  if (!isPlainObject(schema)) throw invalidCatalog('A schema is an object.', place)
  if (place.length > MAXIMUM_DEPTH) throw invalidCatalog('The schema is nested too deeply.', place)
  for (const key of Object.keys(schema))
    checkKeyword(key, schema[key], { document, place: [...place, key] })
}

interface Check {
  readonly document: object
  readonly place: Place
}

function checkKeyword(key: string, value: unknown, { document, place }: Check): void {
  if (ANNOTATIONS.has(key)) return
  if (SINGLE.has(key)) checkSchema(value, document, place)
  else if (LISTS.has(key)) {
    if (!Array.isArray(value)) throw invalidCatalog(`${key} is an array.`, place)
    value.forEach((member, index) => checkSchema(member, document, [...place, index]))
  } else if (MAPS.has(key)) {
    if (!isPlainObject(value)) throw invalidCatalog(`${key} is an object.`, place)
    for (const name of Object.keys(value)) checkSchema(value[name], document, [...place, name])
  } else if (NUMBERS.has(key)) {
    const positive = key !== 'multipleOf' || (typeof value === 'number' && value > 0)
    if (!Number.isFinite(value) || !positive) throw invalidCatalog(`${key} is a number.`, place)
  } else checkValueKeyword(key, value, { document, place })
}

function checkValueKeyword(key: string, value: unknown, { document, place }: Check): void {
  switch (key) {
    case 'type': {
      const types: readonly unknown[] = Array.isArray(value) ? value : [value]
      if (!types.every((type) => TYPES.has(type))) throw invalidCatalog('Unknown type.', place)
      break
    }
    case 'required':
      if (!isStrings(value)) throw invalidCatalog('required is a list of names.', place)
      break
    case 'enum':
      if (!Array.isArray(value)) throw invalidCatalog('enum is an array.', place)
      break
    case 'const':
      break
    case 'pattern':
      checkPattern(value, place)
      break
    case '$ref':
      resolveReference(value, document, place)
      break
    default:
      throw invalidCatalog('The keyword is not supported.', place)
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function checkPattern(value: unknown, place: Place): void {
  if (typeof value !== 'string') throw invalidCatalog('A pattern is a string.', place)
  if (value.length > MAXIMUM_PATTERN) throw invalidCatalog('The pattern is too long.', place)
  try {
    void new RegExp(value, 'u')
  } catch {
    throw invalidCatalog('The pattern is no regular expression.', place)
  }
}

/**
 * The schema a local reference leads to, through further references.
 * @throws SurfaceError `invalid_catalog`
 */
export function resolveReference(reference: unknown, document: object, place: Place): Schema {
  const seen = new Set<string>()
  let current: unknown = reference
  for (;;) {
    if (typeof current !== 'string' || !(current === '#' || current.startsWith('#/'))) {
      throw invalidCatalog('A reference stays within the document.', place)
    }
    if (seen.has(current)) throw invalidCatalog('The reference leads to itself.', place)
    seen.add(current)
    const target = follow(current, document)
    if (typeof target === 'boolean') return target
    if (!isPlainObject(target)) throw invalidCatalog('The reference leads nowhere.', place)
    const next = ownValue(target, '$ref')
    if (next === undefined) return target
    current = next
  }
}

function follow(reference: string, document: object): unknown {
  let target: unknown = document
  for (const part of reference.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof target !== 'object' || target === null) return undefined
    target = ownValue(target, key)
  }
  return target
}
