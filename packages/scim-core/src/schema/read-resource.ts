import { isObject } from '@x/wire'
import { invalidSyntax, invalidValue, notMutable, quoteValue } from '../base/errors.ts'
import type { QuirkSwitches } from '../base/quirks.ts'
import type { AttributeDescriptor } from './attribute.ts'
import type { ScimDocument } from '../base/document.ts'
import { isEqual } from '../base/equal.ts'
import { ENTERPRISE_URN } from './enterprise.ts'
import {
  COMMON_ATTRIBUTES,
  findAttribute,
  findExtension,
  type ExtensionSchema,
  type ResourceSchema,
} from './registry.ts'
import {
  readAttribute,
  unknownAttribute,
  type ReadContext,
  type StoredObject,
  type StoredValue,
} from './read-value.ts'

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
  const attributes: Record<string, StoredValue> = {}
  let members: unknown
  let schemas: unknown
  for (const key of Object.keys(body)) {
    const value = body[key]
    const attribute = findAttribute(schema.attributes, key) ?? findAttribute(COMMON_ATTRIBUTES, key)
    if (attribute === undefined) {
      const extension = findExtension(schema, key)
      if (extension === undefined) assertIgnorable(key, context)
      const read = extension && readExtension(extension, value, context)
      if (extension !== undefined && read !== undefined) attributes[extension.urn] = read
      continue
    }
    assertReadable(attribute, context)
    const isMembers = attribute.name === 'members' && schema.isCustom !== true
    if (attribute.name === 'schemas') schemas = value
    else if (isMembers) members = value ?? undefined
    if (isMembers || attribute.mutability === 'readOnly' || attribute.mutability === 'writeOnly')
      continue
    const read = readAttribute(attribute, value, context)
    if (read !== undefined) attributes[attribute.name] = read
  }
  checkSchemas(schemas, schema, context.quirks)
  return { attributes, members }
}

/** The attributes of an extension in canonical form; undefined if none is assigned. */
export function readExtension(
  extension: ExtensionSchema,
  value: unknown,
  context: ReadContext,
): StoredObject | undefined {
  if (value === null) return undefined
  if (!isObject(value)) throw invalidValue(`${extension.urn} must be an object.`)
  const result: Record<string, StoredValue> = {}
  for (const key of Object.keys(value)) {
    const attribute = findAttribute(extension.attributes, key)
    if (attribute === undefined) {
      if (key.toLowerCase() !== 'schemas') assertIgnorable(key, context)
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
 * Parses `manager`: only its `value` is stored (SC-22). A string is accepted as the value, and `""` as no
 * manager (quirk `managerShorthand`).
 */
export function readManager(
  value: unknown,
  extension: ExtensionSchema,
  context: ReadContext,
): StoredObject | undefined {
  const attribute = findAttribute(extension.attributes, 'manager')
  if (attribute === undefined || value === null) return undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (Array.isArray(value) && (!context.quirks.managerShorthand || list.length !== 1)) {
    throw invalidValue('manager must be an object.')
  }
  const first = list[0]
  const shorthand = context.quirks.managerShorthand && typeof first === 'string'
  const read = readAttribute(attribute, shorthand ? { value: first } : first, context)
  if (!isObject(read) || typeof read['value'] !== 'string' || read['value'] === '') return undefined
  return { value: read['value'] }
}

/**
 * @throws ScimError invalidSyntax unless `schemas` is a list of distinct strings with the URN of the type
 * (SC-23)
 */
export function checkSchemas(value: unknown, schema: ResourceSchema, quirks: QuirkSwitches): void {
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

/** @throws ScimError invalidSyntax for a password, if passwords are rejected (SH-58) */
export function assertReadable(
  { name, mutability }: AttributeDescriptor,
  { rejectPassword }: ReadContext,
): void {
  if (rejectPassword !== true || name !== 'password' || mutability !== 'writeOnly') return
  throw invalidSyntax(`The attribute ${name} is not accepted.`)
}

function assertIgnorable(key: string, { rejectUnknown }: ReadContext): void {
  if (rejectUnknown) throw unknownAttribute(quoteValue(key))
}
