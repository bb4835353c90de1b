import { graphOf } from '@x/flow-engine/internal'
import type { FlowPlan } from '@x/flow-engine'
import { own, ownText, textsIn, type PlainObject } from '@x/wire'
import type { PlanVertex } from '@x/flow-engine/internal'

/** JSON type of an argument. */
export type ArgumentType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array'

/** The schema of one argument. */
export interface ArgumentSchema {
  readonly type: ArgumentType
  readonly description: string
  readonly enum?: readonly string[]
}

/** The schema of the arguments of a tool. */
export interface InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, ArgumentSchema>>
  readonly required: readonly string[]
}

/** A vertex of the flow that accepts arguments. */
export interface ArgumentVertex {
  readonly id: string
  /** Its fields that are arguments; fields hidden in the editor are not exposed. */
  readonly fields: ReadonlySet<string>
}

/** The inputs of a compiled flow when called as a tool. */
export interface ToolInputs {
  readonly schema: InputSchema
  readonly vertices: readonly ArgumentVertex[]
  readonly hasChatInput: boolean
}

/** Prefixes of the types of components that accept arguments. */
const INPUT_TYPES = ['ChatInput', 'TextInput', 'Webhook'] as const

const SESSION_ID: ArgumentSchema = {
  type: 'string',
  description:
    'Optional session identifier used to persist conversation history across tool calls. Omit to start a new session.',
}

const inputsByPlan = new WeakMap<FlowPlan, ToolInputs>()

/** The inputs of a plan as a tool, computed once for each plan. */
export function toolInputsOf(plan: FlowPlan): ToolInputs {
  const before = inputsByPlan.get(plan)
  if (before !== undefined) return before
  const inputs = readInputs(graphOf(plan)?.vertices ?? [])
  inputsByPlan.set(plan, inputs)
  return inputs
}

function readInputs(all: readonly PlanVertex[]): ToolInputs {
  const vertices = all.filter(({ type }) => INPUT_TYPES.some((start) => type.startsWith(start)))
  const isCurated = all.some((vertex) =>
    fieldsOf(vertex).some(([, field]) => own(field, 'api_editable') === true),
  )
  // A property may be named `__proto__`.
  const properties = Object.create(null) as Record<string, ArgumentSchema>
  const required = new Set<string>()
  for (const vertex of vertices) {
    for (const [name, field] of fieldsOf(vertex)) {
      const isChosen = !isCurated || name === 'input_value' || own(field, 'api_editable') === true
      if (!isChosen || !isShown(field) || name === 'session_id') continue
      properties[name] ??= argumentSchema(name, field)
      if (own(field, 'required') === true && isEmpty(own(field, 'value'))) required.add(name)
    }
  }
  properties['session_id'] = SESSION_ID
  return {
    schema: { type: 'object', properties, required: [...required] },
    vertices: vertices.map((vertex) => ({
      id: vertex.id,
      fields: new Set(
        fieldsOf(vertex).flatMap(([name]) =>
          name in properties && name !== 'session_id' ? [name] : [],
        ),
      ),
    })),
    hasChatInput: vertices.some(({ kind }) => kind === 'chatInput'),
  }
}

/** Template entries that are fields; others, such as `_type`, are plain strings. */
function fieldsOf({ template }: PlanVertex): [string, PlainObject][] {
  return Object.entries(template).filter(
    (entry): entry is [string, PlainObject] => typeof entry[1] === 'object' && entry[1] !== null,
  )
}

function isShown(field: PlainObject): boolean {
  return own(field, 'show') !== false && own(field, 'advanced') !== true
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === null || value === ''
}

function argumentSchema(name: string, field: PlainObject): ArgumentSchema {
  const options = textsIn(own(field, 'options'))
  const type = typeOf(field)
  return {
    type,
    description: ownText(field, 'info') || `Input for ${name}`,
    ...(type === 'string' && options.length > 0 ? { enum: options } : {}),
  }
}

function typeOf(field: PlainObject): ArgumentType {
  const type = ownText(field, 'type')
  if (type === 'table' || own(field, 'list') === true) return 'array'
  if (type === 'int') return 'integer'
  if (type === 'float' || type === 'slider') return 'number'
  if (type === 'bool') return 'boolean'
  return type === 'dict' || type === 'NestedDict' ? 'object' : 'string'
}
