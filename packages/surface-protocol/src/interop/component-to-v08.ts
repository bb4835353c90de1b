import {
  cloneJson,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'
import type { Slot } from '../catalog/slot.ts'
import { catalogCore } from '../catalog/catalog.ts'
import { standardCatalogV08 } from '../catalog/standard.ts'
import { renames } from './v09.ts'

/** Context for converting a component. */
export interface ToV08 {
  /** Called with features that version 0.8 lacks; `name` is the property of the component. */
  readonly lose: (what: string, name: string) => void
  /** The value of a call, if known. */
  readonly compute: (call: JsonObject) => JsonValue | undefined
}

/** A property being converted. */
interface Member extends ToV08 {
  readonly name: string
}

const standard = catalogCore(standardCatalogV08)

/** A component of version 0.8. */
export interface ConvertedComponent {
  readonly instance: ComponentInstance
  /** The text of a label that its type shows in later versions only. */
  readonly label?: JsonObject
}

/** Types that have a label from version 0.9 on, and show it. */
const LABELLED: ReadonlySet<string> = new Set(['MultipleChoice', 'DateTimeInput', 'Slider'])

/** Properties whose absence takes no text, value, choice, check or action away. */
const SILENT: ReadonlySet<string> = new Set(['filterable'])

/** Converts a component of version 0.9 to version 0.8; null without an id or type. */
export function componentToV08(value: unknown, context: ToV08): ConvertedComponent | null {
  if (!isPlainObject(value)) return null
  const { id, component, weight, ...rest } = value
  if (typeof id !== 'string' || typeof component !== 'string') return null
  const type = component === 'ChoicePicker' ? 'MultipleChoice' : component
  const properties: JsonObject = {}
  let label: JsonObject | undefined
  const shape = standard.shape(type)
  for (const [name, member] of Object.entries(special(type, rest as JsonObject))) {
    if (name === 'label' && LABELLED.has(type)) {
      const text = toBound(member, { ...context, name })
      if (text !== undefined) label = text
      continue
    }
    const before = oldName(type, name)
    const slot = shape?.fields.get(before)?.slot
    if (name === 'checks' || (shape !== null && slot === undefined)) {
      if (SILENT.has(name)) continue
      context.lose(name === 'checks' ? 'check' : name, name)
      continue
    }
    const converted = toSlot(member, slot, { ...context, name })
    if (converted !== undefined) setOwn(properties, before, converted)
    else if (shape?.required.includes(before) === true) setOwn(properties, before, emptyOf(slot))
  }
  const instance: ComponentInstance = { id, component: {} }
  setOwn(instance.component, type, properties)
  if (typeof weight === 'number') instance.weight = weight
  return { instance, ...(label === undefined ? {} : { label }) }
}

/** A fallback value for a property that could not be converted. */
function emptyOf(slot: Slot | undefined): JsonValue {
  if (slot?.kind === 'children') return { explicitList: [] }
  if (slot?.kind === 'action') return { name: '' }
  if (slot?.kind !== 'bound') return ''
  const [fallback = ''] = slot.literals?.has('help') === true ? ['help'] : []
  const empty = { string: fallback, number: 0, boolean: false, stringArray: [], any: '' }
  return toLiteral(empty[slot.value]) ?? { literalString: fallback }
}

function oldName(type: string, name: string): string {
  const names = Object.hasOwn(renames, type) ? renames[type] : undefined
  for (const [before, after] of Object.entries(names ?? {})) if (after === name) return before
  return name
}

/** Reverts changes beyond renaming. */
function special(type: string, properties: JsonObject): JsonObject {
  const result = { ...properties }
  if (type === 'Image' && result.fit === 'scaleDown') result.fit = 'scale-down'
  if (type === 'Button' && result.variant !== undefined) {
    if (result.variant === 'primary') result.primary = true
    delete result.variant
  }
  if (type === 'MultipleChoice') {
    if (result.variant === 'mutuallyExclusive') result.maxAllowedSelections = 1
    delete result.variant
  }
  return result
}

function toSlot(value: JsonValue, slot: Slot | undefined, member: Member): JsonValue | undefined {
  switch (slot?.kind) {
    case 'bound':
      return toNamed(toBound(value, member), slot, member)
    case 'children':
      return toChildren(value, member)
    case 'action':
      return toAction(value, member)
    case 'list':
      if (!Array.isArray(value)) return undefined
      return value.map((item) => toSlot(item, slot.item, member) ?? null)
    case 'object':
      return toObject(value, slot, member)
    default:
      return cloneJson(value)
  }
}

/** Literals unknown to version 0.8, such as icons, are lost. */
function toNamed(
  bound: JsonObject | undefined,
  { literals }: Extract<Slot, { kind: 'bound' }>,
  { name, lose }: Member,
): JsonObject | undefined {
  const literal = bound?.literalString
  if (literals === undefined || typeof literal !== 'string' || literals.has(literal)) return bound
  lose(name === 'name' ? 'icon' : name, name)
  return undefined
}

function toObject(
  value: JsonValue,
  { shape }: Extract<Slot, { kind: 'object' }>,
  member: Member,
): JsonValue {
  const converted: JsonObject = {}
  if (!isPlainObject(value)) return converted
  for (const [name, { slot }] of shape.fields) {
    const inner = ownValue(value, name) as JsonValue | undefined
    const result = inner === undefined ? undefined : toSlot(inner, slot, member)
    if (result !== undefined) setOwn(converted, name, result)
    else if (shape.required.includes(name)) setOwn(converted, name, emptyOf(slot))
  }
  return converted
}

/** A bound value: a literal or `{path}`; a call is replaced by its value, if known. */
function toBound(value: JsonValue, { name, lose, compute }: Member): JsonObject | undefined {
  const literal = toLiteral(value)
  if (literal !== undefined) return literal
  if (isPlainObject(value)) {
    if (typeof value.path === 'string') return { path: value.path }
    if (typeof value.call === 'string') {
      const computed = compute(value)
      const known = computed === undefined ? undefined : toLiteral(computed)
      if (known === undefined) lose('function', name)
      return known
    }
    if (typeof value.svgPath === 'string') {
      lose('svgPath', name)
      return undefined
    }
  }
  lose(value === null ? 'null' : name, name)
  return undefined
}

function toLiteral(value: JsonValue): JsonObject | undefined {
  if (typeof value === 'string') return { literalString: value }
  if (typeof value === 'number') return { literalNumber: value }
  if (typeof value === 'boolean') return { literalBoolean: value }
  return Array.isArray(value) ? { literalArray: value.map(String) } : undefined
}

function toChildren(value: JsonValue, { name, lose }: Member): JsonValue | undefined {
  if (Array.isArray(value)) return { explicitList: cloneJson(value) }
  if (
    isPlainObject(value) &&
    typeof value.componentId === 'string' &&
    typeof value.path === 'string'
  ) {
    return { template: { componentId: value.componentId, dataBinding: value.path } }
  }
  lose(name, name)
  return undefined
}

function toAction(value: JsonValue, member: Member): JsonValue | undefined {
  const event = isPlainObject(value) ? ownValue(value, 'event') : undefined
  if (!isPlainObject(event) || typeof event.name !== 'string') {
    member.lose('function', member.name)
    return undefined
  }
  const { name, context } = event
  if (!isPlainObject(context)) return { name }
  const entries = Object.entries(context).flatMap(([key, inner]) => {
    const bound = toBound(inner as JsonValue, member)
    return bound === undefined ? [] : [{ key, value: bound }]
  })
  return { name, context: entries }
}
