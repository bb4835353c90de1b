import type { FunctionTable, ObjectTable, SlotTable } from './table.ts'

/** A slot prepared for validation. */
export type SlotV09 =
  | { readonly kind: Exclude<SlotTable, object> }
  | { readonly kind: 'enum'; readonly values: ReadonlySet<unknown> }
  | { readonly kind: 'list'; readonly item: SlotV09; readonly minimum: number }
  | { readonly kind: 'object'; readonly shape: ShapeV09 }
  | { readonly kind: 'one'; readonly slots: readonly SlotV09[] }
  | { readonly kind: 'pattern'; readonly test: (text: string) => boolean }
  | { readonly kind: 'range'; readonly low: number; readonly high: number; readonly whole: boolean }
  | { readonly kind: 'schema'; readonly check: SchemaCheck }

/** Validates a value against a schema; the pointer is relative to the value. */
export type SchemaCheck = (value: unknown) => { pointer: string; message: string } | null

/** The members of an object. */
export interface ShapeV09 {
  readonly fields: ReadonlyMap<string, SlotV09>
  readonly required: readonly string[]
  readonly open: boolean
  /** Members that can contain references or dynamic values. */
  readonly live: readonly (readonly [string, SlotV09])[]
  /** Those that can contain references. */
  readonly linked: readonly (readonly [string, SlotV09])[]
  /** Types allowed as its parents and children (1.0). */
  readonly parents?: ReadonlySet<string>
  readonly children?: ReadonlySet<string>
}

/** The arguments of a function. */
export interface FunctionShape {
  readonly args: ShapeV09
  readonly anyOf: readonly string[]
  readonly returns: string
  /** Who may call the function (1.0). */
  readonly callers?: string
}

/** Factories for the non-trivial parts of a table. */
export interface ShapeFactories {
  readonly pattern: (source: string) => (text: string) => boolean
  readonly schema: (schema: unknown) => SchemaCheck
  /** True if values of any form may be computed too. */
  readonly isAnyLive?: boolean
}

const simple = new Map<string, SlotV09>()

/** Prepares an object table. */
export function shapeOfTable(table: ObjectTable, factories: ShapeFactories): ShapeV09 {
  const { fields, required = [], open = false, parents, children } = table
  const { isAnyLive = false } = factories
  const entries = Object.entries(fields).map(
    ([name, slot]) => [name, slotOfTable(slot, factories)] as const,
  )
  return {
    fields: new Map(entries),
    required,
    open,
    live: entries.filter(([, slot]) => isLive(slot, isAnyLive)),
    linked: entries.filter(([, slot]) => isLinked(slot)),
    ...(parents === undefined ? {} : { parents: new Set(parents) }),
    ...(children === undefined ? {} : { children: new Set(children) }),
  }
}

/** Prepares a function table. */
export function functionOfTable(
  { args, anyOf = [], returns, callers }: FunctionTable,
  factories: ShapeFactories,
): FunctionShape {
  const shape = { args: shapeOfTable(args, factories), anyOf, returns }
  return callers === undefined ? shape : { ...shape, callers }
}

function slotOfTable(slot: SlotTable, factories: ShapeFactories): SlotV09 {
  if (typeof slot === 'string') {
    const known = simple.get(slot) ?? { kind: slot }
    simple.set(slot, known)
    return known
  }
  if ('enum' in slot) return { kind: 'enum', values: new Set(slot.enum) }
  if ('list' in slot) {
    return { kind: 'list', item: slotOfTable(slot.list, factories), minimum: slot.min ?? 0 }
  }
  if ('object' in slot) return { kind: 'object', shape: shapeOfTable(slot.object, factories) }
  if ('one' in slot)
    return { kind: 'one', slots: slot.one.map((one) => slotOfTable(one, factories)) }
  if ('pattern' in slot) return { kind: 'pattern', test: factories.pattern(slot.pattern) }
  if ('range' in slot) {
    const [low, high] = slot.range
    return {
      kind: 'range',
      low: low ?? -Infinity,
      high: high ?? Infinity,
      whole: slot.whole === true,
    }
  }
  return { kind: 'schema', check: factories.schema(slot.schema) }
}

const DEAD: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'any',
  'enum',
  'pattern',
  'range',
  'schema',
])

function isLive(slot: SlotV09, isAnyLive: boolean): boolean {
  if (slot.kind === 'list') return isLive(slot.item, isAnyLive)
  if (slot.kind === 'object') {
    return slot.shape.live.length > 0 || (isAnyLive && slot.shape.fields.size === 0)
  }
  if (slot.kind === 'one') return slot.slots.some((one) => isLive(one, isAnyLive))
  if (slot.kind === 'any') return isAnyLive
  return !DEAD.has(slot.kind)
}

function isLinked(slot: SlotV09): boolean {
  if (slot.kind === 'list') return isLinked(slot.item)
  if (slot.kind === 'object') return slot.shape.linked.length > 0
  if (slot.kind === 'one') return slot.slots.some(isLinked)
  return slot.kind === 'id' || slot.kind === 'children'
}
