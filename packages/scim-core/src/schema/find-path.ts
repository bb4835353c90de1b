import type { QuirkSwitches } from '../base/quirks.ts'
import type { AttributePath } from './attribute-path.ts'
import type { AttributeDescriptor } from './attribute.ts'
import {
  COMMON_ATTRIBUTES,
  findAttribute,
  findExtension,
  isCoreUrn,
  legacyExtension,
  legacyUrns,
  type ExtensionSchema,
  type ResourceSchema,
} from './registry.ts'

/** The names in a path, as written. */
export interface PathNames {
  readonly urn: string | null
  readonly name: string
  readonly sub: string | null
}

/** The resolved target of a path in a resource type's schema. */
export interface FoundPath {
  /** null: core schema or common attribute. */
  readonly extension: ExtensionSchema | null
  /** null: the extension as a whole. */
  readonly attribute: AttributeDescriptor | null
  readonly sub: AttributeDescriptor | null
}

/** The quirks that apply to names: bare extension attributes, a dot after a URN, and older URNs. */
export type PathQuirks = Partial<
  Pick<QuirkSwitches, 'unprefixedExtension' | 'dottedExtension' | 'legacySchemas'>
>

/** Resolves a path, ignoring case; undefined if the type has no such attribute. */
export function findPath(
  schema: ResourceSchema,
  { urn, name, sub }: PathNames,
  quirks: PathQuirks,
): FoundPath | undefined {
  if (urn === null) return findPlain(schema, { name, sub }, quirks.unprefixedExtension === true)
  const whole = name === '' ? urn : `${urn}:${name}${sub === null ? '' : `.${sub}`}`
  const extension = findExtension(schema, whole)
  if (extension !== undefined) return { extension, attribute: null, sub: null }
  if (isCoreUrn(schema, urn)) return findIn(null, coreAttribute(schema, name), sub)
  const owner = findExtension(schema, urn)
  const found = owner && findIn(owner, findAttribute(owner.attributes, name), sub)
  return found ?? findAfterUrn(schema, whole, quirks)
}

/** Resolves `urn.name.sub` and paths with older URNs: the longest known URN that is a prefix wins. */
function findAfterUrn(
  schema: ResourceSchema,
  whole: string,
  { dottedExtension = false, legacySchemas = false }: PathQuirks,
): FoundPath | undefined {
  if (!dottedExtension && !legacySchemas) return undefined
  const legacy = legacySchemas ? legacyExtension(schema, whole) : undefined
  if (legacy !== undefined) return { extension: legacy, attribute: null, sub: null }
  const lower = whole.toLowerCase()
  const known = [schema.urn, ...schema.extensions.map(({ urn }) => urn)]
  const urns = legacySchemas ? [...known, ...legacyUrns(schema)] : known
  let longest = ''
  for (const urn of urns) {
    const next = whole[urn.length]
    const ends = next === ':' || (next === '.' && dottedExtension)
    if (ends && urn.length > longest.length && lower.startsWith(urn.toLowerCase())) longest = urn
  }
  if (longest === '') return undefined
  const [name = '', sub = null, more] = whole.slice(longest.length + 1).split('.')
  if (more !== undefined) return undefined
  if (isCoreUrn(schema, longest)) return findIn(null, coreAttribute(schema, name), sub)
  const owner = findExtension(schema, longest) ?? legacyExtension(schema, longest)
  return owner && findIn(owner, findAttribute(owner.attributes, name), sub)
}

/** An attribute of the core schema, or a common one. */
export function coreAttribute(
  schema: ResourceSchema,
  name: string,
): AttributeDescriptor | undefined {
  return findAttribute(schema.attributes, name) ?? findAttribute(COMMON_ATTRIBUTES, name)
}

function findPlain(
  schema: ResourceSchema,
  { name, sub }: Pick<PathNames, 'name' | 'sub'>,
  unprefixed: boolean,
): FoundPath | undefined {
  const core = coreAttribute(schema, name)
  if (core !== undefined || !unprefixed) return findIn(null, core, sub)
  const owner = ownerOfName(schema, name)
  return owner && findIn(owner, findAttribute(owner.attributes, name), sub)
}

/** The only extension with an attribute of this name. */
export function ownerOfName(schema: ResourceSchema, name: string): ExtensionSchema | undefined {
  const owners = schema.extensions.filter(
    ({ attributes }) => findAttribute(attributes, name) !== undefined,
  )
  return owners.length === 1 ? owners[0] : undefined
}

function findIn(
  extension: ExtensionSchema | null,
  attribute: AttributeDescriptor | undefined,
  sub: string | null,
): FoundPath | undefined {
  if (attribute === undefined) return undefined
  if (sub === null) return { extension, attribute, sub: null }
  const found = findAttribute(attribute.subAttributes, sub)
  return found && { extension, attribute, sub: found }
}

/** Returns whether it is never shown, so that filters and sorting must not reveal it. */
export function isNeverShown({ attribute, sub }: FoundPath): boolean {
  return attribute?.returned === 'never' || sub?.returned === 'never'
}

/** Converts a resolved path to the form used by filters, sorting and stores. */
export function toAttributePath({ extension, attribute, sub }: FoundPath): AttributePath {
  const urn = extension === null ? null : extension.urn
  if (attribute === null) {
    return {
      key: urn ?? '',
      urn,
      name: '',
      sub: null,
      type: 'complex',
      caseExact: false,
      multiValued: false,
    }
  }
  const plain = sub === null ? attribute.name : `${attribute.name}.${sub.name}`
  const { type, caseExact } = sub ?? attribute
  return {
    key: urn === null ? plain : `${urn}:${plain}`,
    urn,
    name: attribute.name,
    sub: sub === null ? null : sub.name,
    type,
    caseExact,
    multiValued: attribute.multiValued,
  }
}

/** The default sub-attribute of a complex attribute: `value`. */
export function withValueSub(found: FoundPath): FoundPath {
  if (found.sub !== null || found.attribute?.type !== 'complex') return found
  const value = findAttribute(found.attribute.subAttributes, 'value')
  return value === undefined ? found : { ...found, sub: value }
}
