import { append } from '@x/wire'
import { isPlainObject, ownValue } from '../json.ts'
import { resolveReference, type Schema } from './json-schema.ts'
import { isReferenceName } from './references.ts'
import type { Field, Shape, Slot } from './slot.ts'

const MAX_DEPTH = 8

/** Positions of references: as declared, or null to infer them. */
export interface ShapeSource {
  readonly document: object
  readonly declared: readonly string[] | null
}

/** Infers the positions of references, bound values and actions from a schema. */
export function inferShape(schema: Schema, source: ShapeSource): Shape {
  return shapeAt(schema, { ...source, place: '', depth: 0 })
}

interface Walk extends ShapeSource {
  /** In the notation of declarations: `slots[].child`. */
  readonly place: string
  readonly depth: number
}

function shapeAt(schema: Schema, walk: Walk): Shape {
  const fields = new Map<string, Field>()
  for (const part of partsOf(schema, walk)) {
    const properties = isPlainObject(part.properties) ? part.properties : {}
    const required = Array.isArray(part.required) ? (part.required as unknown[]) : []
    for (const [name, member] of Object.entries(properties)) {
      const place = walk.place === '' ? name : `${walk.place}.${name}`
      const slot = slotAt(asSchema(member), { ...walk, place, depth: walk.depth + 1 }, name)
      fields.set(name, { slot, required: required.includes(name) })
    }
  }
  const slots = Array.from(fields.values(), ({ slot }) => slot)
  return { fields, required: [], references: slots.some(holdsReferences) }
}

function holdsReferences(slot: Slot): boolean {
  if (slot.kind === 'reference' || slot.kind === 'children') return true
  if (slot.kind === 'list') return holdsReferences(slot.item)
  return slot.kind === 'object' && slot.shape.references
}

const opaque: Slot = { kind: 'opaque' }

function slotAt(schema: Schema, walk: Walk, name: string): Slot {
  if (walk.depth > MAX_DEPTH) return opaque
  const parts = partsOf(schema, walk)
  const names = new Set(
    parts.flatMap((part) => Object.keys(isPlainObject(part.properties) ? part.properties : {})),
  )
  const declared = walk.declared?.includes(walk.place)
  if (names.has('explicitList') || names.has('template')) {
    return declared === false ? opaque : { kind: 'children' }
  }
  if (declared === true) return isList(parts) ? { kind: 'children' } : { kind: 'reference' }
  if (walk.declared === null && isReference(schema, parts, name)) return { kind: 'reference' }
  if (isBound(names)) return { kind: 'bound', value: boundKind(names) }
  if (name === 'action' && names.has('name'))
    return { kind: 'action', shape: shapeAt(schema, walk) }
  const items = parts.map((part) => asSchema(part.items)).find((one) => one !== true)
  if (items !== undefined) return listAt(items, walk, name)
  return names.size > 0 ? { kind: 'object', shape: shapeAt(schema, walk) } : opaque
}

function listAt(items: Schema, walk: Walk, name: string): Slot {
  const place = `${walk.place}[]`
  const item = slotAt(items, { ...walk, place, depth: walk.depth + 1 }, '')
  const strings = partsOf(items, walk).some((part) => part.type === 'string')
  if (walk.declared === null && name === 'children' && strings) return { kind: 'children' }
  return { kind: 'list', item }
}

function isList(parts: readonly ObjectSchema[]): boolean {
  return parts.some((part) => part.type === 'array')
}

function isReference(schema: Schema, parts: readonly ObjectSchema[], name: string): boolean {
  const isString = parts.some((part) => part.type === 'string')
  if (!isString) return false
  if (isReferenceName(name) || parts.some((part) => part.title === 'ComponentId')) return true
  const reference = typeof schema === 'object' ? schema.$ref : undefined
  return typeof reference === 'string' && reference.split('/').at(-1) === 'ComponentId'
}

function isBound(names: ReadonlySet<string>): boolean {
  const literals = [...names].filter((name) => name.startsWith('literal'))
  return names.has('path') && names.size === literals.length + 1
}

function boundKind(names: ReadonlySet<string>): Extract<Slot, { kind: 'bound' }>['value'] {
  if (names.size !== 2) return 'any'
  if (names.has('literalString')) return 'string'
  if (names.has('literalNumber')) return 'number'
  if (names.has('literalBoolean')) return 'boolean'
  return names.has('literalArray') ? 'stringArray' : 'any'
}

type ObjectSchema = Exclude<Schema, boolean>

/** The schemas a value must or may match, with references resolved. */
function partsOf(schema: Schema, { document }: ShapeSource): ObjectSchema[] {
  const parts: ObjectSchema[] = []
  const waiting: Schema[] = [schema]
  for (const one of waiting) {
    if (typeof one === 'boolean' || parts.includes(one) || parts.length > 64) continue
    parts.push(one)
    const reference = ownValue(one, '$ref')
    if (reference !== undefined) waiting.push(resolveReference(reference, document, []))
    for (const list of [one.allOf, one.anyOf, one.oneOf]) {
      if (Array.isArray(list)) append(waiting, list.map(asSchema))
    }
  }
  return parts
}

function asSchema(value: unknown): Schema {
  return typeof value === 'boolean' || isPlainObject(value) ? value : true
}
