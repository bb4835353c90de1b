import { isObject } from '@x/wire'
import { invalidSyntax, invalidValue, notMutable, quoteValue } from '../base/errors.ts'
import type { QuirkSwitches } from '../base/quirks.ts'
import type { AttributeDescriptor } from './attribute.ts'
import type { ScimDocument } from '../base/document.ts'
import { isEqual } from '../base/equal.ts'
import { ENTERPRISE_URN } from './enterprise.ts'
import { noteIgnored, orderIgnored } from '../base/notes.ts'
import { coreAttribute, ownerOfName } from './find-path.ts'
import { dropEmptyElements } from './read-elements.ts'
import {
  findAttribute,
  findExtension,
  isCoreUrn,
  legacyExtension,
  type ExtensionSchema,
  type ResourceSchema,
} from './registry.ts'
import { idOfReference } from './id-of-reference.ts'
import { isEmptyValue, readAttribute, unknownAttribute } from './read-value.ts'
import type { ReadContext } from './read-context.ts'
import type { StoredObject, StoredValue } from './stored-value.ts'

/** The writable attributes of a body in canonical form. */
export interface ResourceInput {
  readonly attributes: Readonly<Record<string, StoredValue>>
  /** The unparsed `members` of the body; undefined if missing or null. */
  readonly members: unknown
}

/**
 * Parses the body of POST or PUT (sections 5 and 6): canonical names, checked types, without readOnly and
 * unknown attributes.
 * @throws ScimError
 */
export function readResource(
  body: unknown,
  schema: ResourceSchema,
  context: ReadContext,
): ResourceInput {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.')
  const given = sortKeys(body, schema, context)
  const attributes: Record<string, StoredValue> = {}
  let members: unknown
  for (const [attribute, value] of given.attributes) {
    assertReadable(attribute, context)
    const isMembers = attribute.name === 'members' && schema.isCustom !== true
    if (isMembers) members = value ?? undefined
    if (isMembers || attribute.mutability === 'readOnly' || attribute.mutability === 'writeOnly')
      continue
    const read = readAttribute(attribute, value, context)
    if (read !== undefined) attributes[attribute.name] = read
  }
  for (const [extension, values] of given.extensions) {
    let whole: StoredObject | undefined
    // The first one counts: its own URN, then older URNs and bare names.
    for (const value of values) {
      const read = readExtension(extension, value, context)
      if (whole === undefined) whole = read
      else if (read !== undefined) whole = joined(whole, read, { extension, context })
    }
    if (whole !== undefined) attributes[extension.urn] = whole
  }
  checkSchemas(given.schemas, schema, context.quirks)
  dropEmptyElements(attributes, {}, { ...context, brought: () => true })
  orderIgnored(context.notes, Object.keys(body))
  return { attributes, members }
}

function joined(
  first: StoredObject,
  second: StoredObject,
  { extension, context }: { readonly extension: ExtensionSchema; readonly context: ReadContext },
): StoredObject {
  for (const name of Object.keys(second)) {
    if (first[name] === undefined) continue
    noteIgnored(context.notes, `${extension.urn}:${name}`, 'given_twice')
  }
  return { ...second, ...first }
}

/** The members of a body by what they name, in the order of their precedence. */
interface SortedKeys {
  readonly schemas: unknown
  readonly attributes: ReadonlyMap<AttributeDescriptor, unknown>
  readonly extensions: ReadonlyMap<ExtensionSchema, readonly unknown[]>
}

/**
 * Finds what the keys of a body name: attributes, extensions, members of an object under the core URN (quirk
 * `coreObject`), older URNs (`legacySchemas`), and bare names of extension attributes
 * (`unprefixedExtension`).
 */
function sortKeys(
  body: Readonly<Record<string, unknown>>,
  schema: ResourceSchema,
  context: ReadContext,
): SortedKeys {
  const { quirks, notes } = context
  const attributes = new Map<AttributeDescriptor, unknown>()
  const extensions = new Map<ExtensionSchema, unknown[]>()
  const cores: Readonly<Record<string, unknown>>[] = []
  const older: [ExtensionSchema, unknown][] = []
  const bare = new Map<ExtensionSchema, Record<string, unknown>>()
  let schemas: unknown
  const sort = (key: string, value: unknown, isTop: boolean): void => {
    const attribute = coreAttribute(schema, key)
    if (attribute !== undefined) {
      if (!isTop && attribute.name === 'schemas') return
      if (attribute.name === 'schemas') schemas = value
      else if (attributes.has(attribute)) noteIgnored(notes, `${schema.urn}:${key}`, 'given_twice')
      else attributes.set(attribute, value)
      return
    }
    const extension = findExtension(schema, key)
    if (extension !== undefined) {
      extensions.set(extension, [value])
      return
    }
    if (isTop && quirks.coreObject && isCoreUrn(schema, key)) {
      if (value === null) return
      if (!isObject(value)) throw invalidValue(`${schema.urn} must be an object.`)
      cores.push(value)
      return
    }
    const legacy = quirks.legacySchemas ? legacyExtension(schema, key) : undefined
    if (legacy !== undefined) {
      older.push([legacy, value])
      return
    }
    const owner = quirks.unprefixedExtension ? ownerOfName(schema, key) : undefined
    if (owner !== undefined) {
      const names = bare.get(owner) ?? {}
      names[key] = value
      bare.set(owner, names)
      return
    }
    assertIgnorable(key, context)
    if (isTop) noteIgnored(notes, key, unknownName(key))
    else noteIgnored(notes, `${schema.urn}:${key}`)
  }
  for (const key of Object.keys(body)) sort(key, body[key], true)
  for (const core of cores) for (const key of Object.keys(core)) sort(key, core[key], false)
  for (const [extension, value] of [...older, ...bare]) {
    extensions.set(extension, [...(extensions.get(extension) ?? []), value])
  }
  return { schemas, attributes, extensions }
}

/** The attributes of an extension in canonical form; undefined if none is assigned. */
export function readExtension(
  extension: ExtensionSchema,
  value: unknown,
  context: ReadContext,
): StoredObject | undefined {
  if (value === null || isEmptyValue(value)) return undefined
  if (!isObject(value)) throw invalidValue(`${extension.urn} must be an object.`)
  const result: Record<string, StoredValue> = {}
  for (const key of Object.keys(value)) {
    const attribute = findAttribute(extension.attributes, key)
    if (attribute === undefined) {
      if (key.toLowerCase() === 'schemas') continue
      assertIgnorable(key, context)
      noteIgnored(context.notes, `${extension.urn}:${key}`)
      continue
    }
    if (attribute.mutability === 'readOnly' || attribute.mutability === 'writeOnly') continue
    const read = isManager(extension, attribute.name)
      ? readManager(value[key], extension, context)
      : readAttribute(attribute, value[key], context)
    if (read !== undefined) result[attribute.name] = read
  }
  return Object.keys(result).length === 0 ? undefined : result
}

/** Returns whether an attribute is the manager of the enterprise extension. */
export function isManager(extension: ExtensionSchema | null, name: string): boolean {
  return extension?.urn === ENTERPRISE_URN && name === 'manager'
}

/**
 * Parses `manager`: only its `value` is stored, or the id in its `$ref`. A string or number is
 * accepted as the value (quirk `managerShorthand`); `""`, `[]` and `{}` mean no manager.
 */
export function readManager(
  value: unknown,
  extension: ExtensionSchema,
  context: ReadContext,
): StoredObject | undefined {
  const attribute = findAttribute(extension.attributes, 'manager')
  if (attribute === undefined || value === null || isEmptyValue(value)) return undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (Array.isArray(value) && (!context.quirks.managerShorthand || list.length !== 1)) {
    throw invalidValue(`${attribute.path} must be an object.`)
  }
  const first = list[0]
  const isShort = typeof first === 'string' || typeof first === 'number'
  const shorthand = context.quirks.managerShorthand && isShort
  const read = readAttribute(attribute, shorthand ? { value: first } : first, context)
  if (!isObject(read)) return undefined
  const { value: named, $ref: reference } = read
  if (typeof named === 'string') return named === '' ? undefined : { value: named }
  if (typeof reference !== 'string') return undefined
  const id = idOfReference(reference)
  if (id !== undefined) return { value: id }
  noteIgnored(context.notes, `${attribute.path}.$ref`, 'no_value')
  return undefined
}

/**
 * @throws ScimError invalidSyntax unless `schemas` is a list of distinct strings with the URN of the type
 */
export function checkSchemas(given: unknown, schema: ResourceSchema, quirks: QuirkSwitches): void {
  const value = givenSchemas(given, quirks)
  if (value === undefined) {
    if (quirks.missingSchemas) return
    throw invalidSyntax('The attribute schemas is required.')
  }
  const urns = readUrns(value)
  const base = schema.urn.toLowerCase()
  if (urns.includes(base)) return
  if (quirks.legacySchemas && urns.every(isLegacyUrn)) return
  throw invalidSyntax(`The attribute schemas must contain ${schema.urn}.`)
}

/** `schemas` as it counts: absent for an empty one, a list for one string (quirk `missingSchemas`). */
export function givenSchemas(value: unknown, { missingSchemas }: QuirkSwitches): unknown {
  if (!missingSchemas) return value
  if (value === null || value === '') return undefined
  if (Array.isArray(value) && value.length === 0) return undefined
  return typeof value === 'string' ? [value] : value
}

/** A list of URNs in lower case. @throws ScimError invalidSyntax */
export function readUrns(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const urns = list.filter((urn) => typeof urn === 'string').map((urn) => urn.toLowerCase())
  if (urns.length === 0 || urns.length !== list.length) {
    throw invalidSyntax('The attribute schemas must be a list of URNs.')
  }
  if (new Set(urns).size !== urns.length) {
    throw invalidSyntax('The attribute schemas holds a URN twice.')
  }
  return urns
}

/** @throws ScimError invalidValue if a required attribute is missing or empty */
export function checkRequired(resource: ScimDocument, schema: ResourceSchema): void {
  for (const { name, required } of schema.attributes) {
    if (required && (resource[name] === undefined || resource[name] === '')) {
      throw invalidValue(`The attribute ${name} is required.`)
    }
  }
  for (const extension of schema.extensions) {
    const values = resource[extension.urn]
    if (values === undefined && !extension.required) continue
    for (const { name, required } of extension.attributes) {
      if (required && (!isObject(values) || values[name] === undefined)) {
        throw invalidValue(`The attribute ${extension.urn}:${name} is required.`)
      }
    }
    if (values === undefined) throw invalidValue(`The extension ${extension.urn} is required.`)
  }
}

/**
 * @throws ScimError mutability if a replacement changes an immutable attribute that has a value
 * (RFC 7644 section 3.5.1)
 */
export function checkImmutable(
  before: ScimDocument,
  after: ScimDocument,
  { extensions }: ResourceSchema,
): void {
  for (const { urn, attributes } of extensions) {
    const [old, next] = [before[urn], after[urn]]
    for (const { name, mutability } of attributes) {
      if (mutability !== 'immutable' || !isObject(old) || old[name] === undefined) continue
      if (!isObject(next) || !isEqual(old[name], next[name])) throw notMutable(`${urn}:${name}`)
    }
  }
}

function isLegacyUrn(urn: string): boolean {
  return urn.startsWith('urn:scim:schemas:core:') || urn.startsWith('urn:scim:schemas:extension:')
}

/** @throws ScimError invalidSyntax for a password, if passwords are rejected */
export function assertReadable(
  { name, mutability }: AttributeDescriptor,
  { rejectPassword }: ReadContext,
): void {
  if (rejectPassword !== true || name !== 'password' || mutability !== 'writeOnly') return
  throw invalidSyntax(`The attribute ${name} is not accepted.`)
}

/** An unknown URN names an extension. */
const unknownName = (key: string) =>
  key.toLowerCase().startsWith('urn:') ? 'unknown_extension' : 'unknown_attribute'

function assertIgnorable(key: string, { rejectUnknown }: ReadContext): void {
  if (rejectUnknown) throw unknownAttribute(quoteValue(key))
}
