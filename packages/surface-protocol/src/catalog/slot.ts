/** Kinds of literal a bound value can hold. */
export type BoundKind = 'string' | 'number' | 'boolean' | 'stringArray' | 'any'

/** The kinds of value that one place of a property object accepts. */
export type Slot =
  | { readonly kind: 'bound'; readonly value: BoundKind; readonly literals?: ReadonlySet<string> }
  | { readonly kind: 'children' }
  | { readonly kind: 'reference' }
  | { readonly kind: 'enum'; readonly values: ReadonlySet<string> }
  | { readonly kind: 'string' | 'number' | 'integer' | 'boolean' }
  | { readonly kind: 'object'; readonly shape: Shape }
  | { readonly kind: 'action'; readonly shape: Shape }
  | { readonly kind: 'list'; readonly item: Slot }
  /** A part of which nothing is known but that it holds no references. */
  | { readonly kind: 'opaque' }

/** The members of an object. */
export interface Shape {
  readonly fields: ReadonlyMap<string, Field>
  readonly required: readonly string[]
  /** True if references can occur in it. */
  readonly references: boolean
}

/** One member of an object; `Value` is its type on the wire, known to the compiler only. */
export interface Field<Value = unknown, Required extends boolean = boolean> {
  readonly slot: Slot
  readonly required: Required
  readonly type?: Value
}

/** A slot that knows the type of its values. */
export type SlotOf<Value> = Slot & { readonly type?: Value }

declare const REFERENCE: unique symbol
/** The id of a component, used as a reference. Any string is one. */
export type ComponentId = string & { readonly [REFERENCE]?: true }
/** A string, given or bound to the data model. */
export type BoundString = { literalString?: string; path?: string }
/** A number, given or bound to the data model. */
export type BoundNumber = { literalNumber?: number; path?: string }
/** A boolean, given or bound to the data model. */
export type BoundBoolean = { literalBoolean?: boolean; path?: string }
/** A list of strings, given or bound to the data model. */
export type BoundStringArray = { literalArray?: string[]; path?: string }
/** A value of an action's context. */
export type BoundValue = {
  path?: string
  literalString?: string
  literalNumber?: number
  literalBoolean?: boolean
}
/** The children of a container: listed, or one for each entry of a map or array in the data. */
export type Children = {
  explicitList?: ComponentId[]
  template?: { componentId: ComponentId; dataBinding: string }
}
/** The action sent to the server when the user acts. */
export type Action = { name: string; context?: { key: string; value: BoundValue }[] }

type Fields = Record<string, Field>
/** The wire type of an object with these fields. */
export type ObjectOf<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Field<unknown, true> ? K : never]: ValueOf<F[K]>
} & { -readonly [K in keyof F as F[K] extends Field<unknown, true> ? never : K]?: ValueOf<F[K]> }
type ValueOf<F> = F extends Field<infer Value> ? Value : never

/** A member that must be there. */
export function required<Value>(slot: SlotOf<Value>): Field<Value, true> {
  return { slot, required: true }
}

/** A member that may be left out. */
export function optional<Value>(slot: SlotOf<Value>): Field<Value, false> {
  return { slot, required: false }
}

/** One of the given words. */
export function enumOf<const Word extends string>(...words: Word[]): SlotOf<Word> {
  return { kind: 'enum', values: new Set(words) }
}

/** A closed object. */
export function objectOf<const F extends Fields>(fields: F): SlotOf<ObjectOf<F>> {
  return { kind: 'object', shape: shapeOf(fields) }
}

/** A list of items of one slot. */
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

/** Returns whether a type is that of a reference. */
export type IsComponentId<T> = typeof REFERENCE extends keyof T ? true : false
