import type { z } from 'zod'
import type { ValidationElement } from '../../refusal.ts'
import type { ValueProblem } from '../../wire/reader.ts'

/** The part of the request a value comes from. A form counts as a body whose fields have no parent. */
export type Place = 'path' | 'query' | 'header' | 'body' | 'form'

type Issue = z.core.$ZodIssue

const OBJECT: ValueProblem = {
  type: 'model_attributes_type',
  msg: 'Input should be a valid dictionary or object to extract fields from',
}
const KINDS: ReadonlyMap<string, ValueProblem> = new Map([
  ['object', OBJECT],
  ['array', { type: 'list_type', msg: 'Input should be a valid list' }],
  ['record', { type: 'dict_type', msg: 'Input should be a valid dictionary' }],
])

/** Converts the issues of one part of a request to the elements of a validation error. */
export function validationDetail(
  issues: readonly Issue[],
  place: Place,
  input: unknown,
): ValidationElement[] {
  return issues.flatMap((issue) => elementsOf(issue, place, input))
}

function elementsOf(issue: Issue, place: Place, input: unknown): ValidationElement[] {
  const root = place === 'form' ? 'body' : place
  const path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)))
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [root, ...path, key],
      msg: 'Extra inputs are not permitted',
      input: valueAt(input, [...path, key]),
    }))
  }
  const { type, msg, ctx } = problemOf(issue, valueAt(input, path))
  return [
    {
      type,
      loc: [root, ...path],
      msg,
      input: (type === 'missing' ? holder(place, path, input) : valueAt(input, path)) ?? null,
      ...(ctx === undefined ? {} : { ctx }),
    },
  ]
}

function problemOf(issue: Issue, value: unknown): ValueProblem {
  if (issue.code === 'custom' && isProblem(issue.params?.['problem'])) {
    return issue.params['problem']
  }
  if (value === undefined) return { type: 'missing', msg: 'Field required' }
  if (issue.code === 'invalid_type') return KINDS.get(issue.expected) ?? OBJECT
  return { type: 'value_error', msg: `Value error, ${issue.message}`, ctx: { error: {} } }
}

/** The object that lacks a key; null outside JSON bodies and for the body itself. */
function holder(place: Place, path: readonly (string | number)[], input: unknown): unknown {
  return place === 'body' && path.length > 0 ? valueAt(input, path.slice(0, -1)) : null
}

function valueAt(input: unknown, path: readonly (string | number)[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function isProblem(value: unknown): value is ValueProblem {
  return typeof value === 'object' && value !== null && 'type' in value && 'msg' in value
}
