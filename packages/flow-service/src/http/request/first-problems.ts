import { z } from 'zod'
import type { ValueProblem } from '../../wire/reader.ts'

type Issue = z.core.$ZodIssue
type Path = readonly (string | number)[]

/** Maximum number of reported problems of a body. */
const MAX_PROBLEMS = 100
/** Maximum number of list items that are validated. */
const MAX_ITEMS = 100_000

/**
 * The first problems of lists and records that have too many to report; empty if there are few, whether or
 * not the value is valid. A list of a million invalid items would otherwise produce a million messages and
 * block all other requests.
 */
export function firstProblems(schema: z.ZodType, value: unknown): Issue[] {
  const found: Issue[] = []
  const isOver = collect(schema, value, { path: [], found })
  return isOver ? found.slice(0, MAX_PROBLEMS) : []
}

interface Place {
  readonly path: Path
  readonly found: Issue[]
}

/** True if there are too many problems or items. */
function collect(given: unknown, value: unknown, { path, found }: Place): boolean {
  const schema = unwrapped(given)
  if (typeof value !== 'object' || value === null) return false
  const inside = (key: string | number, inner: unknown, item: unknown): boolean => {
    const place = { path: [...path, key], found }
    if (typeof item === 'object' && item !== null && isContainer(unwrapped(inner)))
      return collect(inner, item, place)
    addProblems(inner, item, place)
    return found.length >= MAX_PROBLEMS
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    if (value.length > MAX_ITEMS) {
      found.unshift(tooLong(path, value.length))
      return true
    }
    return value.some((item: unknown, at) => inside(at, schema.element, item))
  }
  if (schema instanceof z.ZodRecord && !Array.isArray(value))
    return Object.entries(value).some(([key, item]) => inside(key, schema.valueType, item))
  if (!(schema instanceof z.ZodObject)) return false
  return Object.entries(schema.shape).some(([key, inner]) => {
    const item: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
    if (typeof item === 'object' && item !== null)
      return collect(inner, item, { path: [...path, key], found })
    // The body itself has few members.
    if (path.length > 0) addProblems(inner, item, { path: [...path, key], found })
    return found.length >= MAX_PROBLEMS
  })
}

function addProblems(schema: unknown, value: unknown, { path, found }: Place): void {
  if (!(schema instanceof z.ZodType)) return
  for (const issue of schema.safeParse(value).error?.issues ?? [])
    found.push({ ...issue, path: [...path, ...issue.path] })
}

function isContainer(schema: unknown): boolean {
  return (
    schema instanceof z.ZodArray || schema instanceof z.ZodRecord || schema instanceof z.ZodObject
  )
}

function unwrapped(schema: unknown): unknown {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return isWrapper ? unwrapped(schema.unwrap()) : schema
}

function tooLong(path: Path, length: number): Issue {
  const problem: ValueProblem = {
    type: 'too_long',
    msg: `List should have at most ${MAX_ITEMS} items after validation, not ${length}`,
  }
  return { code: 'custom', path: [...path], message: problem.msg, params: { problem } }
}
