import { quote } from '../diagnostics/errors.ts'
import { equalJson, isPlainObject, ownValue } from '../json.ts'
import { Report } from '../diagnostics/report.ts'
import { resolveReference, type Schema } from './json-schema.ts'
import type { PatternTable } from './pattern-table.ts'

/** Maximum nested schemas for one value; ends schemas that refer to themselves without progress. */
const MAX_DEPTH = 256

/** A schema and the document its references resolve in. */
export interface SchemaSource {
  readonly document: object
  readonly patterns: PatternTable
  readonly depth: number
}

/** Cache of values and the schemas they match, so that shared schemas are checked once per value. */
type MatchCache = Map<Schema, Map<unknown, boolean>>

/** Validates a value against a schema that was itself validated. */
export function checkValue(
  value: unknown,
  schema: Schema,
  { report, document, patterns, depth }: SchemaSource & { readonly report: Report },
): void {
  check(value, schema, { report, document, patterns, depth, known: new Map() })
}

function check(value: unknown, schema: Schema, given: Context): void {
  const { report, document, depth } = given
  if (schema === true || report.isFull) return
  if (schema === false || depth > MAX_DEPTH) {
    refuse(report, 'No value is allowed here.')
    return
  }
  const context: Context = { ...given, depth: depth + 1 }
  const reference = ownValue(schema, '$ref')
  if (reference !== undefined) check(value, resolveReference(reference, document, []), context)
  if (!isOfType(value, schema.type)) {
    refuse(report, `Expected here: ${String(schema.type)}.`)
    return
  }
  checkFixed(value, schema, report)
  if (typeof value === 'string') checkString(value, schema, context)
  else if (typeof value === 'number') checkNumber(value, schema, report)
  else if (Array.isArray(value)) checkArray(value, schema, context)
  else if (isPlainObject(value)) checkObject(value, schema, context)
  checkCombined(value, schema, context)
}

interface Context extends SchemaSource {
  readonly report: Report
  readonly known: MatchCache
}

type ObjectSchema = Exclude<Schema, boolean>

function refuse(report: Report, message: string): void {
  report.add('invalid_property_value', message)
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === undefined) return true
  if (Array.isArray(type)) return type.some((one) => isOfType(value, one))
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}

function checkFixed(value: unknown, schema: ObjectSchema, report: Report): void {
  const allowed = schema.enum
  if (Array.isArray(allowed) && !allowed.some((one) => equalJson(one, value))) {
    refuse(report, 'The value is not one of those allowed here.')
  }
  if (Object.hasOwn(schema, 'const') && !equalJson(schema.const, value)) {
    refuse(report, 'Only one value is allowed here.')
  }
}

function within(value: number, minimum: unknown, maximum: unknown): boolean {
  if (typeof minimum === 'number' && value < minimum) return false
  return typeof maximum !== 'number' || value <= maximum
}

function checkString(value: string, schema: ObjectSchema, context: Context): void {
  const { report, patterns } = context
  const { minLength, maxLength, pattern } = schema
  if (minLength !== undefined || maxLength !== undefined) {
    const length = Array.from(value).length
    if (!within(length, minLength, maxLength)) refuse(report, 'The text has a wrong length.')
  }
  if (typeof pattern === 'string' && !patterns.test(pattern, value)) {
    refuse(report, 'The text does not match the pattern.')
  }
}

function checkNumber(value: number, schema: ObjectSchema, report: Report): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const above = typeof exclusiveMinimum !== 'number' || value > exclusiveMinimum
  const below = typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum
  if (!within(value, minimum, maximum) || !above || !below) {
    refuse(report, 'The number is out of range.')
  }
  if (typeof multipleOf === 'number' && !isMultiple(value, multipleOf)) {
    refuse(report, `The number is a multiple of ${multipleOf}.`)
  }
}

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step
  // 0.3 / 0.1 is slightly less than 3.
  return Math.abs(quotient - Math.round(quotient)) < 1e-9
}

function checkArray(value: readonly unknown[], schema: ObjectSchema, context: Context): void {
  const { report } = context
  if (!within(value.length, schema.minItems, schema.maxItems)) {
    refuse(report, 'The list has a wrong length.')
  }
  const items = asSchema(schema.items)
  if (items === undefined) return
  value.forEach((item, index) => {
    report.path.push(index)
    check(item, items, context)
    report.path.pop()
  })
}

function checkObject(
  value: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  context: Context,
): void {
  const { report } = context
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  if (!within(names.length, schema.minProperties, schema.maxProperties)) {
    report.add('invalid_property_value', 'The object has a wrong number of members.')
  }
  const properties = isPlainObject(schema.properties) ? schema.properties : {}
  const further = asSchema(schema.additionalProperties)
  for (const name of names) {
    const known = asSchema(ownValue(properties, name))
    if (known === undefined && further === false) {
      report.add('invalid_property', `There is no property ${quote(name)} here.`, { at: [name] })
      continue
    }
    report.path.push(name)
    check(value[name], known ?? further ?? true, context)
    report.path.pop()
  }
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  for (const name of required) {
    if (names.includes(name)) continue
    report.add('missing_property', `The property ${quote(name)} is required.`, { at: [name] })
  }
}

function checkCombined(value: unknown, schema: ObjectSchema, context: Context): void {
  const { report } = context
  for (const one of asSchemas(schema.allOf)) {
    if (!matches(value, one, context)) check(value, one, context)
  }
  const any = asSchemas(schema.anyOf)
  if (any.length > 0 && !any.some((one) => matches(value, one, context))) {
    refuse(report, 'The value has none of the forms allowed here.')
  }
  const exact = asSchemas(schema.oneOf)
  if (exact.length > 0 && exact.filter((one) => matches(value, one, context)).length !== 1) {
    refuse(report, 'The value has exactly one of the forms allowed here.')
  }
  const unwanted = asSchema(schema.not)
  if (unwanted !== undefined && matches(value, unwanted, context)) {
    refuse(report, 'The value has a form that is not allowed here.')
  }
}

/** Returns whether a value matches, without a reason. */
function matches(value: unknown, schema: Schema, context: Context): boolean {
  const { known } = context
  const values = known.get(schema) ?? new Map<unknown, boolean>()
  known.set(schema, values)
  const before = values.get(value)
  if (before !== undefined) return before
  const report = new Report()
  check(value, schema, { ...context, report })
  const fits = report.errors === 0
  values.set(value, fits)
  return fits
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'boolean' || isPlainObject(value) ? value : undefined
}

function asSchemas(value: unknown): Schema[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.map(asSchema).filter((one) => one !== undefined)
}
