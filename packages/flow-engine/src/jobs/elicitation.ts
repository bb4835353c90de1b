import { isObject } from '@x/wire'
import type { JsonSchema } from '../components/define/suspend-options.ts'
import type { PendingQuestion } from './build-jobs.ts'

/** The parts of a question used to build a form. */
export type ElicitedQuestion = Pick<PendingQuestion, 'prompt' | 'options' | 'schema' | 'question'> &
  Partial<Pick<PendingQuestion, 'actionRequests'>>

/** A question as an `elicitation/create` request of MCP in mode `form`. */
export interface Elicitation {
  readonly message: string
  /** An object schema whose properties are strings, numbers and booleans. */
  readonly requestedSchema: ElicitationSchema
}

export interface ElicitationSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

/** The answer of the client's user to the form. */
export interface ElicitationResult {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>> | undefined
}

const ACTION = 'action_id'
/** The single field of a question that has neither options nor an object schema. */
const ANSWER = 'answer'
/** Maximum number of characters shown of the arguments of a call that requires approval. */
const MAX_ARGUMENTS_LENGTH = 500
/** Field keywords supported by MCP forms; other keywords are checked when the answer arrives. */
const SUPPORTED_KEYWORDS = new Set(
  'type title description default enum minLength maxLength minimum maximum'.split(' '),
)
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time'])

/**
 * Converts a question to an MCP form: its options become the choices of `action_id`, its schema is
 * flattened, and deeper levels become JSON text fields.
 */
export function toElicitation(question: ElicitedQuestion): Elicitation {
  const { prompt, options, schema, question: asked, actionRequests = [] } = question
  const calls = actionRequests.map(
    ({ name, args }) => `${name}(${(JSON.stringify(args) ?? '').slice(0, MAX_ARGUMENTS_LENGTH)})`,
  )
  const text = prompt ?? (typeof asked === 'string' ? asked : 'The flow asks for an answer.')
  const choice = {
    type: 'string',
    enum: options.map(({ actionId }) => actionId),
    enumNames: options.map(({ label }) => label),
  }
  const fields = fieldsOf(question)
  const required = isObjectSchema(schema) ? requiredOf(schema) : fields.map(([name]) => name)
  return {
    message: [text, ...calls].join('\n'),
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries([
        ...(options.length === 0 ? [] : [[ACTION, choice] as const]),
        ...fields.map(([name, field]) => [name, formOf(field)] as const),
      ]),
      required: [...new Set([...(options.length === 0 ? [] : [ACTION]), ...required])],
    },
  }
}

/**
 * Converts a submitted form to an answer. Undefined if the form was cancelled, or declined while the question
 * has no option `reject`.
 */
export function fromElicitation(
  question: ElicitedQuestion,
  { action, content }: ElicitationResult,
): unknown {
  const { options, schema } = question
  if (action === 'decline' && options.some(({ actionId }) => actionId === 'reject'))
    return { [ACTION]: 'reject' }
  if (action !== 'accept') return undefined
  const given = content ?? {}
  const isForm = options.length > 0 || isObjectSchema(schema)
  if (!isForm) return valueOf(schema ?? {}, given[ANSWER])
  const fields = new Map(fieldsOf(question))
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, valueOf(fields.get(name) ?? {}, value)]),
  )
}

/** The fields besides the options, with arbitrary schemas. */
function fieldsOf({ options, schema }: ElicitedQuestion): (readonly [string, JsonSchema])[] {
  if (isObjectSchema(schema)) {
    const properties: object = isObject(schema.properties) ? schema.properties : {}
    return Object.entries(properties)
      .filter(([name]) => options.length === 0 || name !== ACTION)
      .map(([name, field]) => [name, isObject(field) ? field : {}] as const)
  }
  return options.length > 0 ? [] : [[ANSWER, schema ?? { type: 'string' }]]
}

function isObjectSchema(schema: JsonSchema | null): schema is JsonSchema {
  return schema !== null && (schema.type === 'object' || isObject(schema.properties))
}

function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string')
    : []
}

/** True if MCP forms support a field of this kind. */
function isFlat({ type, enum: allowed, const: only }: JsonSchema): boolean {
  if (only !== undefined) return false
  if (Array.isArray(allowed)) return allowed.every((item) => typeof item === 'string')
  return ['string', 'number', 'integer', 'boolean'].some((name) => name === type)
}

function formOf(schema: JsonSchema): object {
  const { title, description, format } = schema
  if (!isFlat(schema)) {
    const hint = typeof description === 'string' ? `${description} (JSON)` : 'JSON'
    return { type: 'string', ...(title === undefined ? {} : { title }), description: hint }
  }
  return {
    ...(Array.isArray(schema.enum) ? { type: 'string' } : {}),
    ...Object.fromEntries(
      Object.entries(schema).filter(([keyword]) => SUPPORTED_KEYWORDS.has(keyword)),
    ),
    ...(FORMATS.has(format) ? { format } : {}),
  }
}

/** The value of a field. Text that is not JSON is kept as is and rejected when the answer is validated. */
function valueOf(schema: JsonSchema, value: unknown): unknown {
  if (Object.keys(schema).length === 0 || isFlat(schema) || typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}
