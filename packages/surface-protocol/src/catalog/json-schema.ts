import { SurfaceError } from '../diagnostics/errors.ts'
import { formatPointer, isPlainObject, ownValue } from '../json.ts'
import type { PatternTable } from './pattern-table.ts'

/** A JSON Schema: an object or a boolean. */
export type Schema = boolean | { readonly [key: string]: unknown }

/** Creates the error for a problem in a schema document. */
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
const MAX_PATTERN = 512
const MAX_DEPTH = 64

type Place = readonly (string | number)[]

/** A schema with its position in the document. */
export interface SchemaAt {
  readonly schema: unknown
  readonly place: Place
}

/**
 * Checks that schemas, and those they refer to, only use supported keywords.
 * @throws SurfaceError `invalid_catalog`
 */
export function checkSchemas(
  schemas: Iterable<SchemaAt>,
  document: object,
  patterns: PatternTable,
): void {
  const places = new Map<object, Place>()
  const waiting = [...schemas]
  for (const { schema, place } of waiting) {
    checkSchema(schema, { document, patterns, place, places, waiting })
  }
  refuseStandstill(places, document)
}

interface Check {
  readonly document: object
  /** Collects the patterns. */
  readonly patterns: PatternTable
  readonly place: Place
  /** Positions of the schemas seen so far. */
  readonly places: Map<object, Place>
  /** Schemas still to check. */
  readonly waiting: SchemaAt[]
}

function checkSchema(schema: unknown, check: Check): void {
  const { place, places } = check
  if (typeof schema === 'boolean') return
  if (!isPlainObject(schema)) throw invalidCatalog('A schema must be an object.', place)
  if (place.length > MAX_DEPTH) throw invalidCatalog('The schema is nested too deeply.', place)
  if (places.has(schema)) return
  places.set(schema, place)
  for (const key of Object.keys(schema)) {
    checkKeyword(key, schema[key], { ...check, place: [...place, key] })
  }
}

function checkKeyword(key: string, value: unknown, check: Check): void {
  const { place } = check
  if (ANNOTATIONS.has(key)) return
  if (SINGLE.has(key)) checkSchema(value, check)
  else if (LISTS.has(key)) {
    if (!Array.isArray(value)) throw invalidCatalog(`${key} must be an array.`, place)
    value.forEach((member, index) => checkSchema(member, { ...check, place: [...place, index] }))
  } else if (MAPS.has(key)) {
    if (!isPlainObject(value)) throw invalidCatalog(`${key} must be an object.`, place)
    for (const name of Object.keys(value)) {
      checkSchema(value[name], { ...check, place: [...place, name] })
    }
  } else if (NUMBERS.has(key)) {
    const positive = key !== 'multipleOf' || (typeof value === 'number' && value > 0)
    if (!Number.isFinite(value) || !positive)
      throw invalidCatalog(`${key} must be a number.`, place)
  } else checkValueKeyword(key, value, check)
}

function checkValueKeyword(key: string, value: unknown, check: Check): void {
  const { document, place, waiting } = check
  switch (key) {
    case 'type': {
      const types: readonly unknown[] = Array.isArray(value) ? value : [value]
      if (!types.every((type) => TYPES.has(type))) throw invalidCatalog('Unknown type.', place)
      break
    }
    case 'required':
      if (!isStrings(value)) throw invalidCatalog('required must be a list of names.', place)
      break
    case 'enum':
      if (!Array.isArray(value)) throw invalidCatalog('enum must be an array.', place)
      break
    case 'const':
      break
    case 'pattern':
      checkPattern(value, check)
      break
    case '$ref':
      waiting.push({
        schema: resolveReference(value, document, place),
        place: String(value).split('/').slice(1).map(decodePart),
      })
      break
    default:
      throw invalidCatalog('The keyword is not supported.', place)
  }
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function checkPattern(value: unknown, { patterns, place }: Check): void {
  if (typeof value !== 'string') throw invalidCatalog('A pattern must be a string.', place)
  if (value.length > MAX_PATTERN) throw invalidCatalog('The pattern is too long.', place)
  const problem = patterns.add(value)
  if (problem !== null) throw invalidCatalog(problem, place)
}

/** Rejects schemas that refer back to themselves without descending into the value. */
function refuseStandstill(places: ReadonlyMap<object, Place>, document: object): void {
  const done = new Set<object>()
  const open = new Set<object>()
  for (const start of places.keys()) {
    const stack = [{ schema: start, next: inPlace(start, document) }]
    open.add(start)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const schema = top.next.pop()
      if (schema === undefined) {
        open.delete(top.schema)
        done.add(top.schema)
        stack.pop()
      } else if (open.has(schema)) {
        const reference = Object.hasOwn(top.schema, '$ref') ? ['$ref'] : []
        const place = [...(places.get(top.schema) ?? []), ...reference]
        throw invalidCatalog('The reference refers to itself.', place)
      } else if (!done.has(schema)) {
        open.add(schema)
        stack.push({ schema, next: inPlace(schema, document) })
      }
    }
  }
}

/** The schemas applied to the same value as this one. */
function inPlace(schema: object, document: object): object[] {
  const reference = ownValue(schema, '$ref')
  const lists = [...LISTS].flatMap((name) => ownValue(schema, name) ?? [])
  const target = reference === undefined ? [] : [resolveReference(reference, document, [])]
  return [...lists, ownValue(schema, 'not'), ...target].filter(isPlainObject)
}

/**
 * Resolves a local reference.
 * @throws SurfaceError `invalid_catalog`
 */
export function resolveReference(reference: unknown, document: object, place: Place): Schema {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) {
    throw invalidCatalog('A reference must stay within the document.', place)
  }
  let target: unknown = document
  for (const part of reference.split('/').slice(1)) {
    const isContainer = typeof target === 'object' && target !== null
    target = isContainer ? ownValue(target as object, decodePart(part)) : undefined
  }
  if (typeof target === 'boolean' || isPlainObject(target)) return target
  throw invalidCatalog('The reference has no target.', place)
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}
