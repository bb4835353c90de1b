/** The kinds of value that a place of a component or a function's arguments accepts, as plain JSON. */
export type SlotTable =
  /** The id of a component; children by a list or a template. */
  | 'id'
  | 'children'
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'any'
  /** Literals, bindings or calls of a kind of value. */
  | 'dString'
  | 'dNumber'
  | 'dBoolean'
  | 'dStrings'
  | 'dValue'
  | 'binding'
  | 'call'
  | 'action'
  | 'checks'
  | { readonly enum: readonly (string | number | boolean | null)[] }
  | { readonly list: SlotTable; readonly min?: number }
  | { readonly object: ObjectTable }
  /** Exactly one of several. */
  | { readonly one: readonly SlotTable[] }
  /** A text that matches a pattern. */
  | { readonly pattern: string }
  /** A number with bounds. */
  | { readonly range: readonly [number | null, number | null]; readonly whole?: true }
  /** A part that only its schema describes. */
  | { readonly schema: unknown }

/** The members of an object; a closed one has no others. */
export interface ObjectTable {
  readonly fields: Readonly<Record<string, SlotTable>>
  readonly required?: readonly string[]
  readonly open?: true
  /** Types of components that may hold this one, and that it may hold (1.0). */
  readonly parents?: readonly string[]
  readonly children?: readonly string[]
}

/** The arguments of a function and what it gives. */
export interface FunctionTable {
  readonly args: ObjectTable
  /** Arguments of which at least one is needed. */
  readonly anyOf?: readonly string[]
  readonly returns: string
  /** The callers of the function, if not the renderer alone (1.0). */
  readonly callers?: string
}

/** A catalog from version 0.9 on as plain JSON. */
export interface CatalogTable {
  readonly catalogId: string
  readonly components: Readonly<Record<string, ObjectTable>>
  readonly functions: Readonly<Record<string, FunctionTable>>
  /** Null: a theme is not checked. */
  readonly theme: ObjectTable | null
  /** Rules for models that write messages. */
  readonly instructions?: string
}
