import { isPlainObject, type JsonObject } from '../json.ts'
import type { QuestionLike } from './question-like.ts'

/** How a field's value is displayed and parsed. */
export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'json'

/** An input of a question's form. */
export interface AnswerField {
  readonly type: FieldType
  /** Where its value goes in the answer: the answer itself, a member, or a member of `values`. */
  readonly place: 'whole' | 'member' | 'values'
  readonly name: string
  readonly title: string
  readonly optional: boolean
  /** For a choice: JSON values as strings. */
  readonly choices: readonly { readonly label: string; readonly value: string }[]
  readonly initial: string | boolean | readonly string[]
}

const TYPES: Readonly<Record<string, FieldType>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}
/** Maximum number of schema properties with their own input. */
const MAX_FIELDS = 100

/** The inputs a question needs besides its buttons. */
export function answerFields(question: QuestionLike): AnswerField[] {
  const { schema, options, kind } = question
  if (kind === 'tool_approval') return approvalFields(question)
  if (schema === null) return options.length > 0 ? [] : [fieldOf({}, 'whole', 'answer', true)]
  const { properties, type } = schema
  if (!isPlainObject(properties)) {
    const isObject = type === 'object' || type === undefined
    return [fieldOf(isObject ? { type: 'object' } : schema, 'whole', 'answer', true)]
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties)
    .filter(([name]) => options.length === 0 || name !== 'action_id')
    .slice(0, MAX_FIELDS)
    .map(([name, property]) => {
      const own = isPlainObject(property) ? property : {}
      return fieldOf(own, 'member', name, required.includes(name))
    })
}

/** The inputs for editing and rejecting a tool call. */
function approvalFields({ options, actionRequests }: QuestionLike): AnswerField[] {
  const ids = new Set(options.map(({ actionId }) => actionId))
  const [request] = actionRequests ?? []
  const args = { type: 'object', title: 'Arguments', default: request?.args ?? {} }
  return [
    ...(ids.has('edit') ? [fieldOf(args, 'values', 'args', false)] : []),
    ...(ids.has('reject') || ids.has('respond')
      ? [fieldOf({ type: 'string', title: 'Message' }, 'values', 'message', false)]
      : []),
  ]
}

function fieldOf(
  schema: Readonly<Record<string, unknown>>,
  place: AnswerField['place'],
  name: string,
  isRequired: boolean,
): AnswerField {
  const { title, enum: values, default: preset, type = 'string' } = schema
  const choices = Array.isArray(values)
    ? values.map((value: unknown) => ({ label: textOf(value), value: JSON.stringify(value) }))
    : []
  const field = {
    place,
    name,
    title: typeof title === 'string' && title !== '' ? title : name,
    optional: !isRequired,
    choices,
  }
  if (choices.length > 0) {
    const chosen = choices.filter(({ value }) => value === JSON.stringify(preset))
    return { ...field, type: 'choice', initial: chosen.map(({ value }) => value) }
  }
  const shown = typeof type === 'string' ? (TYPES[type] ?? 'json') : 'json'
  if (shown === 'boolean') return { ...field, type: shown, initial: preset === true }
  const text = shown === 'json' && preset !== undefined ? JSON.stringify(preset) : textOf(preset)
  return { ...field, type: shown, initial: text }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The key of a field in an action's context; it encodes how the value is parsed. */
export function fieldKey({ type, place, name, optional }: AnswerField): string {
  return `${type}:${place}:${optional ? 'optional' : 'required'}:${name}`
}

/** The part of a field needed by `readField`; null for other keys. */
export function parseFieldKey(
  key: string,
): Pick<AnswerField, 'place' | 'name' | 'optional' | 'type'> | null {
  const [type = '', place = '', need = '', ...name] = key.split(':')
  if (!['text', 'number', 'boolean', 'choice', 'json'].includes(type)) return null
  if (!['whole', 'member', 'values'].includes(place) || name.length === 0) return null
  return {
    type: type as FieldType,
    place: place as AnswerField['place'],
    name: name.join(':'),
    optional: need === 'optional',
  }
}

/**
 * The value entered by a user; undefined if none. Unparsable input remains a string, which no schema
 * accepts.
 */
export function readField(
  { type, optional }: Pick<AnswerField, 'optional' | 'type'>,
  given: unknown,
): unknown {
  if (type === 'boolean') return typeof given === 'boolean' ? given : given === 'true'
  // Version 0.8 stores lists in the data as maps.
  const isList = Array.isArray(given) || isPlainObject(given)
  const value: unknown = isList ? Object.values(given)[0] : given
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') return value
  if (value === '' && (optional || type !== 'text')) return undefined
  if (type === 'text') return value
  if (type === 'number') return Number.isFinite(Number(value)) ? Number(value) : value
  try {
    return JSON.parse(value) as JsonObject
  } catch {
    return value
  }
}
