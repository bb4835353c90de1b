import { taggedSyntax } from '../../functions/tagged-syntax.ts'
import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../../json.ts'

/** Context for converting a component. */
export interface FromV1 {
  /** Called with features that version 0.9.1 lacks; `name` is the property of the component. */
  readonly lose: (what: string, name: string) => void
  /** The surface's catalog; null if it names none. */
  readonly catalogId: string | null
}

/** Properties missing in version 0.9.1, by type. */
const added: Readonly<Record<string, readonly string[]>> = {
  TextField: ['placeholder'],
  Slider: ['steps'],
  Video: ['posterUrl'],
}

/** Converts a component of version 1.0 to 0.9.1; null without an id or type. */
export function componentFromV1(value: unknown, context: FromV1): JsonObject | null {
  if (!isPlainObject(value)) return null
  const { id, component, catalogId, metadata, ...properties } = value as JsonObject
  if (typeof id !== 'string' || typeof component !== 'string') return null
  const { lose } = context
  if (metadata !== undefined) lose('metadata', 'metadata')
  if (catalogId !== undefined && catalogId !== context.catalogId) lose('catalog', 'catalogId')
  const dropped = Object.hasOwn(added, component) ? added[component] : undefined
  const converted: JsonObject = { id, component }
  for (const [name, member] of Object.entries(properties)) {
    if (dropped?.includes(name) === true) lose(name, name)
    else setOwn(converted, name, memberFromV1(name, member, context))
  }
  return converted
}

function memberFromV1(name: string, value: JsonValue, context: FromV1): JsonValue {
  const step = { ...context, name }
  if (name === 'accessibility' && isPlainObject(value)) {
    return valueFromV1(without(value, ['live', 'hidden'], step), step)
  }
  if (name === 'action' && isPlainObject(value) && isPlainObject(value.event)) {
    const event = without(value.event, ['userMessage'], step)
    if (!isPlainObject(event.context)) return { event }
    return { event: { ...event, context: membersFromV1(event.context, step) } }
  }
  const converted = valueFromV1(value, step)
  if (name !== 'checks' || !Array.isArray(converted)) return converted
  return converted.map((check) => {
    if (!isPlainObject(check) || check.message !== undefined) return check
    context.lose('message', name)
    return { ...check, message: 'Invalid value.' }
  })
}

interface Step extends FromV1 {
  readonly name: string
}

function without(
  value: JsonObject,
  names: readonly string[],
  { lose, name: place }: Step,
): JsonObject {
  const kept: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    if (names.includes(name)) lose(name, place)
    else setOwn(kept, name, member)
  }
  return kept
}

function valueFromV1(value: JsonValue, step: Step): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => valueFromV1(item, step))
  const path = taggedSyntax.pathOf(value)
  if (path !== undefined) return { path }
  const name = taggedSyntax.callOf(value)
  if (name !== undefined) return callFromV1(name, value, step)
  return membersFromV1(value, step)
}

/** Converts the members of an object that is not a value itself: arguments, or an event's context. */
function membersFromV1(value: JsonObject, step: Step): JsonObject {
  const converted: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    setOwn(converted, taggedSyntax.keyOf(key), valueFromV1(member, step))
  }
  return converted
}

function callFromV1(call: string, { args, catalogId }: JsonObject, step: Step): JsonValue {
  if (call === '@index') {
    step.lose('@index', step.name)
    return ''
  }
  if (catalogId !== undefined && catalogId !== step.catalogId) step.lose('catalog', step.name)
  return { call, args: isPlainObject(args) ? membersFromV1(args, step) : {} }
}
