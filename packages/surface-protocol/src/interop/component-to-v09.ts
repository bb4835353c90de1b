import {
  cloneJson,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../json.ts'
import type { ComponentInstance } from '../message/v08/messages.ts'
import { renames } from './v09.ts'

/** Returns the id of a component in version 0.9. */
export type Rename = (id: string) => string

/** Converts a component to version 0.9. */
/** A component as version 0.9 has it, with its properties beside its id. */
export type ComponentV09 = JsonObject & { readonly id: string }

export function componentToV09(instance: ComponentInstance, rename: Rename): ComponentV09 {
  const [entry] = Object.entries(instance.component)
  const [type, properties] = entry ?? ['', {}]
  const converted = convertProperties(type, properties, rename)
  const weight = instance.weight === undefined ? {} : { weight: instance.weight }
  return {
    id: rename(instance.id),
    component: typeNameOf(type, properties),
    ...special(type, converted, properties),
    ...weight,
  }
}

function typeNameOf(type: string, properties: JsonObject): string {
  if (type === 'TextField' && properties.textFieldType === 'date') return 'DateTimeInput'
  return type === 'MultipleChoice' ? 'ChoicePicker' : type
}

function convertProperties(type: string, properties: JsonObject, rename: Rename): JsonObject {
  const names = Object.hasOwn(renames, type) ? renames[type] : undefined
  const converted: JsonObject = {}
  for (const [name, value] of Object.entries(properties)) {
    const renamed = names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined
    setOwn(converted, renamed ?? name, convertValue(name, value, rename))
  }
  return converted
}

function convertValue(name: string, value: JsonValue, rename: Rename): JsonValue {
  if (typeof value === 'string') {
    return name === 'child' || name.endsWith('Child') ? rename(value) : value
  }
  if (Array.isArray(value)) {
    if (name === 'children') return value.map((id) => (typeof id === 'string' ? rename(id) : id))
    return value.map((item) => convertValue('', item, rename))
  }
  if (!isPlainObject(value)) return value
  if (name === 'action') return actionToV09(value)
  return convertObject(value, rename)
}

function convertObject(value: JsonObject, rename: Rename): JsonValue {
  const { explicitList, template } = value
  if (Array.isArray(explicitList)) return explicitList.map((id) => rename(asText(id)))
  if (isPlainObject(template)) {
    return { componentId: rename(asText(template.componentId)), path: asText(template.dataBinding) }
  }
  const bound = boundToV09(value)
  if (bound !== undefined) return bound
  const converted: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    setOwn(converted, name, convertValue(name, member, rename))
  }
  return converted
}

/** Plain JSON for a literal, `{path}` for a binding; undefined for anything else. */
function boundToV09(value: JsonObject): JsonValue | undefined {
  const path = ownValue(value, 'path')
  if (typeof path === 'string') return { path }
  const [name, ...others] = Object.keys(value)
  if (name === undefined || others.length > 0 || !name.startsWith('literal')) return undefined
  return cloneJson(value[name])
}

function actionToV09({ name, context }: JsonObject): JsonObject {
  const converted: JsonObject = {}
  for (const entry of Array.isArray(context) ? context : []) {
    if (!isPlainObject(entry)) continue
    const value = entry.value as JsonValue
    setOwn(converted, asText(entry.key), isPlainObject(value) ? (boundToV09(value) ?? null) : value)
  }
  return {
    event: { name: name ?? '', ...(context === undefined ? {} : { context: converted }) },
  }
}

/** Changes beyond renaming. */
function special(type: string, converted: JsonObject, original: JsonObject): JsonObject {
  const result = { ...converted }
  if (type === 'Image' && result.fit === 'scale-down') result.fit = 'scaleDown'
  if (type === 'Button') {
    delete result.primary
    if (original.primary === true) result.variant = 'primary'
  } else if (type === 'Slider') result.max ??= 100
  else if (type === 'MultipleChoice') {
    delete result.maxAllowedSelections
    result.variant = original.maxAllowedSelections === 1 ? 'mutuallyExclusive' : 'multipleSelection'
  } else if (type === 'TextField' && original.textFieldType === 'date') {
    delete result.variant
    result.enableDate = true
  }
  return result
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
