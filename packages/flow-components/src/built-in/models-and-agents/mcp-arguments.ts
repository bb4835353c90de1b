import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { isData } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import { field, type Field } from '@x/flow-engine'
import type { McpTool } from '@x/flow-engine'

/** Creates a field for each argument of the selected tool. */
export function argumentFields(tool: McpTool): Record<string, Field> {
  const required = requiredNames(tool)
  return Object.fromEntries(
    Object.entries(propertiesOf(tool)).map(([name, schema]) => [
      name,
      argumentField(name, schema, required.includes(name)),
    ]),
  )
}

/**
 * Returns the arguments of a call: the fields with a value, converted to the tool's schema.
 * @throws TypeError that names missing required arguments
 */
export function callArguments(
  tool: McpTool,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const args = Object.create(null) as Record<string, unknown>
  for (const [name, schema] of Object.entries(propertiesOf(tool))) {
    const value = Object.hasOwn(values, name) ? plain(values[name]) : null
    if (value !== null && value !== undefined) args[name] = convert(value, schema)
  }
  const missing = requiredNames(tool).filter((name) => !Object.hasOwn(args, name))
  if (missing.length > 0) {
    const none = Object.keys(args).length === 0
    throw new TypeError(
      none
        ? `Tool '${tool.name}' requires arguments but none were provided. Required fields: ${missing.join(', ')}. Please fill in the fields of the tool.`
        : `Tool '${tool.name}' lacks required arguments: ${missing.join(', ')}`,
    )
  }
  return args
}

type Schema = Readonly<Record<string, unknown>>

function propertiesOf({ inputSchema }: McpTool): Record<string, Schema> {
  const properties: unknown = Reflect.get(inputSchema, 'properties')
  if (!isObject(properties)) return {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}]),
  )
}

function requiredNames({ inputSchema }: McpTool): string[] {
  const required: unknown = Reflect.get(inputSchema, 'required')
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function argumentField(name: string, schema: Schema, required: boolean): Field {
  const facts = {
    displayName: name,
    info: typeof schema.description === 'string' ? schema.description : '',
    required,
  }
  const choices = Array.isArray(schema.enum)
    ? schema.enum.filter((item) => typeof item === 'string')
    : []
  if (choices.length > 0) return field.dropdown({ ...facts, options: choices })
  const preset = schema.default
  switch (schema.type) {
    case 'integer':
      return field.int({ ...facts, ...(typeof preset === 'number' ? { default: preset } : {}) })
    case 'number':
      return field.float({ ...facts, ...(typeof preset === 'number' ? { default: preset } : {}) })
    case 'boolean':
      return field.bool({ ...facts, ...(typeof preset === 'boolean' ? { default: preset } : {}) })
    case 'object':
      return field.dict(facts)
    case 'array':
      return field.text({ ...facts, list: true })
    default:
      return field.text({ ...facts, ...(typeof preset === 'string' ? { default: preset } : {}) })
  }
}

function plain(value: unknown): unknown {
  if (isMessage(value)) return typeof value.text === 'string' ? value.text : ''
  if (isData(value)) return value.data
  return Array.isArray(value) ? value.map(plain) : value
}

/** Fields contain strings where schemas require numbers, booleans or objects. */
function convert(value: unknown, { type }: Schema): unknown {
  if (typeof value !== 'string') return value
  if ((type === 'integer' || type === 'number') && value.trim() !== '') {
    return Number.isNaN(Number(value)) ? value : Number(value)
  }
  if (type === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
  if (type !== 'object' && type !== 'array') return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}
