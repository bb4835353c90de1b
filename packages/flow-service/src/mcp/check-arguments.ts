import type { ArgumentSchema, InputSchema } from './input-schema.ts'

/** A lone surrogate, which cannot be encoded as UTF-8 or stored. */
const HALF = /\p{Surrogate}/u
/** Maximum characters of a session id. */
const MAX_SESSION_LENGTH = 500

/**
 * Validates arguments against the schema of a tool; unknown keys are accepted.
 * @returns `<field>: <reason>` for the first invalid argument
 */
export function argumentProblem(
  { properties, required }: InputSchema,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const name of required) {
    if (!Object.hasOwn(given, name)) return `${name}: Field required`
  }
  for (const [name, value] of Object.entries(given)) {
    const reason = valueProblem(properties[name], value)
    if (reason !== undefined) return `${name}: ${reason}`
  }
  const session = Object.hasOwn(given, 'session_id') ? given['session_id'] : ''
  if (typeof session === 'string' && session.length > MAX_SESSION_LENGTH)
    return `session_id: String should have at most ${MAX_SESSION_LENGTH} characters`
  return undefined
}

function valueProblem(schema: ArgumentSchema | undefined, value: unknown): string | undefined {
  if (typeof value === 'string' && HALF.test(value)) return 'String is not valid Unicode'
  if (schema === undefined) return undefined
  if (!isOfType(schema.type, value)) return `Input should be ${NAMES[schema.type]}`
  if (schema.enum === undefined || schema.enum.includes(value as string)) return undefined
  return `Input should be one of ${schema.enum.map((option) => JSON.stringify(option)).join(', ')}`
}

const NAMES = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'a list',
} as const

function isOfType(type: ArgumentSchema['type'], value: unknown): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}
