import { isObject } from '@x/wire'
import { FlowError } from '../../errors.ts'
import { titleOf } from '../define/title.ts'

/** A field of a structured answer, as defined by the user. */
export interface SchemaField {
  readonly name: string
  readonly description: string
  readonly type: SchemaType
  readonly multiple: boolean
}

type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'

const TYPES = new Map<string, SchemaType>([
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['number', 'number'],
  ['bool', 'boolean'],
  ['boolean', 'boolean'],
  ['list', 'array'],
  ['dict', 'object'],
])

/** More than models accept; a schema is written and read in one step. */
const MOST_FIELDS = 5000

const YES = new Set(['true', '1', 't', 'y', 'yes'])

/**
 * Reads the rows of a schema table.
 * @throws TypeError `Invalid type: <type>`, `Output schema cannot be empty`; FlowError `limit_exceeded` for
 * more than 5,000 fields
 */
export function readSchemaFields(rows: readonly Record<string, unknown>[]): SchemaField[] {
  if (rows.length === 0) throw new TypeError('Output schema cannot be empty')
  if (rows.length > MOST_FIELDS) {
    const text = `Output Schema has ${rows.length} fields; at most ${MOST_FIELDS} are possible`
    throw new FlowError('limit_exceeded', text)
  }
  return rows.map((row) => {
    const named = typeof row.type === 'string' ? row.type : 'str'
    const type = TYPES.get(named)
    if (type === undefined) throw new TypeError(`Invalid type: ${named}`)
    const { multiple } = row
    return {
      name: typeof row.name === 'string' ? row.name : 'field',
      description: typeof row.description === 'string' ? row.description : '',
      type,
      multiple: typeof multiple === 'boolean' ? multiple : YES.has(String(multiple).toLowerCase()),
    }
  })
}

/**
 * Builds a JSON Schema for a list of at least one of the described objects.
 * @param options.strict forbids other properties, as structured outputs require
 * @param options.key name of the list; default `objects`
 */
export function structuredSchema(
  name: string,
  fields: readonly SchemaField[],
  { strict = false, key = 'objects' }: { readonly strict?: boolean; readonly key?: string } = {},
): object {
  const closed = strict ? { additionalProperties: false } : {}
  const properties = Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)]))
  return {
    type: 'object',
    title: name,
    description: `A list of ${name}.`,
    properties: {
      [key]: {
        type: 'array',
        title: 'Objects',
        description: `A list of ${name}.`,
        minItems: 1,
        items: { $ref: `#/$defs/${name}` },
      },
    },
    required: [key],
    ...closed,
    $defs: {
      [name]: {
        type: 'object',
        title: name,
        properties,
        required: fields.map((field) => field.name),
        ...closed,
      },
    },
  }
}

function fieldSchema({ name, description, type, multiple }: SchemaField): object {
  const facts = {
    title: titleOf(name),
    ...(description === '' ? {} : { description }),
  }
  const one = type === 'object' ? { additionalProperties: true, type } : { type, ...anyItems(type) }
  return multiple ? { type: 'array', items: one, ...facts } : { ...one, ...facts }
}

function anyItems(type: SchemaType): object {
  return type === 'array' ? { items: {} } : {}
}

/**
 * Reads the objects of an answer and converts their values to the declared types.
 * @throws TypeError that names the invalid field
 */
export function readStructured(
  answer: unknown,
  fields: readonly SchemaField[],
): Record<string, unknown>[] {
  const objects = isObject(answer) && Array.isArray(answer.objects) ? answer.objects : undefined
  if (objects === undefined) throw new TypeError('The model response has no list "objects"')
  return objects.map((object: unknown) => readRecord(object, fields))
}

/**
 * Reads one object of an answer and converts its values to the declared types.
 * @throws TypeError that names the invalid field
 */
export function readRecord(
  object: unknown,
  fields: readonly SchemaField[],
): Record<string, unknown> {
  if (!isObject(object)) throw new TypeError('An element of "objects" is not an object')
  return Object.fromEntries(
    fields.map((field) => {
      if (!Object.hasOwn(object, field.name)) {
        throw new TypeError(`The model response lacks the field ${field.name}`)
      }
      return [field.name, convertField(object[field.name], field)]
    }),
  )
}

function convertField(value: unknown, field: SchemaField): unknown {
  if (!field.multiple) return convertOne(value, field)
  if (!Array.isArray(value)) throw misfit(field, 'a list')
  return value.map((item) => convertOne(item, field))
}

function convertOne(value: unknown, field: SchemaField): unknown {
  const convert = CONVERT[field.type]
  const converted = convert(value)
  if (converted === undefined) throw misfit(field, `of type ${field.type}`)
  return converted
}

function misfit({ name }: SchemaField, wanted: string): TypeError {
  return new TypeError(`The field ${name} of the model response must be ${wanted}`)
}

const CONVERT: Readonly<Record<SchemaType, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  integer(value) {
    const number = toNumber(value)
    return number !== undefined && Number.isInteger(number) ? number : undefined
  },
  number: toNumber,
  boolean(value) {
    if (typeof value === 'boolean') return value
    const word = String(value).toLowerCase()
    if (YES.has(word)) return true
    return ['false', '0', 'f', 'n', 'no'].includes(word) ? false : undefined
  },
  array: (value) => (Array.isArray(value) ? value : undefined),
  object: (value) => (isObject(value) ? value : undefined),
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
  return Number.isNaN(number) ? undefined : number
}
