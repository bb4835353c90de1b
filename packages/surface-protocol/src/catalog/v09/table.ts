/** The values accepted at one position of a component or a function's arguments, as plain JSON. */
export type SlotTable =
  /** A component id; children as a list or a template. */
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
  /** Exactly one of several slots. */
  | { readonly one: readonly SlotTable[] }
  /** A string that matches a pattern. */
  | { readonly pattern: string }
  /** A number with bounds. */
  | { readonly range: readonly [number | null, number | null]; readonly whole?: true }
  /** A part described only by a schema. */
  | { readonly schema: unknown }

/** The members of an object; a closed one has no others. */
export interface ObjectTable {
  readonly fields: Readonly<Record<string, SlotTable>>
  readonly required?: readonly string[]
  readonly open?: true
  /** Types allowed as its parents and children (1.0). */
  readonly parents?: readonly string[]
  readonly children?: readonly string[]
}

/** The arguments and result of a function. */
export interface FunctionTable {
  readonly args: ObjectTable
  /** Arguments of which at least one is required. */
  readonly anyOf?: readonly string[]
  readonly returns: string
  /** Who may call the function, if not only the renderer (1.0). */
  readonly callers?: string
}

/** A catalog from version 0.9 on as plain JSON. */
export interface CatalogTable {
  readonly catalogId: string
  readonly components: Readonly<Record<string, ObjectTable>>
  readonly functions: Readonly<Record<string, FunctionTable>>
  /** Null: themes are not validated. */
  readonly theme: ObjectTable | null
  /** Instructions for models that write messages. */
  readonly instructions?: string
}
