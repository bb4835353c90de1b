import { z } from 'zod'
import { isObject, readUuid } from '@x/wire'
import { valueProblem, reader } from './reader.ts'
import { readDateTime } from './date-time.ts'

/** Limits of a string. */
export interface TextLimits {
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
}

/** Maximum characters of a name: database indexes limit the key size (PostgreSQL: 2,704 bytes). */
export const MAX_NAME = 500
/** Maximum characters of a description. */
const MAX_DESCRIPTION = 100_000

/** A name, tag or session id: short enough for lists and indexes. */
export function nameText({ pattern }: Pick<TextLimits, 'pattern'> = {}): z.ZodType<string> {
  return text({ max: MAX_NAME, ...(pattern && { pattern }) })
}

/** A description shown in lists. */
export function descriptionText(): z.ZodType<string> {
  return text({ max: MAX_DESCRIPTION })
}

/** A lone surrogate, which cannot be encoded as UTF-8 or stored. */
const HALF = /\p{Surrogate}/u

/** A string. Numbers and booleans are not coerced. */
export function text({ min, max, pattern }: TextLimits = {}): z.ZodType<string> {
  const json = {
    type: 'string',
    ...(min === undefined ? {} : { minLength: min }),
    ...(max === undefined ? {} : { maxLength: max }),
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
  }
  return reader(json, (value) => {
    if (typeof value !== 'string')
      return valueProblem('string_type', 'Input should be a valid string')
    if (HALF.test(value)) {
      return valueProblem(
        'string_unicode',
        'Input should be a valid string, unable to parse raw data as a unicode string',
      )
    }
    if (min !== undefined && length(value, min) < min) return tooShort(min)
    if (max !== undefined && value.length > max && length(value, Infinity) > max) {
      return valueProblem('string_too_long', `String should have at most ${characters(max)}`, {
        max_length: max,
      })
    }
    if (pattern?.test(value) === false) {
      return valueProblem(
        'string_pattern_mismatch',
        `String should match pattern '${pattern.source}'`,
        {
          pattern: pattern.source,
        },
      )
    }
    return value
  })
}

function tooShort(min: number) {
  return valueProblem('string_too_short', `String should have at least ${characters(min)}`, {
    min_length: min,
  })
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

/** Number of code points, counted no further than needed. */
function length(value: string, enough: number): number {
  if (value.length >= enough * 2) return value.length
  return Array.from(value).length
}

/** Limits of an integer. */
export interface IntLimits {
  readonly ge?: number
  readonly le?: number
  /** Accepts 0, which means a default. */
  readonly zero?: boolean
}

const INTEGER = /^\s*([+-]?\d+(?:_\d+)*)(?:\.0+)?\s*$/

/** An integer, also in string form. `true` counts as 1 (in a query it is a string). */
export function int({ ge, le, zero = false }: IntLimits = {}): z.ZodType<number> {
  const json = {
    type: 'integer',
    ...(ge === undefined ? {} : { minimum: zero ? 0 : ge }),
    ...(le === undefined ? {} : { maximum: le }),
  }
  return reader(json, (value) => {
    const number = readInt(value)
    if (typeof number !== 'number') return number
    if (zero && number === 0) return 0
    if (ge !== undefined && number < ge) {
      return valueProblem('greater_than_equal', `Input should be greater than or equal to ${ge}`, {
        ge,
      })
    }
    if (le !== undefined && number > le) {
      return valueProblem('less_than_equal', `Input should be less than or equal to ${le}`, { le })
    }
    return number
  })
}

function readInt(value: unknown) {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) {
      return valueProblem(
        'int_from_float',
        'Input should be a valid integer, got a number with a fractional part',
      )
    }
    return Number.isSafeInteger(value) ? value : tooLarge()
  }
  if (typeof value !== 'string') return valueProblem('int_type', 'Input should be a valid integer')
  const digits = INTEGER.exec(value)?.[1]
  if (digits === undefined) {
    return valueProblem(
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
    )
  }
  const number = Number(digits.replaceAll('_', ''))
  return Number.isSafeInteger(number) ? number : tooLarge()
}

function tooLarge() {
  return valueProblem(
    'int_parsing_size',
    'Unable to parse input string as an integer, exceeded maximum size',
  )
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

/** A boolean, also as a number or a word. */
export function bool(): z.ZodType<boolean> {
  return reader({ type: 'boolean' }, (value) => {
    if (typeof value === 'boolean') return value
    if (typeof value !== 'string' && !Number.isSafeInteger(value)) {
      return valueProblem('bool_type', 'Input should be a valid boolean')
    }
    const word = WORDS.get(String(value).toLowerCase())
    return (
      word ??
      valueProblem('bool_parsing', 'Input should be a valid boolean, unable to interpret input')
    )
  })
}

/** A UUID, normalised to hyphenated lower case. */
export function uuid(): z.ZodType<string> {
  return reader({ type: 'string', format: 'uuid' }, (value) => {
    if (typeof value !== 'string') {
      return valueProblem('uuid_type', 'UUID input should be a string, bytes or UUID object')
    }
    const error = 'invalid form: expected 32 hexadecimal digits'
    return (
      readUuid(value) ??
      valueProblem('uuid_parsing', `Input should be a valid UUID, ${error}`, { error })
    )
  })
}

/** A date-time. */
export function dateTime(): z.ZodType<Date> {
  return reader({ type: 'string', format: 'date-time' }, readDateTime)
}

/** One of several strings. */
export function oneOf<const V extends string>(
  values: readonly V[],
  type: 'enum' | 'literal_error' = 'enum',
): z.ZodType<V> {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.at(-1) ?? ''
  const expected = quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
  return reader({ type: 'string', enum: values }, (value) => {
    const found = values.find((candidate) => candidate === value)
    return found ?? valueProblem(type, `Input should be ${expected}`, { expected })
  })
}

/** Any JSON object, unchanged. */
export function dict(): z.ZodType<Record<string, unknown>> {
  return reader({ type: 'object', additionalProperties: true }, (value) =>
    isObject(value) ? value : valueProblem('dict_type', 'Input should be a valid dictionary'),
  )
}

/** Any JSON value; null if the key is absent. */
export function anything(): z.ZodType {
  return z.unknown().meta({ description: 'Any JSON value' })
}

/** A field that may be absent or null; both become null. */
export function orNull<T>(schema: z.ZodType<T>) {
  return schema.nullable().default(null)
}

/** A field that may be absent (undefined) or null. */
export function maybe<T>(schema: z.ZodType<T>) {
  return schema.nullish()
}

/** Maps an empty string to null, for fields where both mean the same. */
export function emptyToNull(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value
}

/** Path parameters that are UUIDs. */
export function IdParams<const K extends string>(...names: readonly K[]) {
  return z.object(fields(names, uuid()))
}

/** Path parameters that are strings. */
export function TextParams<const K extends string>(...names: readonly K[]) {
  return z.object(fields(names, text()))
}

/** Creates the shape of an object from property names. */
function fields<K extends string>(names: readonly K[], schema: z.ZodType<string>) {
  return Object.fromEntries(names.map((name) => [name, schema])) as Record<K, z.ZodType<string>>
}
