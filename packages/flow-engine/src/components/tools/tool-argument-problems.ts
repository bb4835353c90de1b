import { isObject } from '@x/wire'

/** Describes the problems of a tool call's arguments for the model; empty if they are valid. */
export function toolArgumentProblems(args: unknown, parameters: object): string[] {
  if (!isObject(args)) {
    return [
      `The arguments must be a JSON object, got: ${(JSON.stringify(args) ?? 'nothing').slice(0, 200)}`,
    ]
  }
  const required: unknown = Reflect.get(parameters, 'required')
  const properties: unknown = Reflect.get(parameters, 'properties')
  const missing = (Array.isArray(required) ? required : []).filter(
    (name) => typeof name === 'string' && !Object.hasOwn(args, name),
  )
  const problems = missing.map((name) => `The argument ${name} is required`)
  for (const [name, schema] of Object.entries(isObject(properties) ? properties : {})) {
    const type = isObject(schema) ? schema.type : undefined
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined || typeof type !== 'string') continue
    if (value === null ? missing.includes(name) : FITS.get(type)?.(value) === false) {
      problems.push(`The argument ${name} must be of type ${type}`)
    }
  }
  return problems
}

/** Numbers and booleans may be strings, because components convert them. */
const FITS = new Map<string, (value: unknown) => boolean>([
  ['string', (value) => typeof value === 'string' || typeof value === 'number'],
  ['integer', (value) => isNumeric(value) && Number.isInteger(Number(value))],
  ['number', isNumeric],
  ['boolean', (value) => typeof value === 'boolean' || value === 'true' || value === 'false'],
  ['object', isObject],
  ['array', Array.isArray],
])

function isNumeric(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !Number.isNaN(Number(value))
  return typeof value === 'number'
}
