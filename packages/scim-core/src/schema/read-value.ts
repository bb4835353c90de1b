import { isObject } from '@x/wire'
import { invalidSyntax, invalidValue, quoteValue } from '../base/errors.ts'
import { noteAdjusted, noteIgnored } from '../base/notes.ts'
import type { AttributeDescriptor } from './attribute.ts'
import { readBoolean } from './boolean-word.ts'
import { isDateTime } from './instant.ts'
import type { ReadContext } from './read-context.ts'
import { completeElement, joinSameValues, withOnePrimary } from './read-elements.ts'
import { findAttribute } from './registry.ts'
import type { StoredObject, StoredValue } from './stored-value.ts'

/**
 * Parses the value of an attribute to canonical form.
 * @returns undefined if the value is null or empty, which means unassigned
 * @throws ScimError invalidValue for a wrong type
 */
export function readAttribute(
  attribute: AttributeDescriptor,
  value: unknown,
  context: ReadContext,
): StoredValue | undefined {
  if (value === null || value === undefined) return undefined
  if (!attribute.multiValued) return readSingular(attribute, value, context)
  if (!Array.isArray(value)) throw wrongType(attribute, 'a list')
  return readList(attribute, value, context)
}

/** Parses a list to canonical form: no duplicates, no empty elements, at most one primary. */
export function readList(
  attribute: AttributeDescriptor,
  values: readonly unknown[],
  context: ReadContext,
): readonly StoredValue[] | undefined {
  assertLength(attribute, values.length, context)
  const list: StoredValue[] = []
  const seen = new Set<string>()
  for (const value of values) {
    const element = readElement(attribute, value, context)
    if (element === undefined) continue
    const key = elementKey(attribute, element)
    if (!seen.has(key)) list.push(element)
    seen.add(key)
  }
  const joined = joinSameValues(attribute, list, context.quirks)
  return joined.length === 0 ? undefined : onePrimary(attribute, joined, context)
}

/** @throws ScimError invalidValue for several primary elements, unless they have one value */
export function onePrimary(
  attribute: AttributeDescriptor,
  list: readonly StoredValue[],
  context: ReadContext,
): readonly StoredValue[] {
  if (list.filter(isPrimary).length < 2) return list
  const single = withOnePrimary(attribute, list, context)
  if (single !== undefined) return single
  throw invalidValue(`${attribute.path} has more than one primary value.`)
}

/** One element of a list. */
export function readElement(
  attribute: AttributeDescriptor,
  value: unknown,
  context: ReadContext,
): StoredValue | undefined {
  if (attribute.type === 'complex') {
    const element = completeElement(attribute, value, context)
    return element === undefined ? undefined : readObject(attribute, element, context)
  }
  if (value === null) throw wrongType(attribute, `a list of ${attribute.type} values`)
  return readSimple(attribute, value, context)
}

/** Equal for equal elements, whatever the order of their sub-attributes. */
export function elementKey(attribute: AttributeDescriptor, element: StoredValue): string {
  if (!isObject(element)) return JSON.stringify(element)
  return JSON.stringify(attribute.subAttributes.map(({ name }) => element[name] ?? null))
}

/** Returns whether an element is marked as primary. */
export function isPrimary(element: StoredValue): boolean {
  return typeof element === 'object' && Reflect.get(element, 'primary') === true
}

/** @throws ScimError invalidValue if a list exceeds the limit */
export function assertLength(
  attribute: AttributeDescriptor,
  length: number,
  { limits }: ReadContext,
): void {
  if (length > limits.valuesPerAttribute) {
    throw invalidValue(`${attribute.path} has more than ${limits.valuesPerAttribute} values.`)
  }
}

function readSingular(
  attribute: AttributeDescriptor,
  value: unknown,
  context: ReadContext,
): StoredValue | undefined {
  const { quirks } = context
  if (attribute.type === 'complex' && isEmptyValue(value)) return undefined
  if (quirks.singletonArrays && Array.isArray(value)) {
    const list: readonly unknown[] = value
    if (list.length !== 1 || Array.isArray(list[0])) throw wrongType(attribute, 'one value')
    return readAttribute(attribute, list[0], context)
  }
  if (attribute.type === 'complex') return readObject(attribute, value, context)
  const isWrapped = attribute.type === 'string' || attribute.type === 'boolean'
  if (quirks.singletonArrays && isWrapped && isObject(value)) {
    return readAttribute(attribute, unwrap(attribute, value), context)
  }
  return readSimple(attribute, value, context)
}

/** The forms of an empty object: `{}`, `[]` as PHP writes it, and `""`. */
export function isEmptyValue(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === ''
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0
}

/** Reads `{value: x}` whose other members are null as x (quirk `singletonArrays`). */
function unwrap(attribute: AttributeDescriptor, value: Readonly<Record<string, unknown>>): unknown {
  const members = Object.entries(value).filter(([, member]) => member !== null)
  const [first, second] = members
  const isValue = first?.[0].toLowerCase() === 'value' && second === undefined
  const isRead = typeof first?.[1] === 'string' || typeof first?.[1] === attribute.type
  if (!isValue || !isRead) throw wrongType(attribute, `a ${attribute.type}`)
  return first[1]
}

function readObject(
  attribute: AttributeDescriptor,
  value: unknown,
  context: ReadContext,
): StoredObject | undefined {
  if (!isObject(value)) throw wrongType(attribute, 'an object')
  const result: Record<string, StoredValue> = {}
  let assigned = false
  for (const key of Object.keys(value)) {
    const sub = findAttribute(attribute.subAttributes, key)
    if (sub === undefined) {
      if (context.rejectUnknown) throw unknownAttribute(`${attribute.path}.${key}`)
      noteIgnored(context.notes, `${attribute.path}.${key}`)
      continue
    }
    if (sub.mutability === 'readOnly') continue
    const read = readAttribute(sub, value[key], context)
    if (read === undefined) continue
    result[sub.name] = read
    assigned = true
  }
  return assigned ? result : undefined
}

/** 400 for an unknown attribute, if those are rejected. */
export function unknownAttribute(name: string): Error {
  return invalidSyntax(`Unknown attribute ${quoteValue(name)}.`)
}

function readSimple(
  attribute: AttributeDescriptor,
  value: unknown,
  context: ReadContext,
): StoredValue | undefined {
  switch (attribute.type) {
    case 'boolean': {
      const read = readBoolean(value, context.quirks.booleanStrings)
      if (read === undefined) throw wrongType(attribute, 'a boolean')
      return read
    }
    case 'integer':
      if (!Number.isSafeInteger(value)) throw wrongType(attribute, 'an integer')
      return Number(value)
    case 'decimal':
      // JSON.parse converts 1e999 to Infinity, which cannot be serialised.
      if (typeof value !== 'number' || !Number.isFinite(value)) {
        throw wrongType(attribute, 'a number')
      }
      return value
    default:
      return readText(attribute, value, context)
  }
}

/** Anything but printable ASCII, which needs no further checks. */
const UNUSUAL = /[^ -~]/
/** Lone surrogates, and control characters except tab, line feed and return. */
const REFUSED = /\p{Cs}|[^\P{Cc}\t\r\n]/u
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/
const NOT_IN_URI = /[\s<>"]/

function readText(
  attribute: AttributeDescriptor,
  given: unknown,
  context: ReadContext,
): string | undefined {
  const { limits } = context
  const value = typeof given === 'number' ? numberText(attribute, given, context) : given
  if (typeof value !== 'string') throw wrongType(attribute, 'a string')
  if (attribute.type === 'reference' && value.trim() === '') return undefined
  if (value.length > limits.stringLength) {
    throw invalidValue(`${attribute.path} is longer than ${limits.stringLength} characters.`)
  }
  if (UNUSUAL.test(value) && REFUSED.test(value)) {
    throw invalidValue(`${attribute.path} holds characters that are not allowed.`)
  }
  if (attribute.type === 'dateTime' && !isDateTime(value)) throw wrongType(attribute, 'a dateTime')
  if (attribute.type === 'binary' && !BASE64.test(value)) throw wrongType(attribute, 'base64')
  if (attribute.type === 'reference' && NOT_IN_URI.test(value)) throw wrongType(attribute, 'a URI')
  return value
}

function wrongType(attribute: AttributeDescriptor, wanted: string): Error {
  return invalidValue(`${attribute.path} must be ${wanted}.`)
}

/** A number sent for a string or reference as its decimal text (quirk `numberStrings`). */
function numberText(
  { path, type }: AttributeDescriptor,
  value: number,
  { quirks, notes }: ReadContext,
): unknown {
  const takesText = type === 'string' || type === 'reference'
  if (!takesText || !quirks.numberStrings || !Number.isFinite(value)) return value
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw invalidValue(`${path} is a number too large to keep exactly; send it as a string.`)
  }
  noteAdjusted(notes, path)
  return decimalText(value)
}

/** The shortest decimal text of a number, without an exponent. */
export function decimalText(value: number): string {
  const text = String(value)
  const [digits = '', exponent] = text.split('e-')
  if (exponent === undefined) return text
  const plain = digits.replace('-', '').replace('.', '')
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(Number(exponent) - 1)}${plain}`
}
