import { catalogCore, type Catalog } from '../catalog/catalog.ts'
import { documentOf } from '../catalog/parse-catalog.ts'
import type { Shape, Slot } from '../catalog/slot.ts'
import { isPlainObject, ownValue } from '../json.ts'

/**
 * A compact description of a catalog and the message rules, for a system prompt. Deterministic for a
 * given catalog.
 * @param options.types the types to include. Default: all
 */
export function formatCatalogPrompt(catalog: Catalog, options: { types?: string[] } = {}): string {
  const wanted = new Set(options.types ?? catalog.types)
  const types = catalog.types.filter((type) => wanted.has(type))
  return [
    ...rules(catalog),
    'Component types (* = required):',
    ...types.map((type) => describe(catalog, type)),
  ].join('\n')
}

function rules({ catalogId }: Catalog): string[] {
  return [
    'You describe user interfaces as JSON messages, version 0.8, one object per line, inside <a2ui-json> and </a2ui-json>.',
    'Each message has exactly one key:',
    '- {"surfaceUpdate":{"surfaceId":ID,"components":[{"id":ID,"component":{TYPE:{PROPERTIES}}}]}}: adds or replaces components.',
    '- {"dataModelUpdate":{"surfaceId":ID,"path":PATH?,"contents":[{"key":KEY,"valueString"|"valueNumber"|"valueBoolean"|"valueMap":VALUE}]}}: sets keys at PATH; without path it replaces the whole model.',
    `- {"beginRendering":{"surfaceId":ID,"root":ID,"catalogId":"${catalogId}"}}: shows the surface; send it after the components.`,
    '- {"deleteSurface":{"surfaceId":ID}}: removes the surface.',
    'Components are a flat list and refer to each other by id; no component contains itself.',
    'Values: text = {"literalString":S} or {"path":P}; number = {"literalNumber":N} or {"path":P}; boolean = {"literalBoolean":B} or {"path":P}; texts = {"literalArray":[S]} or {"path":P}.',
    'children = {"explicitList":[ID]} or {"template":{"componentId":ID,"dataBinding":PATH}}: one child for each entry; paths without a slash are relative to the entry.',
    'action = {"name":S,"context":[{"key":S,"value":VALUE}]}.',
  ]
}

function describe(catalog: Catalog, type: string): string {
  const shape = catalogCore(catalog).shape(type)
  if (shape === null) return `- ${type}`
  const required = requiredNames(catalog, type, shape)
  const properties = Array.from(shape.fields, ([name, { slot }]) => {
    return `${name}${required.has(name) ? '*' : ''}: ${slotText(slot)}`
  })
  return `- ${type}: ${properties.length === 0 ? 'no properties' : properties.join('; ')}`
}

function requiredNames(catalog: Catalog, type: string, shape: Shape): ReadonlySet<unknown> {
  const components = documentOf(catalog)?.components
  const schema = isPlainObject(components) ? ownValue(components, type) : undefined
  if (isPlainObject(schema) && Array.isArray(schema.required)) return new Set(schema.required)
  return new Set(shape.required)
}

const boundNames = {
  string: 'text',
  number: 'number value',
  boolean: 'boolean value',
  stringArray: 'texts',
  any: 'any value',
} as const

function slotText(slot: Slot): string {
  switch (slot.kind) {
    case 'bound':
      if (slot.literals === undefined) return boundNames[slot.value]
      return `${boundNames[slot.value]}, one of ${[...slot.literals].join(' ')}`
    case 'reference':
      return 'ID'
    case 'enum':
      return [...slot.values].join('|')
    case 'list':
      return `[${slotText(slot.item)}]`
    case 'object':
      return `{${Array.from(slot.shape.fields, ([name, { slot: inner }]) => `${name}: ${slotText(inner)}`).join(', ')}}`
    case 'opaque':
      return 'JSON'
    default:
      return slot.kind
  }
}
