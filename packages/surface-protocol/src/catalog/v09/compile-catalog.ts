import { SurfaceError } from '../../diagnostics/errors.ts'
import { formatPointer, isPlainObject } from '../../json.ts'
import type { CatalogTable, FunctionTable, ObjectTable, SlotTable } from './table.ts'

type Schema = Readonly<Record<string, unknown>>
type Place = readonly (string | number)[]

/** Names in `common_types.json#/$defs/...` that have their own slots. */
const common: Readonly<Record<string, SlotTable>> = {
  ComponentId: 'id',
  Child: 'id',
  ChildList: 'children',
  DynamicString: 'dString',
  DynamicNumber: 'dNumber',
  DynamicBoolean: 'dBoolean',
  DynamicStringList: 'dStrings',
  DynamicValue: 'dValue',
  DataBinding: 'binding',
  FunctionCall: 'call',
  Action: 'action',
}
const COMMON =
  /^(?:https:\/\/a2ui\.org\/specification\/v(?:0_9(?:_1)?|1_0)\/)?common_types\.json#\/\$defs\/(\w+)$/

/**
 * Compiles a catalog document from version 0.9 on to a table. Nothing is fetched.
 * @param version protocol version of the catalog
 * @throws SurfaceError `invalid_catalog` with the position in the document
 */
export function compileCatalog(document: Schema, version: '0.9' | '1.0' = '0.9'): CatalogTable {
  const { catalogId, protocolVersion, instructions } = document
  if (typeof catalogId !== 'string' || catalogId === '') {
    throw wrong('A catalog must have an id.', ['catalogId'])
  }
  if (protocolVersion !== undefined && !isVersion(protocolVersion, version)) {
    throw wrong(`The catalog is not for version ${version}.`, ['protocolVersion'])
  }
  return {
    catalogId,
    components: mapOf(document.components, ['components'], (schema, place) =>
      componentOf(schema, { document, place, envelope: envelopes[version] }),
    ),
    functions: functionsOf(document),
    theme: themeOf(document),
    ...(typeof instructions === 'string' ? { instructions } : {}),
  }
}

function isVersion(named: unknown, version: string): boolean {
  if (typeof named !== 'string') return false
  const number = named.replace(/^v/, '')
  return number === version || number.startsWith(`${version}.`)
}

interface At {
  readonly document: Schema
  readonly place: Place
  /** Members of a component that are not its properties. */
  readonly envelope?: ReadonlySet<string>
  /** The component around it, to which references of inline catalogs lead. */
  readonly component?: Schema
}

function wrong(detail: string, place: Place): SurfaceError {
  return new SurfaceError({ code: 'invalid_catalog', detail, path: formatPointer(place) })
}

function mapOf<T>(
  value: unknown,
  place: Place,
  make: (schema: Schema, place: Place) => T,
): Record<string, T> {
  if (value === undefined) return {}
  if (!isPlainObject(value)) throw wrong('An object is expected.', place)
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => {
      if (!isPlainObject(schema)) throw wrong('A schema must be an object.', [...place, name])
      return [name, make(schema, [...place, name])]
    }),
  )
}

/** Functions by name; also accepts the list form of inline catalogs. */
function functionsOf(document: Schema): Record<string, FunctionTable> {
  const { functions } = document
  if (!Array.isArray(functions)) {
    return mapOf(functions, ['functions'], (schema, place) =>
      functionOf(schema, { document, place }),
    )
  }
  return Object.fromEntries(
    functions.map((one: unknown, index) => {
      const place = ['functions', index]
      if (!isPlainObject(one) || typeof one.name !== 'string') {
        throw wrong('A function has a name.', place)
      }
      const parameters = isPlainObject(one.parameters) ? one.parameters : {}
      const args = computable(objectOf(parameters, { document, place: [...place, 'parameters'] }))
      const { returnType = 'any' } = one
      return [one.name, { args, returns: typeof returnType === 'string' ? returnType : 'any' }]
    }),
  )
}

const dynamic: Readonly<Record<string, SlotTable>> = {
  string: 'dString',
  number: 'dNumber',
  boolean: 'dBoolean',
}

/** The list form says what a function gets, which a binding or a call may compute. */
function computable({ fields, ...table }: ObjectTable): ObjectTable {
  const entries = Object.entries(fields).map(([name, slot]): [string, SlotTable] => {
    const isText = typeof slot === 'string'
    if (isText && (slot === 'any' || /^d[A-Z]/.test(slot))) return [name, slot]
    const known = isText ? dynamic[slot] : undefined
    return [name, known ?? { one: [slot, 'binding', 'call'] }]
  })
  return { ...table, fields: Object.fromEntries(entries) }
}

function functionOf(schema: Schema, { document, place }: At): FunctionTable {
  const properties = isPlainObject(schema.properties) ? schema.properties : {}
  const args = isPlainObject(properties.args) ? properties.args : {}
  const returns = isPlainObject(properties.returnType) ? properties.returnType.const : undefined
  const table = objectOf(args, { document, place: [...place, 'properties', 'args'] })
  const anyOf = Array.isArray(args.anyOf)
    ? args.anyOf.flatMap((one: unknown) =>
        isPlainObject(one) && Array.isArray(one.required) ? (one.required as string[]) : [],
      )
    : []
  const { returnType, allowedCallers } = schema
  const named = returns ?? returnType
  return {
    args: table,
    ...(anyOf.length === 0 ? {} : { anyOf }),
    returns: typeof named === 'string' ? named : 'any',
    ...(typeof allowedCallers === 'string' ? { callers: allowedCallers } : {}),
  }
}

function themeOf(document: Schema): ObjectTable | null {
  const defs = isPlainObject(document.$defs) ? document.$defs : {}
  const inline = isPlainObject(document.theme) ? document.theme : undefined
  const theme = defs.theme ?? inline
  if (!isPlainObject(theme)) return null
  return objectOf(theme, { document, place: ['$defs', 'theme'] })
}

/** A component: the combined declarations of its parts, without envelope members. */
function componentOf(schema: Schema, at: At): ObjectTable {
  const { fields, required } = objectOf(schema, { ...at, component: schema })
  const { envelope = envelopes['0.9'] } = at
  const own = Object.fromEntries(Object.entries(fields).filter(([name]) => !envelope.has(name)))
  const needed = (required ?? []).filter((name) => !envelope.has(name))
  return {
    fields: own,
    ...(needed.length === 0 ? {} : { required: needed }),
    ...typesIn(schema, 'allowedParents', 'parents'),
    ...typesIn(schema, 'allowedChildren', 'children'),
  }
}

function typesIn(schema: Schema, name: string, as: 'parents' | 'children'): object {
  const list = schema[name]
  return Array.isArray(list) ? { [as]: list.map(String) } : {}
}

/** Members every component may have, by version. */
const envelopes = {
  '0.9': new Set(['id', 'component', 'accessibility']),
  '1.0': new Set(['id', 'component', 'accessibility', 'catalogId', 'metadata']),
}

/** The members of an object schema, including those of its `allOf` parts. */
function objectOf(schema: Schema, at: At): ObjectTable {
  const fields: Record<string, SlotTable> = {}
  const required = new Set<string>()
  let closed = false
  for (const part of partsOf(schema, at)) {
    if (part.common === 'Checkable') fields.checks = 'checks'
    else if (part.common !== null) continue
    const { properties, additionalProperties, unevaluatedProperties } = part.schema
    if (additionalProperties === false || unevaluatedProperties === false) closed = true
    for (const [name, member] of Object.entries(isPlainObject(properties) ? properties : {})) {
      if (at.envelope?.has(name) === true) continue
      fields[name] = slotOf(member, {
        ...at,
        place: [...part.place, 'properties', name],
      })
    }
    const names = part.schema.required
    if (Array.isArray(names)) for (const name of names) required.add(String(name))
  }
  return {
    fields,
    ...(required.size === 0 ? {} : { required: [...required] }),
    ...(closed ? {} : { open: true }),
  }
}

interface Part {
  readonly schema: Schema
  readonly place: Place
  /** Name among the common types, if it is one. */
  readonly common: string | null
}

/** A schema and all schemas it is composed of, with references resolved. */
function partsOf(schema: Schema, { document, place }: At): Part[] {
  const parts: Part[] = []
  const waiting: { schema: Schema; place: Place }[] = [{ schema, place }]
  for (const next of waiting) {
    if (waiting.length > 200) throw wrong('The schema leads to itself.', place)
    const { $ref: reference, allOf } = next.schema
    if (reference === undefined) parts.push({ ...next, common: null })
    else {
      const name = commonName(reference)
      if (name === null) waiting.push(resolve(reference, { document, place: next.place }))
      else parts.push({ schema: {}, place: next.place, common: name })
    }
    if (Array.isArray(allOf)) {
      allOf.forEach((one: unknown, index) => {
        if (isPlainObject(one))
          waiting.push({ schema: one, place: [...next.place, 'allOf', index] })
      })
    }
  }
  return parts
}

function commonName(reference: unknown): string | null {
  return typeof reference === 'string' ? (COMMON.exec(reference)?.[1] ?? null) : null
}

function resolve(
  reference: unknown,
  { document, place, component }: At,
): { schema: Schema; place: Place } {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) {
    throw wrong('A reference stays within the document or leads to common_types.json.', [
      ...place,
      '$ref',
    ])
  }
  const path = reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const parts = Array.isArray(component?.allOf) ? (component.allOf as unknown[]) : []
  const target = [document, component, ...parts]
    .map((root) => memberAt(root, path))
    .find(isPlainObject)
  if (target === undefined) throw wrong('The reference has no target.', [...place, '$ref'])
  return { schema: target, place: path }
}

function memberAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const part of path) {
    const isIndex = Array.isArray(value) && /^\d+$/.test(part)
    const isMember = isPlainObject(value) && Object.hasOwn(value, part)
    value = isIndex || isMember ? (value as Schema)[part] : undefined
  }
  return value
}

/**
 * What the public client writes for a text in an inline catalog: the text of the first label that it met, or one of the
 * three forms of that text.
 */
const LABEL = /^#\/properties\/accessibility\/properties\/label(?:\/anyOf\/([012]))?$/
const labelSlots: readonly SlotTable[] = ['string', 'binding', 'call']

/** Whether alternatives are the three forms of that text. */
function isLabel(alternatives: readonly unknown[]): boolean {
  return (
    alternatives.length === labelSlots.length &&
    alternatives.every((one) => isPlainObject(one) && LABEL.test(String(one.$ref)))
  )
}

/** The slot of a property. */
function slotOf(value: unknown, at: At, depth = 0): SlotTable {
  if (value === true) return 'any'
  if (!isPlainObject(value)) throw wrong('A schema must be an object.', at.place)
  if (depth > 32) throw wrong('The schema is nested too deeply.', at.place)
  const { $ref: reference } = value
  if (reference !== undefined) {
    const name = commonName(reference)
    if (name !== null && common[name] !== undefined) return common[name]
    if (name !== null) return 'any'
    const label = typeof reference === 'string' ? LABEL.exec(reference) : null
    if (label !== null && !Object.hasOwn(at.document, 'properties')) {
      return labelSlots[Number(label[1] ?? 3)] ?? 'dString'
    }
    const target = resolve(reference, at)
    return slotOf(target.schema, { ...at, place: target.place }, depth + 1)
  }
  const { allOf, oneOf, anyOf } = value
  if (Array.isArray(allOf)) return combined(allOf, at, depth)
  const alternatives = Array.isArray(oneOf) ? oneOf : anyOf
  if (Array.isArray(alternatives)) {
    const one = alternatives.map((schema: unknown, index) =>
      slotOf(schema, { ...at, place: [...at.place, 'oneOf', index] }, depth + 1),
    )
    if (isLabel(alternatives)) return 'dString'
    return one.length === 1 && one[0] !== undefined ? one[0] : { one }
  }
  return plainSlot(value, at, depth)
}

/** Parts with more than annotations; formats count as annotations. */
function combined(parts: readonly unknown[], at: At, depth: number): SlotTable {
  const slots = parts
    .filter((part) => isPlainObject(part) && !('if' in part))
    .map((part, index) => slotOf(part, { ...at, place: [...at.place, 'allOf', index] }, depth + 1))
    .filter((slot) => slot !== 'any')
  const [first = 'any'] = slots
  return first
}

/** Keywords of texts and numbers that a table has no form for. */
const EXACT = ['minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

function plainSlot(schema: Schema, at: At, depth: number): SlotTable {
  const { type, enum: words, const: fixed, pattern, minimum, maximum, items, minItems } = schema
  if (Array.isArray(words)) return { enum: words as string[] }
  if (fixed !== undefined) return { enum: [fixed as string] }
  if (EXACT.some((keyword) => schema[keyword] !== undefined)) return { schema }
  if (type === 'string') return typeof pattern === 'string' ? { pattern } : 'string'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') {
    if (typeof minimum !== 'number' && typeof maximum !== 'number') return type
    const low = typeof minimum === 'number' ? minimum : null
    const high = typeof maximum === 'number' ? maximum : null
    return { range: [low, high], ...(type === 'integer' ? { whole: true as const } : {}) }
  }
  if (type === 'array') {
    const list =
      items === undefined
        ? 'any'
        : slotOf(items, { ...at, place: [...at.place, 'items'] }, depth + 1)
    return { list, ...(typeof minItems === 'number' ? { min: minItems } : {}) }
  }
  if (type === 'object' || schema.properties !== undefined) {
    return { object: objectOf(schema, at) }
  }
  return 'any'
}
