import { isObject, setOwn, own, type PlainObject } from '@x/wire'
import { isSecretField, isVariableName } from './secret-values.ts'
import { isSame, mergeValue } from './merge-values.ts'

export interface FieldConflict {
  readonly field: string
  readonly sides: readonly [base: unknown, ours: unknown, theirs: unknown]
}

/** What people decide about a node besides its fields; all else of it is help or view. */
const DECIDED: ReadonlySet<string> = new Set(['display_name', 'frozen', 'tool_mode', 'outputs'])
const LISTS: ReadonlySet<string> = new Set(['field_order', 'custom_fields'])
/** The parts of a field that make its value. */
const VALUE = ['value', 'load_from_db', 'file_path'] as const

/** Whether two states of a node are the same but for its place and its view. */
export function sameNode(a: PlainObject, b: PlainObject): boolean {
  return isSame(own(a, 'data'), own(b, 'data'))
}

/** Merges two changes of a node field by field. */
export function mergeNode(
  base: PlainObject,
  ours: PlainObject,
  theirs: PlainObject,
): { readonly node: PlainObject; readonly conflicts: readonly FieldConflict[] } {
  const conflicts: FieldConflict[] = []
  const isNote = own(ours, 'type') === 'noteNode'
  const node = mergeKeys([base, ours, theirs], (key, ...sides) => {
    if (key !== 'data' || !sides.every(isObject)) return quiet(...sides)
    return mergeKeys(sides, (inner, ...parts) => {
      if (inner === 'node' && parts.every(isObject)) return mergeDetails(parts, isNote, conflicts)
      return inner === 'type' ? decided('type', parts, conflicts) : quiet(...parts)
    })
  })
  return { node, conflicts }
}

type Sides<T> = readonly [base: T, ours: T, theirs: T]

function mergeDetails(
  sides: readonly unknown[],
  isNote: boolean,
  conflicts: FieldConflict[],
): PlainObject {
  return mergeKeys(sides, (key, ...parts) => {
    if (key === 'template' && parts.every(isObject)) return mergeTemplate(parts, conflicts)
    if (LISTS.has(key)) return joined(...parts)
    const isDecided = DECIDED.has(key) || (isNote && key === 'description')
    return isDecided ? decided(key, parts, conflicts) : quiet(...parts)
  })
}

function mergeTemplate(sides: readonly unknown[], conflicts: FieldConflict[]): PlainObject {
  return mergeKeys(sides, (name, base, ours, theirs) => {
    if (!isObject(ours) || !isObject(theirs)) {
      const merged = mergeValue(base, ours, theirs)
      if (merged === undefined)
        conflicts.push({ field: name, sides: [shown(base), shown(ours), shown(theirs)] })
      return merged === undefined ? ours : merged.value
    }
    return mergeField(name, [isObject(base) ? base : {}, ours, theirs], conflicts)
  })
}

function mergeField(
  name: string,
  [base, ours, theirs]: Sides<PlainObject>,
  conflicts: FieldConflict[],
): PlainObject {
  const values = [base, ours, theirs].map(partOf) as [PlainObject, PlainObject, PlainObject]
  const whole = mergeValue(...values)
  // Only the text or table changed, not whether it names a variable.
  const alike = isSame({ ...values[1], value: 0 }, { ...values[2], value: 0 })
  const inner =
    whole === undefined && alike
      ? mergeValue(own(base, 'value'), own(ours, 'value'), own(theirs, 'value'))
      : undefined
  if (whole === undefined && inner === undefined)
    conflicts.push({ field: name, sides: [shown(base), shown(ours), shown(theirs)] })
  const merged = inner === undefined ? whole?.value : { ...values[1], value: inner.value }
  const value = (merged ?? values[1]) as PlainObject
  return mergeKeys([base, ours, theirs], (key, ...sides) =>
    VALUE.some((part) => part === key) ? (own(value, key) ?? quiet(...sides)) : quiet(...sides),
  )
}

function partOf(field: PlainObject): PlainObject {
  return Object.fromEntries(
    VALUE.map((key) => [key, own(field, key) ?? null]).filter(([, v]) => v !== null),
  )
}

/** As a list of conflicts shows a field. */
function shown(field: unknown): unknown {
  if (!isObject(field)) return field ?? null
  const value = own(field, 'value')
  const isVariable = own(field, 'load_from_db') === true && value !== ''
  if (!isSecretField(field)) return isVariable ? { variable: value } : (value ?? null)
  if (isVariableName(field)) return { variable: value }
  return value === '' || value === null || value === undefined ? (value ?? null) : '*****'
}

function decided(
  field: string,
  [base, ours, theirs]: readonly unknown[],
  conflicts: FieldConflict[],
): unknown {
  const merged = mergeValue(base, ours, theirs)
  if (merged === undefined) conflicts.push({ field, sides: [base, ours, theirs] })
  return merged === undefined ? ours : merged.value
}

/** Ours, unless only theirs changed. */
function quiet(base?: unknown, ours?: unknown, theirs?: unknown): unknown {
  return isSame(ours, base) ? theirs : ours
}

/** Lists of names, to which both sides may add and from which both may remove. */
function joined(base?: unknown, ours?: unknown, theirs?: unknown): unknown {
  const merged = mergeValue(base, ours, theirs)
  if (merged !== undefined) return merged.value
  if (isObject(ours) && isObject(theirs))
    return mergeKeys([isObject(base) ? base : {}, ours, theirs], (_, ...sides) => joined(...sides))
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return ours
  const old = new Set<unknown>(Array.isArray(base) ? base : [])
  const left = ours.filter((name) => !old.has(name) || theirs.includes(name))
  return [...left, ...theirs.filter((name) => !old.has(name) && !ours.includes(name))]
}

/** Merges objects key by key: order of ours, then what theirs has besides. */
function mergeKeys(
  [base, ours, theirs]: readonly unknown[],
  merge: (key: string, base: unknown, ours: unknown, theirs: unknown) => unknown,
): PlainObject {
  const [old, one, other] = [base, ours, theirs].map((side) => (isObject(side) ? side : {})) as [
    PlainObject,
    PlainObject,
    PlainObject,
  ]
  const made: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const value = merge(key, own(old, key), own(one, key), own(other, key))
    if (value !== undefined) setOwn(made, key, value)
  }
  return made
}
