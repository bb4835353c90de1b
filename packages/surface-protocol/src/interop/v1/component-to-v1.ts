import { catalogCore, referencesIn, type Catalog } from '../../catalog/catalog.ts'
import { basicCatalogV09, minimalCatalogV09 } from '../../catalog/v09/basic-catalog.ts'
import { isBinding, isCall } from '../../functions/value-syntax.ts'
import {
  cloneJson,
  isPlainObject,
  ownValue,
  setOwn,
  type JsonObject,
  type JsonValue,
} from '../../json.ts'

/** Context for converting a component. */
export interface ToV1 {
  /** Called with features that version 1.0 lacks; `name` is the property of the component. */
  readonly lose: (what: string, name: string) => void
  /** The id of a component in version 1.0. */
  readonly rename: (id: string) => string
  /** Catalogs used to distinguish references from strings. */
  readonly catalogs: readonly Catalog[] | undefined
}

/** Converts a component of version 0.9.1 to 1.0; null without an id or type. */
export function componentToV1(value: unknown, context: ToV1): JsonObject | null {
  if (!isPlainObject(value)) return null
  const { id, component, ...rest } = value as JsonObject
  if (typeof id !== 'string' || typeof component !== 'string') return null
  const properties = cloneJson(rest)
  renameReferences(component, properties, context)
  const converted: JsonObject = { id: context.rename(id), component }
  for (const [name, member] of Object.entries(properties)) {
    setOwn(converted, name, memberToV1(name, member))
  }
  if (component === 'Text') convertHeading(converted, context)
  if (component === 'TextField') convertPattern(converted, context)
  return converted
}

function renameReferences(type: string, properties: JsonObject, context: ToV1): void {
  const { catalogs = [basicCatalogV09, minimalCatalogV09], rename } = context
  const known = catalogs.find(({ types }) => types.includes(type))
  const found = known === undefined ? [] : referencesIn(catalogCore(known), type, properties)
  for (const { path, componentId } of found) {
    const keys = path.split('/').slice(1)
    const last = keys.pop() ?? ''
    let holder: unknown = properties
    for (const key of keys) {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
      holder = typeof holder === 'object' && holder !== null ? ownValue(holder, name) : undefined
    }
    if (typeof holder === 'object' && holder !== null) setOwn(holder, last, rename(componentId))
  }
}

/** Converts the bindings and calls in a value to version 1.0. */
export function valueToV1(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(valueToV1)
  if (isBinding(value)) return { '@path': value.path }
  if (isCall(value)) {
    const converted: JsonObject = { '@call': value.call }
    if (isPlainObject(value.args)) converted.args = membersToV1(value.args)
    return converted
  }
  return membersToV1(value)
}

/** Converts the members of an object that is not a value itself: arguments, or an event's context. */
function membersToV1(value: JsonObject): JsonObject {
  const converted: JsonObject = {}
  for (const [key, member] of Object.entries(value)) {
    setOwn(converted, key.startsWith('@') ? `@${key}` : key, valueToV1(member))
  }
  return converted
}

function memberToV1(name: string, value: JsonValue): JsonValue {
  if (name === 'checks') return checksToV1(value)
  const event = name === 'action' && isPlainObject(value) ? value.event : undefined
  if (!isPlainObject(event) || !isPlainObject(event.context)) return valueToV1(value)
  return { event: { ...event, context: membersToV1(event.context) } }
}

/** A condition must be a binding or a call in version 1.0: one that is always true is omitted. */
function checksToV1(checks: JsonValue): JsonValue {
  if (!Array.isArray(checks)) return valueToV1(checks)
  return checks.flatMap((check) => {
    const condition = isPlainObject(check) ? check.condition : undefined
    if (condition === true) return []
    const converted = valueToV1(check)
    if (condition === false && isPlainObject(converted)) {
      return [{ ...converted, condition: { '@call': 'not', args: { value: true } } }]
    }
    return [converted]
  })
}

/** Headings are marked in the text; computed text loses the mark. */
function convertHeading(component: JsonObject, { lose }: ToV1): void {
  const level = typeof component.variant === 'string' ? /^h([1-5])$/.exec(component.variant) : null
  if (level === null) return
  delete component.variant
  lose('variant', 'variant')
  if (typeof component.text !== 'string') return
  component.text = `${'#'.repeat(Number(level[1]))} ${component.text}`
}

/** A field's pattern becomes a check in version 1.0. */
function convertPattern(component: JsonObject, { lose }: ToV1): void {
  const { validationRegexp: pattern, value = '', checks } = component
  if (pattern === undefined) return
  delete component.validationRegexp
  lose('validationRegexp', 'validationRegexp')
  if (typeof pattern !== 'string') return
  const condition = { '@call': 'regex', args: { value, pattern } }
  const others = Array.isArray(checks) ? checks : []
  component.checks = [...others, { condition, message: 'Invalid value.' }]
}
