import { isObject } from '@x/wire'
import type { JsonSchema, StandardSchema } from '../../components/define/suspend-options.ts'
import { linearPattern } from '../../components/text/linear-pattern.ts'
import { errorText, invalidRequest } from '../../errors.ts'

/** A validation problem of an answer. */
export interface AnswerProblem {
  /** Dot-separated names and indexes; "" is the answer itself. */
  readonly path: string
  readonly message: string
}

/** Supported validation keywords. */
const CHECKED: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'enum',
  'const',
  'items',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
])

/** Annotation keywords; they do not constrain the answer. */
const NOTES: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'format',
  'deprecated',
  'readOnly',
  'writeOnly',
])

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value: unknown) => typeof value === 'number'],
  ['integer', (value: unknown) => Number.isInteger(value)],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['null', (value: unknown) => value === null],
  ['array', (value: unknown) => Array.isArray(value)],
  ['object', isObject],
])

const MAX_DEPTH = 32
const MAX_PROBLEMS = 20

export function isStandardSchema(schema: object): schema is StandardSchema<unknown> {
  return '~standard' in schema
}

/**
 * The JSON form of a schema, stored with its question.
 * @throws FlowError `invalid_request` naming an unsupported keyword
 */
export async function readAnswerSchema(
  schema: JsonSchema | StandardSchema<unknown>,
): Promise<JsonSchema> {
  const json: unknown = isStandardSchema(schema) ? jsonSchemaOf(schema) : schema
  if (!isObject(json)) throw unusable('a schema must be an object')
  await checkKeywords(json, 0)
  return json
}

function jsonSchemaOf({ '~standard': standard }: StandardSchema<unknown>): unknown {
  try {
    const json = standard.jsonSchema?.input({ target: 'draft-2020-12' })
    if (json !== undefined) return json
  } catch (error) {
    throw unusable(errorText(error))
  }
  throw unusable(`schemas of ${standard.vendor} do not tell their JSON Schema`)
}

async function checkKeywords(schema: JsonSchema, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw unusable(`it is nested over ${MAX_DEPTH} deep`)
  const { type, pattern, properties, items, additionalProperties } = schema
  for (const keyword of Object.keys(schema)) {
    if (!CHECKED.has(keyword) && !NOTES.has(keyword)) throw unusable(`keyword ${keyword}`)
  }
  for (const name of listOf(type)) {
    if (typeof name !== 'string' || !TYPES.has(name)) throw unusable(`type ${String(name)}`)
  }
  if (typeof pattern === 'string') await readPattern(pattern)
  const inner = Object.values(isObject(properties) ? properties : {})
  for (const child of [...inner, items, additionalProperties]) {
    if (child === undefined || typeof child === 'boolean') continue
    if (!isObject(child)) throw unusable('a schema must be an object')
    await checkKeywords(child, depth + 1)
  }
}

async function readPattern(source: string) {
  try {
    const pattern = await linearPattern(source)
    if (pattern !== null) return pattern
  } catch (error) {
    throw unusable(errorText(error))
  }
  throw unusable(`pattern ${source}`)
}

function unusable(what: string): Error {
  return invalidRequest(`The schema of a question cannot be checked: ${what}`)
}

/** Validates an answer; empty if it is valid. At most 20 problems are returned. */
export async function answerProblems(
  schema: JsonSchema,
  answer: unknown,
): Promise<AnswerProblem[]> {
  const problems: AnswerProblem[] = []
  await check(schema, answer, { path: '', problems })
  return problems
}

interface Place {
  readonly path: string
  readonly problems: AnswerProblem[]
}

async function check(schema: JsonSchema, value: unknown, place: Place): Promise<void> {
  const { path, problems } = place
  const report = (message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path, message })
  }
  const types = listOf(schema.type).map(String)
  if (types.length > 0 && !types.some((type) => TYPES.get(type)?.(value) === true)) {
    report(`must be ${types.join(' or ')}`)
    return
  }
  if ('const' in schema && !isSame(schema.const, value))
    report(`must be ${JSON.stringify(schema.const)}`)
  const { enum: allowed } = schema
  if (Array.isArray(allowed) && !allowed.some((item) => isSame(item, value)))
    report(`must be one of ${allowed.map((item) => JSON.stringify(item)).join(', ')}`)
  if (typeof value === 'string') await checkString(schema, value, report)
  if (typeof value === 'number') checkNumber(schema, value, report)
  if (Array.isArray(value)) await checkList(schema, value, place, report)
  else if (isObject(value)) await checkObject(schema, value, place, report)
}

type Report = (message: string) => void

async function checkString(schema: JsonSchema, value: string, report: Report): Promise<void> {
  const { minLength, maxLength, pattern } = schema
  const { length } = Array.from(value)
  if (typeof minLength === 'number' && length < minLength)
    report(`must have at least ${minLength} characters`)
  if (typeof maxLength === 'number' && length > maxLength)
    report(`must have at most ${maxLength} characters`)
  if (typeof pattern !== 'string') return
  try {
    if (!(await readPattern(pattern)).find(value)) report(`must match ${pattern}`)
  } catch {
    report('is too long for its pattern')
  }
}

function checkNumber({ minimum, maximum }: JsonSchema, value: number, report: Report): void {
  if (typeof minimum === 'number' && value < minimum) report(`must be at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) report(`must be at most ${maximum}`)
}

async function checkList(
  { minItems, maxItems, items }: JsonSchema,
  value: readonly unknown[],
  { path, problems }: Place,
  report: Report,
): Promise<void> {
  if (typeof minItems === 'number' && value.length < minItems)
    report(`must have at least ${minItems} items`)
  if (typeof maxItems === 'number' && value.length > maxItems)
    report(`must have at most ${maxItems} items`)
  if (items === false && value.length > 0) report('must be empty')
  if (!isObject(items)) return
  for (const [index, item] of value.entries()) {
    if (problems.length >= MAX_PROBLEMS) return
    await check(items, item, { path: join(path, String(index)), problems })
  }
}

async function checkObject(
  { properties, required, additionalProperties }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  { path, problems }: Place,
  report: Report,
): Promise<void> {
  for (const name of listOf(required)) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) report(`${name} is required`)
  }
  const known = isObject(properties) ? properties : {}
  for (const [name, item] of Object.entries(value)) {
    if (problems.length >= MAX_PROBLEMS) return
    const own = Object.hasOwn(known, name) ? known[name] : additionalProperties
    if (own === false) report(`${name} is not allowed`)
    if (isObject(own)) await check(own, item, { path: join(path, name), problems })
  }
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** Compares two JSON values, ignoring key order. */
function isSame(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, n) => isSame(item, right[n]))
  if (!isObject(left) || !isObject(right)) return left === right
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSame(left[name], right[name]))
  )
}
