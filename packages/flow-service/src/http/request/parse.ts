import { append, eventLoopTurn } from '@x/wire'
import { z } from 'zod'
import { invalid, type ValidationElement } from '../../refusal.ts'
import { jsonProblem } from '@x/wire'
import { firstProblems } from './first-problems.ts'
import { isJsonType, uploadProblems, type RequestBody } from './request-body.ts'
import { validationDetail, type Place } from './validation-detail.ts'

/** The parts of a request an operation declares. */
export interface Parts {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

interface Schemas {
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly consumes?: 'form' | 'multipart' | 'bytes'
  readonly screen?: (body: unknown) => void
}

/**
 * Parses path, query and body, in that order.
 * @throws Refusal 422 with the validation errors of all of them
 */
export async function parseRequest(
  schemas: Schemas,
  params: Readonly<Record<string, string>>,
  search: URLSearchParams,
  body: RequestBody,
): Promise<Parts> {
  const problems: ValidationElement[] = []
  const check = (schema: z.ZodType | undefined, value: unknown, place: Place): unknown => {
    const first = schema === undefined || place !== 'body' ? [] : firstProblems(schema, value)
    if (first.length > 0) {
      append(problems, validationDetail(first, place, value))
      return undefined
    }
    const result = schema?.safeParse(value)
    if (result === undefined || result.success) return result?.data
    append(problems, validationDetail(result.error.issues, place, value))
    return undefined
  }
  const path = check(schemas.params, params, 'path')
  const query = check(schemas.query, schemas.query && readQuery(schemas.query, search), 'query')
  const json = await readBodyValue(schemas, body)
  if ('problem' in json) problems.push(json.problem)
  else schemas.screen?.(json.value)
  const content =
    'problem' in json
      ? undefined
      : check(schemas.body, json.value, schemas.consumes === undefined ? 'body' : 'form')
  if (problems.length > 0) {
    if (schemas.consumes === 'multipart') append(problems, await uploadProblems(body))
    throw invalid(problems)
  }
  return { params: path, query, body: content }
}

/**
 * Parses a body outside `parseRequest`: a file, or a body whose format depends on something else.
 * @throws Refusal 422 with `loc` in the body
 */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const first = firstProblems(schema, value)
  if (first.length > 0) throw invalid(validationDetail(first, 'body', value))
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(validationDetail(result.error.issues, 'body', value))
}

type BodyValue = { readonly value: unknown } | { readonly problem: ValidationElement }

async function readBodyValue({ body: schema, consumes }: Schemas, body: RequestBody) {
  if (schema === undefined) return { value: undefined }
  if (consumes !== undefined) return { value: formObject(await body.form()) }
  const text = await body.text()
  return text.length > LARGE ? readLarge(text, body.contentType) : readJson(text, body.contentType)
}

/** For repeated fields the last string counts. */
function formObject(form: FormData): Record<string, string> {
  const fields = [...form].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(fields)
}

/**
 * Characters of a body above which reading and parsing are separate turns, so that other requests can run in
 * between.
 */
const LARGE = 256 * 1024

async function readLarge(text: string, contentType: string): Promise<BodyValue> {
  await eventLoopTurn()
  const problem = isJsonType(contentType) ? jsonProblem(text) : null
  if (problem !== null) return malformed(0, problem)
  await eventLoopTurn()
  const read = readJson(text, contentType, { isChecked: true })
  await eventLoopTurn()
  return read
}

function readJson(text: string, contentType: string, { isChecked = false } = {}): BodyValue {
  if (text === '') return { value: undefined }
  if (!isJsonType(contentType)) return { value: text }
  try {
    // Checked before parsing, as building a million nested values would block all other requests.
    const problem = isChecked ? null : jsonProblem(text)
    if (problem !== null) return malformed(0, problem)
    const value: unknown = JSON.parse(text)
    return { value }
  } catch (error) {
    const at = /position (\d+)/.exec(String(error))?.[1]
    return malformed(at === undefined ? text.length : Number(at), 'malformed JSON')
  }
}

function malformed(position: number, error: string): BodyValue {
  const loc = ['body', position]
  const problem = { type: 'json_invalid', loc, msg: 'JSON decode error', input: {}, ctx: { error } }
  return { problem }
}

/** Query values for a schema: lists and non-string values are split at commas. */
function readQuery(schema: z.ZodType, search: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  if (search.size === 0) return values
  for (const [name, kind] of kindsOf(schema)) {
    const given = search.getAll(name)
    if (given.length === 0) continue
    if (kind === 'text') values[name] = given.at(-1)
    else {
      const split = given.flatMap((value) => value.split(','))
      values[name] = kind === 'list' ? split : split.at(-1)
    }
  }
  return values
}

type Kind = 'text' | 'list' | 'value'
const kinds = new WeakMap<z.ZodType, readonly (readonly [string, Kind])[]>()

function kindsOf(schema: z.ZodType): readonly (readonly [string, Kind])[] {
  const known = kinds.get(schema)
  if (known !== undefined) return known
  const shape = schema instanceof z.ZodObject ? Object.entries(schema.shape) : []
  const found = shape.map(([name, field]) => [name, kindOf(field)] as const)
  kinds.set(schema, found)
  return found
}

function kindOf(field: unknown): Kind {
  if (
    field instanceof z.ZodOptional ||
    field instanceof z.ZodNullable ||
    field instanceof z.ZodDefault
  ) {
    return kindOf(field.unwrap())
  }
  if (field instanceof z.ZodArray) return 'list'
  const meta = field instanceof z.ZodType ? field.meta() : undefined
  const plain = meta?.['type'] === 'string' && meta['format'] === undefined
  return plain && meta['enum'] === undefined ? 'text' : 'value'
}
