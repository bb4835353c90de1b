import { ScimConfigError } from '../base/errors.ts'
import { attribute, type AttributeInput } from './attribute.ts'
import type { ScimExtension } from './extension.ts'
import {
  assertUsable,
  completeExtension,
  findAttribute,
  URN,
  type ResourceSchema,
} from './registry.ts'

/** The host's declaration of its own resource type. */
export interface ResourceTypeSchema {
  readonly name: string
  readonly endpoint: string
  readonly description?: string
  readonly schema: { readonly urn: string; readonly attributes: readonly AttributeInput[] }
  readonly extensions?: readonly Omit<ScimExtension, 'resourceType'>[]
  readonly unique?: readonly string[]
}

const NAME = /^[A-Za-z][A-Za-z0-9]*$/
/** First path segments of the built-in routes. */
const ROUTES: ReadonlySet<string> = new Set([
  'users',
  'groups',
  'serviceproviderconfig',
  'resourcetypes',
  'schemas',
  'me',
  'bulk',
  'securityevents',
])

/**
 * Creates the schemas of a host's own types.
 * @throws ScimConfigError on `resourceTypes`, naming the type
 */
export function createTypeSchemas(types: readonly ResourceTypeSchema[]): readonly ResourceSchema[] {
  if (types.length > 50) throw wrong('More than 50 resource types')
  const taken = new Set(['user', 'group', ...ROUTES])
  return types.map((type) => {
    const { name, endpoint, unique = [], schema, extensions = [], description = '' } = type
    if (!NAME.test(name)) throw wrong(`${name} is not a name of letters and digits`)
    if (!endpoint.startsWith('/') || !NAME.test(endpoint.slice(1))) {
      throw wrong(`${name}: the endpoint must be / and a name of letters and digits`)
    }
    for (const part of new Set([name.toLowerCase(), endpoint.slice(1).toLowerCase()])) {
      if (taken.has(part)) throw wrong(`${name}: ${part} is taken`)
      taken.add(part)
    }
    if (!URN.test(schema.urn)) throw wrong(`${name}: ${schema.urn} is not a URN`)
    if (schema.attributes.length === 0) throw wrong(`${name}: the schema has no attributes`)
    const attributes = schema.attributes.map((input) => attribute(input))
    const names = new Set(attributes.map((one) => one.name.toLowerCase()))
    if (names.size !== attributes.length) throw wrong(`${name}: two attributes of one name`)
    try {
      for (const one of attributes) assertUsable(one, schema.urn)
      const complete = extensions.map((one) => completeExtension({ ...one, resourceType: name }))
      const missing = unique.find((one) => findAttribute(attributes, one) === undefined)
      if (missing !== undefined) throw wrong(`${name}: unique names ${missing}, which is unknown`)
      const { urn } = schema
      const shared = { resourceType: name, urn, description, endpoint, isCustom: true }
      return { ...shared, attributes: marked(attributes, unique), extensions: complete }
    } catch (error) {
      throw error instanceof ScimConfigError ? wrong(`${name}: ${error.message}`) : error
    }
  })
}

/** Marks unique attributes in `/Schemas`. */
function marked(
  attributes: ResourceSchema['attributes'],
  unique: readonly string[],
): ResourceSchema['attributes'] {
  const names = new Set(unique.map((name) => name.toLowerCase()))
  return attributes.map((one) =>
    names.has(one.name.toLowerCase()) ? { ...one, uniqueness: 'server' as const } : one,
  )
}

function wrong(message: string): ScimConfigError {
  return new ScimConfigError('resourceTypes', message)
}
