import type { Dice } from './dice.ts'
import { hostileNumber, hostileString, hostileValue } from './hostile.ts'

/** The part of JSON Schema (2020-12) that the API's own description uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
}

export interface SchemaValueOptions {
  readonly dice: Dice
  /** Schemas that `#/components/schemas/<name>` points to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Strings that mean something to the service: ids, names, keys. */
  readonly known: readonly string[]
  /** Share of values that break their schema. Default 0.12. */
  readonly hostility?: number
}

/** A value of a JSON Schema; some of its parts break the schema on purpose. */
export function schemaValue(schema: JsonSchema, options: SchemaValueOptions, depth = 5): unknown {
  const { dice, schemas, hostility = 0.12 } = options
  if (depth === 0 || dice.chance(hostility)) return hostileValue(dice, Math.min(depth, 3))
  const inner = (next: JsonSchema): unknown => schemaValue(next, options, depth - 1)
  if (schema.$ref !== undefined) return inner(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return dice.pick(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return inner(dice.pick(choices))
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((part) => inner(part))) as unknown
  }
  const type = typeof schema.type === 'object' ? dice.pick(schema.type) : schema.type
  switch (type) {
    case 'object':
      return objectOf(schema, inner, options)
    case 'array':
      return dice.many(() => inner(schema.items ?? {}))
    case 'string':
      return stringOf(schema, options)
    case 'integer':
      return dice.chance(0.7) ? dice.integer(50) : hostileNumber(dice)
    case 'number':
      return dice.chance(0.5) ? dice.next() : hostileNumber(dice)
    case 'boolean':
      return dice.chance(0.5)
    case 'null':
      return null
    default:
      return dice.chance(0.5) ? dice.pick(options.known) : hostileValue(dice)
  }
}

function objectOf(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  inner: (schema: JsonSchema) => unknown,
  { dice, known }: SchemaValueOptions,
): unknown {
  const value: (readonly [string, unknown])[] = Object.entries(properties)
    .filter(([name]) => dice.chance(required.includes(name) ? 0.97 : 0.4))
    .map(([name, schema]) => [name, inner(schema)])
  if (typeof additionalProperties === 'object') {
    const more = dice.many(() => [dice.pick(known), inner(additionalProperties)] as const, 3)
    for (const entry of more) value.push(entry)
  }
  if (dice.chance(0.05)) value.push([hostileString(dice), hostileValue(dice)])
  return Object.fromEntries(value)
}

function stringOf({ format }: JsonSchema, { dice, known }: SchemaValueOptions): string {
  if (dice.chance(0.15)) return hostileString(dice)
  if (format === 'date-time') return '2031-01-01T00:00:00Z'
  return dice.pick(known)
}
