/** Kinds of literals in a bound value. */
export type BoundKind = 'string' | 'number' | 'boolean' | 'stringArray' | 'any'

/** The values accepted at one position of a property object. */
export type Slot =
  | { readonly kind: 'bound'; readonly value: BoundKind; readonly literals?: ReadonlySet<string> }
  | { readonly kind: 'children' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'enum'; readonly values: ReadonlySet<string> }
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' }
  | { readonly kind: 'object'; readonly shape: Shape }
  | { readonly kind: 'action'; readonly shape: Shape }
  | { readonly kind: 'list'; readonly item: Slot }
  /** A value of unknown form that contains no references. */
  | { readonly kind: 'opaque' }

/** The members of an object. */
export interface Shape {
  readonly fields: ReadonlyMap<string, Field>
  readonly required: readonly string[]
  /** True if references can occur in it. */
  readonly references: boolean
}

/** A member of an object; `Value` is its wire type, at compile time only. */
export interface Field<Value = unknown, Required extends boolean = boolean> {
  readonly slot: Slot
  readonly required: Required
  readonly type?: Value
}

/** A slot with the type of its values. */
export type SlotOf<Value> = Slot & { readonly type?: Value }

declare const REFERENCE: unique symbol
/** A component id used as a reference. Assignable from any string. */
export type ComponentId = string & { readonly [REFERENCE]?: true }
/** A string literal or binding. */
export type BoundString = { literalString?: string; path?: string }
/** A number literal or binding. */
export type BoundNumber = { literalNumber?: number; path?: string }
/** A boolean literal or binding. */
export type BoundBoolean = { literalBoolean?: boolean; path?: string }
/** A list of strings, as literal or binding. */
export type BoundStringArray = { literalArray?: string[]; path?: string }
/** A value of an action's context. */
export type BoundValue = {
  path?: string
  literalString?: string
  literalNumber?: number
  literalBoolean?: boolean
}
/** The children of a container: a list, or one for each entry of a map or array in the data. */
export type Children = {
  explicitList?: ComponentId[]
  template?: { componentId: ComponentId; dataBinding: string }
}
/** The action sent to the server on user interaction. */
export type Action = { name: string; context?: { key: string; value: BoundValue }[] }

type Fields = Record<string, Field>
/** The wire type of an object with these fields. */
export type ObjectOf<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Field<unknown, true> ? K : never]: ValueOf<F[K]>
} & { -readonly [K in keyof F as F[K] extends Field<unknown, true> ? never : K]?: ValueOf<F[K]> }
type ValueOf<F> = F extends Field<infer Value> ? Value : never

/** A required member. */
export function required<Value>(slot: SlotOf<Value>): Field<Value, true> {
  return { slot, required: true }
}

/** An optional member. */
export function optional<Value>(slot: SlotOf<Value>): Field<Value, false> {
  return { slot, required: false }
}

/** An enumeration of strings. */
export function enumOf<const Word extends string>(...words: Word[]): SlotOf<Word> {
  return { kind: 'enum', values: new Set(words) }
}

/** A closed object. */
export function objectOf<const F extends Fields>(fields: F): SlotOf<ObjectOf<F>> {
  return { kind: 'object', shape: shapeOf(fields) }
}

/** A list of items. */
export function listOf<Value>(item: SlotOf<Value>): SlotOf<Value[]> {
  return { kind: 'list', item }
}

/** The shape of a property object. */
export function shapeOf(fields: Fields): Shape {
  const entries = Object.entries(fields)
  return {
    fields: new Map(entries),
    required: entries.filter(([, field]) => field.required).map(([name]) => name),
    references: entries.some(([, { slot }]) => holdsReferences(slot)),
  }
}

function holdsReferences(slot: Slot): boolean {
  if (slot.kind === 'reference' || slot.kind === 'children') return true
  if (slot.kind === 'list') return holdsReferences(slot.item)
  return slot.kind === 'object' && slot.shape.references
}

/** Resolves to true for the type of a reference. */
export type IsComponentId<T> = typeof REFERENCE extends keyof T ? true : false
