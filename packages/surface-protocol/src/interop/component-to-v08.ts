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

/** Hears what cannot be said in version 0.8. */
export type Lose = (what: string) => void

const standard = catalogCore(standardCatalogV08)

/** A component of version 0.9 in the form of version 0.8 (SP-82); null when it has no id or type. */
export function componentToV08(value: unknown, lose: Lose): ComponentInstance | null {
  if (!isPlainObject(value)) return null
  const { id, component, weight, ...rest } = value
  if (typeof id !== 'string' || typeof component !== 'string') return null
  const type = component === 'ChoicePicker' ? 'MultipleChoice' : component
  const properties: JsonObject = {}
  const shape = standard.shape(type)
  for (const [name, member] of Object.entries(special(type, rest as JsonObject))) {
    const before = oldName(type, name)
    const slot = shape?.fields.get(before)?.slot
    if (name === 'checks' || (shape !== null && slot === undefined)) {
      lose(`The property ${name} of ${type}`)
      continue
    }
    const converted = toSlot(member, slot, lose)
    if (converted !== undefined) setOwn(properties, before, converted)
  }
  const instance: ComponentInstance = { id, component: {} }
  setOwn(instance.component, type, properties)
  if (typeof weight === 'number') instance.weight = weight
  return instance
}

function oldName(type: string, name: string): string {
  const names = Object.hasOwn(renames, type) ? renames[type] : undefined
  for (const [before, after] of Object.entries(names ?? {})) if (after === name) return before
  return name
}

/** Undoes what a new name alone does not say. */
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

function toSlot(value: JsonValue, slot: Slot | undefined, lose: Lose): JsonValue | undefined {
  switch (slot?.kind) {
    case 'bound':
      return toBound(value, lose)
    case 'children':
      return toChildren(value, lose)
    case 'action':
      return toAction(value, lose)
    case 'list':
      if (!Array.isArray(value)) return undefined
      return value.map((item) => toSlot(item, slot.item, lose) ?? null)
    case 'object':
      return toObject(value, slot, lose)
    default:
      return cloneJson(value)
  }
}

function toObject(
  value: JsonValue,
  { shape }: Extract<Slot, { kind: 'object' }>,
  lose: Lose,
): JsonValue {
  const converted: JsonObject = {}
  if (!isPlainObject(value)) return converted
  for (const [name, { slot }] of shape.fields) {
    const member = ownValue(value, name) as JsonValue | undefined
    const result = member === undefined ? undefined : toSlot(member, slot, lose)
    if (result !== undefined) setOwn(converted, name, result)
  }
  return converted
}

/** A bound value: a literal or `{path}`; calls of functions are lost. */
function toBound(value: JsonValue, lose: Lose): JsonObject | undefined {
  if (typeof value === 'string') return { literalString: value }
  if (typeof value === 'number') return { literalNumber: value }
  if (typeof value === 'boolean') return { literalBoolean: value }
  if (Array.isArray(value)) return { literalArray: value.map(String) }
  if (isPlainObject(value) && typeof value.path === 'string') return { path: value.path }
  lose('A computed value')
  return undefined
}

function toChildren(value: JsonValue, lose: Lose): JsonValue | undefined {
  if (Array.isArray(value)) return { explicitList: cloneJson(value) }
  if (
    isPlainObject(value) &&
    typeof value.componentId === 'string' &&
    typeof value.path === 'string'
  ) {
    return { template: { componentId: value.componentId, dataBinding: value.path } }
  }
  lose('Children of an unknown form')
  return undefined
}

function toAction(value: JsonValue, lose: Lose): JsonValue | undefined {
  const event = isPlainObject(value) ? ownValue(value, 'event') : undefined
  if (!isPlainObject(event) || typeof event.name !== 'string') {
    lose('An action that is no event')
    return undefined
  }
  const { name, context } = event
  if (!isPlainObject(context)) return { name }
  const entries = Object.entries(context).flatMap(([key, member]) => {
    const bound = toBound(member as JsonValue, lose)
    return bound === undefined ? [] : [{ key, value: bound }]
  })
  return { name, context: entries }
}
