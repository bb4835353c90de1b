import { isObject } from '@x/wire'
import { fold } from '../base/fold.ts'
import { noteAdjusted, noteIgnored, type Notes } from '../base/notes.ts'
import type { QuirkSwitches } from '../base/quirks.ts'
import type { ScimDocument } from '../base/document.ts'
import type { AttributeDescriptor } from './attribute.ts'
import type { ReadContext } from './read-context.ts'
import type { StoredObject, StoredValue } from './stored-value.ts'

/** Core lists whose elements exist for their `value`. */
const VALUE_LISTS: ReadonlySet<string> = new Set([
  'emails',
  'phoneNumbers',
  'ims',
  'photos',
  'roles',
  'entitlements',
  'x509Certificates',
])
/** Core lists that clients send as assignments of a name. */
const NAMED_LISTS: ReadonlySet<string> = new Set(['roles', 'entitlements'])

/**
 * Converts the short and the nested forms of an element to an object: a string or number, `displayName` for
 * `display`, and JSON text in `value` (quirks `valueShorthand` and `jsonRoles`).
 * @returns undefined for an element that holds nothing
 */
export function completeElement(
  { path }: AttributeDescriptor,
  element: unknown,
  { quirks, notes, limits }: ReadContext,
): unknown {
  if (path === 'addresses' && quirks.valueShorthand && element === null) return undefined
  if (!VALUE_LISTS.has(path)) return element
  let given = element
  if (quirks.valueShorthand && (typeof element !== 'object' || element === null)) {
    if (element === null || element === '') return undefined
    if (typeof element === 'string' || typeof element === 'number') given = { value: element }
  }
  if (!NAMED_LISTS.has(path) || !isObject(given)) return given
  if (quirks.jsonRoles) given = fromJsonText(path, given, { notes, longest: limits.stringLength })
  return quirks.valueShorthand && isObject(given) ? withDisplay(given) : given
}

/** `{value: '{"value":"Admin","displayName":"Admin"}'}` as `{value: 'Admin', display: 'Admin'}`. */
function fromJsonText(
  path: string,
  element: Readonly<Record<string, unknown>>,
  { notes, longest }: { readonly notes: Notes | undefined; readonly longest: number },
): Readonly<Record<string, unknown>> {
  const key = keyOf(element, 'value')
  const text = key === undefined ? undefined : element[key]
  if (key === undefined || typeof text !== 'string' || text.length > longest) return element
  const inner = text.trimStart().startsWith('{') ? parsed(text) : undefined
  if (!isObject(inner)) return element
  const { value, displayName, display = displayName, type, ...rest } = inner
  if (typeof value !== 'string' || value === '') return element
  const { [key]: _text, ...beside } = element
  noteAdjusted(notes, path)
  for (const name of Object.keys(rest)) noteIgnored(notes, `${path}.${name}`)
  return {
    value,
    ...(typeof display === 'string' && keyOf(beside, 'display') === undefined && { display }),
    ...(typeof type === 'string' && keyOf(beside, 'type') === undefined && { type }),
    ...beside,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withDisplay(element: Readonly<Record<string, unknown>>): unknown {
  const key = keyOf(element, 'displayName')
  if (key === undefined || typeof element[key] !== 'string') return element
  const { [key]: display, ...rest } = element
  return keyOf(rest, 'display') === undefined ? { ...rest, display } : element
}

function keyOf(object: Readonly<Record<string, unknown>>, name: string): string | undefined {
  if (Object.hasOwn(object, name)) return name
  const lower = name.toLowerCase()
  return Object.keys(object).find((key) => key.toLowerCase() === lower)
}

/**
 * Joins elements of roles and entitlements with equal `value` and no different `type`; earlier
 * sub-attributes stay (quirk `jsonRoles`).
 */
export function joinSameValues(
  { path }: AttributeDescriptor,
  list: readonly StoredValue[],
  { jsonRoles }: QuirkSwitches,
): readonly StoredValue[] {
  if (!jsonRoles || list.length < 2 || !NAMED_LISTS.has(path)) return list
  const joined: StoredValue[] = []
  const places = new Map<unknown, Map<unknown, number>>()
  for (const element of list) {
    const { value, type } = partsOf(element)
    if (value === undefined) {
      joined.push(element)
      continue
    }
    const known = places.get(value) ?? new Map<unknown, number>()
    places.set(value, known)
    const [first] = known.values()
    const place = type === undefined ? first : (known.get(type) ?? known.get(undefined))
    const before = place === undefined ? undefined : joined[place]
    if (place === undefined || !isObject(before)) {
      known.set(type, joined.length)
      joined.push(element)
      continue
    }
    if (type !== undefined && !known.has(type)) {
      known.delete(undefined)
      known.set(type, place)
    }
    joined[place] = { ...objectOf(element), ...objectOf(before) }
  }
  return joined
}

/**
 * Returns whether two elements of roles and entitlements are one, whatever else they hold (quirk `jsonRoles`);
 * undefined for other lists, and for elements without a value.
 */
export function isSameNamed(
  { path }: AttributeDescriptor,
  [stored, sent]: readonly [StoredValue, StoredValue],
  { jsonRoles }: QuirkSwitches,
): boolean | undefined {
  if (!jsonRoles || !NAMED_LISTS.has(path)) return undefined
  const [held, named] = [partsOf(stored), partsOf(sent)]
  if (named.value === undefined) return undefined
  const isOfType = named.type === undefined || held.type === undefined || named.type === held.type
  return isOfType && named.value === held.value
}

function partsOf(element: StoredValue): { readonly value: unknown; readonly type: unknown } {
  return isObject(element)
    ? { value: element['value'], type: element['type'] }
    : { value: undefined, type: undefined }
}

function objectOf(element: StoredValue): StoredObject {
  return isObject(element) ? element : {}
}

/** Keeps only the first primary, if all primary elements have the same value (quirk `samePrimary`). */
export function withOnePrimary(
  { path }: AttributeDescriptor,
  list: readonly StoredValue[],
  { quirks, notes }: ReadContext,
): readonly StoredValue[] | undefined {
  const values = new Set(
    list.filter(isPrimaryObject).map((element) => {
      const { value } = partsOf(element)
      return typeof value === 'string' ? fold(value) : value
    }),
  )
  if (!quirks.samePrimary || values.size !== 1 || values.has(undefined)) return undefined
  noteAdjusted(notes, `${path}.primary`)
  let isKept = false
  return list.map((element) => {
    if (!isPrimaryObject(element)) return element
    if (isKept) return { ...objectOf(element), primary: false }
    isKept = true
    return element
  })
}

function isPrimaryObject(element: StoredValue): boolean {
  return isObject(element) && element['primary'] === true
}

/**
 * Removes elements without a value from the lists that a request has changed, and lists that become empty
 * (quirk `emptyElements`). `brought` tells whether the request itself sent elements of a list.
 */
export function dropEmptyElements(
  document: Record<string, StoredValue>,
  before: ScimDocument,
  {
    quirks,
    notes,
    brought,
  }: Pick<ReadContext, 'quirks' | 'notes'> & {
    readonly brought: (name: string) => boolean
  },
): void {
  if (!quirks.emptyElements) return
  for (const name of Object.keys(document)) {
    const list = document[name]
    if (!Array.isArray(list) || list === before[name]) continue
    if (name !== 'addresses' && !VALUE_LISTS.has(name)) continue
    const elements = list as readonly StoredValue[]
    const kept = elements.filter((element) => holdsSomething(name, element))
    if (kept.length === elements.length) continue
    if (brought(name)) noteAdjusted(notes, name)
    if (kept.length === 0) delete document[name]
    else document[name] = kept
  }
}

function holdsSomething(name: string, element: StoredValue): boolean {
  if (!isObject(element)) return true
  if (name !== 'addresses') return element['value'] !== undefined && element['value'] !== ''
  return Object.keys(element).some(
    (key) => key !== 'type' && key !== 'primary' && element[key] !== '',
  )
}
