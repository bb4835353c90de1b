import { setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { CatalogTable, FunctionTable, ObjectTable, SlotTable } from './v09/table.ts'

/** Names of the common types, by slot. */
const common: Readonly<Record<string, string>> = {
  id: 'ComponentId',
  children: 'ChildList',
  dString: 'DynamicString',
  dNumber: 'DynamicNumber',
  dBoolean: 'DynamicBoolean',
  dStrings: 'DynamicStringList',
  dValue: 'DynamicValue',
  binding: 'DataBinding',
  call: 'FunctionCall',
  action: 'Action',
}

/** A reference to a common type. */
export function commonType(name: string): JsonObject {
  return { $ref: `common_types.json#/$defs/${name}` }
}

/** The document of a catalog from version 0.9 on: compiling it yields the table again. */
export function formatTable(table: CatalogTable, protocolVersion: string): JsonObject {
  const { catalogId, components, functions, theme, instructions } = table
  const document: JsonObject = { catalogId, components: {} }
  if (instructions !== undefined) document.instructions = instructions
  document.components = mapObject(components, (one, type) => componentSchema(type, one))
  document.functions = mapObject(functions, (one, name) =>
    functionSchema(name, one, protocolVersion),
  )
  if (theme !== null) document.$defs = { theme: objectSchema(theme) }
  return document
}

function mapObject<T>(
  table: Readonly<Record<string, T>>,
  convert: (one: T, name: string) => JsonObject,
): JsonObject {
  const result: JsonObject = {}
  for (const [name, one] of Object.entries(table)) setOwn(result, name, convert(one, name))
  return result
}

/** The document of a component with these properties. */
export function componentSchema(type: string, table: ObjectTable): JsonObject {
  const { fields, parents, children } = table
  const own = objectSchema(table)
  const allOf: JsonValue[] = [commonType('ComponentCommon')]
  if (fields.checks === 'checks') allOf.push(commonType('Checkable'))
  return {
    type: 'object',
    allOf,
    ...own,
    properties: { component: { const: type }, ...(own.properties as JsonObject) },
    required: ['component', ...(table.required ?? [])],
    ...(parents === undefined ? {} : { allowedParents: [...parents] }),
    ...(children === undefined ? {} : { allowedChildren: [...children] }),
  }
}

function functionSchema(
  name: string,
  { args, anyOf = [], returns, callers }: FunctionTable,
  protocolVersion: string,
): JsonObject {
  const isTagged = protocolVersion === '1.0'
  const key = isTagged ? '@call' : 'call'
  const own = objectSchema(args)
  const needs = anyOf.map((one): JsonObject => ({ required: [one] }))
  return {
    type: 'object',
    ...(isTagged ? { returnType: returns } : {}),
    ...(callers === undefined ? {} : { allowedCallers: callers }),
    properties: {
      [key]: { const: name },
      args: needs.length === 0 ? own : { ...own, anyOf: needs },
      ...(isTagged ? {} : { returnType: { const: returns } }),
    },
    required: [key, 'args'],
    unevaluatedProperties: false,
  }
}

function objectSchema({ fields, required = [], open }: ObjectTable): JsonObject {
  const properties: JsonObject = {}
  for (const [name, slot] of Object.entries(fields)) {
    // Checks come with `Checkable`.
    if (slot !== 'checks') setOwn(properties, name, slotSchema(slot))
  }
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required: [...required] }),
    ...(open === true ? {} : { unevaluatedProperties: false }),
  }
}

function slotSchema(slot: SlotTable): JsonObject {
  if (typeof slot === 'string') {
    const name = common[slot]
    if (name !== undefined) return commonType(name)
    return slot === 'any' ? {} : { type: slot }
  }
  if ('enum' in slot) return { enum: [...slot.enum] }
  if ('list' in slot) {
    const list = { type: 'array', items: slotSchema(slot.list) }
    return slot.min === undefined ? list : { ...list, minItems: slot.min }
  }
  if ('object' in slot) return objectSchema(slot.object)
  if ('one' in slot) return { oneOf: slot.one.map(slotSchema) }
  if ('pattern' in slot) return { type: 'string', pattern: slot.pattern }
  if ('schema' in slot) return slot.schema as JsonObject
  const [low, high] = slot.range
  return {
    type: slot.whole === true ? 'integer' : 'number',
    ...(low === null ? {} : { minimum: low }),
    ...(high === null ? {} : { maximum: high }),
  }
}
