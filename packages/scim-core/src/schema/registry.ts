import { ScimConfigError } from '../base/errors.ts'
import { attribute, type AttributeDescriptor, type AttributeInput } from './attribute.ts'
import { ENTERPRISE, ENTERPRISE_URN, LEGACY_ENTERPRISE_URNS } from './enterprise.ts'
import type { ScimExtension } from './extension.ts'
import { GROUP_URN, groupAttributes } from './group.ts'
import { USER_ATTRIBUTES, USER_URN } from './user.ts'

/** `User`, `Group`, or the name of a host's own type. */
export type ResourceTypeName = string

/** The schemas of a service, by type name. */
export type ResourceSchemas = Readonly<Record<'User' | 'Group', ResourceSchema>> &
  Readonly<Record<string, ResourceSchema>>

/** The schema of a type that is known to exist. */
export function schemaOf(schemas: ResourceSchemas, type: ResourceTypeName): ResourceSchema {
  const schema = schemas[type]
  if (schema === undefined) throw new TypeError(`There is no resource type ${type}`)
  return schema
}

/** An extension with completed attributes. */
export interface ExtensionSchema extends Omit<ScimExtension, 'attributes'> {
  readonly attributes: readonly AttributeDescriptor[]
}

/** The schema of a resource type: the only source of rules about its attributes. */
export interface ResourceSchema {
  readonly resourceType: ResourceTypeName
  readonly urn: string
  readonly description: string
  /** Path below the base URL: `/Users`. */
  readonly endpoint: string
  /** Attributes of the core schema, without the common ones. */
  readonly attributes: readonly AttributeDescriptor[]
  readonly extensions: readonly ExtensionSchema[]
  /** True for a host's own type. */
  readonly isCustom?: boolean
}

export interface SchemaOptions {
  /** Users have the enterprise extension. Default true. */
  readonly enterprise?: boolean
  readonly extensions?: readonly ScimExtension[]
  readonly uniqueGroupNames?: boolean
  readonly nestedGroups?: boolean
}

/** The attributes of every resource (RFC 7643 section 3.1). */
export const COMMON_ATTRIBUTES: readonly AttributeDescriptor[] = [
  {
    name: 'schemas',
    type: 'reference' as const,
    multiValued: true,
    required: true,
    returned: 'always' as const,
    mutability: 'readOnly' as const,
  },
  {
    name: 'id',
    caseExact: true,
    mutability: 'readOnly' as const,
    returned: 'always' as const,
    uniqueness: 'server' as const,
  },
  { name: 'externalId', caseExact: true },
  {
    name: 'meta',
    type: 'complex' as const,
    mutability: 'readOnly' as const,
    subAttributes: [
      { name: 'resourceType', caseExact: true, mutability: 'readOnly' as const },
      { name: 'created', type: 'dateTime' as const, mutability: 'readOnly' as const },
      { name: 'lastModified', type: 'dateTime' as const, mutability: 'readOnly' as const },
      { name: 'location', type: 'reference' as const, mutability: 'readOnly' as const },
      { name: 'version', caseExact: true, mutability: 'readOnly' as const },
    ],
  },
].map((input: AttributeInput) => attribute(input))

/**
 * Creates the schemas of both resource types.
 * @throws ScimConfigError for an invalid extension
 */
export function createSchemas(options: SchemaOptions = {}): ResourceSchemas {
  const { enterprise = true, extensions = [], uniqueGroupNames = true } = options
  const all = (enterprise ? [ENTERPRISE, ...extensions] : extensions).map(completeExtension)
  assertDistinct(all)
  const of = (type: ResourceTypeName): ExtensionSchema[] =>
    all.filter(({ resourceType }) => resourceType === type)
  return {
    User: {
      resourceType: 'User',
      urn: USER_URN,
      description: 'User Account',
      endpoint: '/Users',
      attributes: USER_ATTRIBUTES,
      extensions: of('User'),
    },
    Group: {
      resourceType: 'Group',
      urn: GROUP_URN,
      description: 'Group',
      endpoint: '/Groups',
      attributes: groupAttributes({
        uniqueNames: uniqueGroupNames,
        nested: options.nestedGroups ?? false,
      }),
      extensions: of('Group'),
    },
  }
}

const indexes = new WeakMap<
  readonly AttributeDescriptor[],
  ReadonlyMap<string, AttributeDescriptor>
>()

/** Finds an attribute by name, ignoring case. */
export function findAttribute(
  attributes: readonly AttributeDescriptor[],
  name: string,
): AttributeDescriptor | undefined {
  let index = indexes.get(attributes)
  if (index === undefined) {
    index = new Map(
      attributes.flatMap((one) => [
        [one.name.toLowerCase(), one],
        [one.name, one],
      ]),
    )
    indexes.set(attributes, index)
  }
  return index.get(name) ?? index.get(name.toLowerCase())
}

/** Finds an extension of a resource type by its URN, ignoring case. */
export function findExtension(schema: ResourceSchema, urn: string): ExtensionSchema | undefined {
  const exact = schema.extensions.find((one) => one.urn === urn)
  if (exact !== undefined) return exact
  const lower = urn.toLowerCase()
  return schema.extensions.find((one) => one.urn.toLowerCase() === lower)
}

/** Older URNs of the enterprise extension, if the type has it. */
export function legacyUrns(schema: ResourceSchema): readonly string[] {
  return findExtension(schema, ENTERPRISE_URN) === undefined ? [] : LEGACY_ENTERPRISE_URNS
}

/** The extension that an older URN names (quirk `legacySchemas`). */
export function legacyExtension(schema: ResourceSchema, urn: string): ExtensionSchema | undefined {
  const lower = urn.toLowerCase()
  const isLegacy = LEGACY_ENTERPRISE_URNS.some((one) => one.toLowerCase() === lower)
  return isLegacy ? findExtension(schema, ENTERPRISE_URN) : undefined
}

/** Returns whether a URN is the core schema of a resource type, ignoring case. */
export function isCoreUrn(schema: ResourceSchema, urn: string): boolean {
  return urn === schema.urn || urn.toLowerCase() === schema.urn.toLowerCase()
}

export const URN = /^urn:[a-z0-9][a-z0-9-]{0,31}:[a-z0-9._:~%+-]+$/i
const NAME = /^[a-z$][a-z0-9_-]*$/i

export function completeExtension(extension: ScimExtension): ExtensionSchema {
  if (!URN.test(extension.urn)) {
    throw new ScimConfigError('extensions', `${extension.urn} is not a URN`)
  }
  const attributes = extension.attributes.map((one) => attribute(one, `${extension.urn}:`))
  for (const one of attributes) assertUsable(one, extension.urn)
  return { ...extension, attributes }
}

/** @throws ScimConfigError */
export function assertUsable(one: AttributeDescriptor, urn: string): void {
  const problem = problemOf(one)
  if (problem !== undefined) {
    throw new ScimConfigError('extensions', `Attribute ${one.name} of ${urn} ${problem}`)
  }
  for (const sub of one.subAttributes) {
    if (sub.type === 'complex' || sub.multiValued) {
      throw new ScimConfigError('extensions', `Sub-attribute ${sub.name} of ${urn} nests too deep`)
    }
    assertUsable(sub, urn)
  }
}

function problemOf({ name, type, subAttributes }: AttributeDescriptor): string | undefined {
  if (!NAME.test(name)) return 'has a name outside the grammar of RFC 7643 section 2.1'
  if (name in Object.prototype) return 'has the name of a built-in property'
  if (type === 'complex' && subAttributes.length === 0) return 'has no sub-attributes'
  const names = new Set(subAttributes.map((sub) => sub.name.toLowerCase()))
  if (names.size !== subAttributes.length) return 'has two sub-attributes of one name'
  return undefined
}

function assertDistinct(extensions: readonly ExtensionSchema[]): void {
  const urns = new Set<string>([USER_URN.toLowerCase(), GROUP_URN.toLowerCase()])
  for (const { urn, attributes } of extensions) {
    if (urns.has(urn.toLowerCase())) {
      throw new ScimConfigError('extensions', `${urn} is given twice`)
    }
    urns.add(urn.toLowerCase())
    const names = new Set(attributes.map(({ name }) => name.toLowerCase()))
    if (names.size !== attributes.length) {
      throw new ScimConfigError('extensions', `${urn} has two attributes of one name`)
    }
  }
}
