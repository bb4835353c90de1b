import { cloneJson, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import { catalogCore, type Catalog } from './catalog.ts'
import { formatTable } from './format-table.ts'
import { documentOf } from './parse-catalog.ts'
import type { BoundKind, Shape, Slot } from './slot.ts'

/**
 * The document of a catalog: parsing it yields an equivalent catalog.
 * @throws TypeError for a custom catalog object
 */
export function formatCatalog(catalog: Catalog): JsonObject {
  const document = documentOf(catalog)
  if (document !== undefined) return cloneJson(document)
  const core = catalogCore(catalog)
  if (core.v09 !== undefined) return formatTable(core.v09.table, core.v09.protocolVersion)
  const components: JsonObject = {}
  for (const type of catalog.types) {
    const shape = core.shape(type)
    if (shape === null)
      throw new TypeError('Expected a catalog created by defineCatalog or parseCatalog')
    setOwn(components, type, shapeSchema(shape))
  }
  return {
    catalogId: catalog.catalogId,
    components,
    styles: {
      font: { type: 'string' },
      primaryColor: { type: 'string', pattern: '^#[0-9a-fA-F]{6}$' },
    },
  }
}

function shapeSchema(shape: Shape): JsonObject {
  const properties: JsonObject = {}
  for (const [name, { slot }] of shape.fields) setOwn(properties, name, slotSchema(slot))
  return {
    type: 'object',
    properties,
    ...(shape.required.length === 0 ? {} : { required: [...shape.required] }),
    additionalProperties: false,
  }
}

const componentId: JsonObject = { type: 'string', title: 'ComponentId', minLength: 1 }

function slotSchema(slot: Slot): JsonValue {
  switch (slot.kind) {
    case 'bound':
      return boundSchema(slot.value, slot.literals)
    case 'reference':
      return { ...componentId }
    case 'children':
      return childrenSchema()
    case 'enum':
      return { type: 'string', enum: [...slot.values] }
    case 'list':
      return { type: 'array', items: slotSchema(slot.item) }
    case 'object':
    case 'action':
      return shapeSchema(slot.shape)
    case 'opaque':
      return {}
    default:
      return { type: slot.kind }
  }
}

const literals: Readonly<Record<Exclude<BoundKind, 'any'>, readonly [string, JsonObject]>> = {
  string: ['literalString', { type: 'string' }],
  number: ['literalNumber', { type: 'number' }],
  boolean: ['literalBoolean', { type: 'boolean' }],
  stringArray: ['literalArray', { type: 'array', items: { type: 'string' } }],
}

/** The schema of a bound value: a literal, a path, or both. */
export function boundSchema(kind: BoundKind, words?: ReadonlySet<string>): JsonObject {
  const kinds = kind === 'any' ? (['string', 'number', 'boolean'] as const) : [kind]
  const properties: JsonObject = {}
  for (const one of kinds) {
    const [name, schema] = literals[one]
    properties[name] = words === undefined ? { ...schema } : { ...schema, enum: [...words] }
  }
  properties.path = { type: 'string' }
  const names = kinds.map((one) => literals[one][0])
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => ({ required: [a, b] })))
  return {
    type: 'object',
    properties,
    minProperties: 1,
    additionalProperties: false,
    ...(pairs.length === 0 ? {} : { not: { anyOf: pairs } }),
  }
}

/** The schema of children: a list or a template, exactly one of them. */
export function childrenSchema(): JsonObject {
  return {
    type: 'object',
    properties: {
      explicitList: { type: 'array', items: { ...componentId } },
      template: {
        type: 'object',
        properties: { componentId: { ...componentId }, dataBinding: { type: 'string' } },
        required: ['componentId', 'dataBinding'],
        additionalProperties: false,
      },
    },
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  }
}
