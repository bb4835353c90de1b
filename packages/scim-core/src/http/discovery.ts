import { AGENT_URN } from '../options/agent-types.ts'
import type { ScimConfig } from '../options/options.ts'
import { isProfileConformant } from '../options/profile-options.ts'
import type { AttributeDescriptor, AttributeInput } from '../schema/attribute.ts'
import { attribute } from '../schema/attribute.ts'
import type { ResourceSchema } from '../schema/registry.ts'
import { SERVICE_SCHEMAS } from '../schema/service-schemas.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

type Json = Readonly<Record<string, unknown>>

/** ServiceProviderConfig; every flag is derived from the options. */
export function serviceProviderConfig(config: ScimConfig, baseUrl: string): Json {
  const { bulk, etag, limits, maxPageSize, pageSize, cursor } = config
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    ...(config.documentationUri !== undefined && { documentationUri: config.documentationUri }),
    patch: { supported: true },
    bulk: {
      supported: bulk,
      maxOperations: bulk ? limits.bulkOperations : 0,
      maxPayloadSize: bulk ? limits.bulkBytes : 0,
    },
    filter: { supported: true, maxResults: maxPageSize },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: etag },
    ...(cursor !== null && {
      pagination: {
        cursor: true,
        index: true,
        defaultPaginationMethod: 'index',
        defaultPageSize: pageSize,
        maxPageSize,
        cursorTimeout: cursor.ttl,
      },
    }),
    ...(config.eventUris !== null && {
      securityEvents: { asyncRequest: 'none', eventUris: config.eventUris },
    }),
    ...(config.schemas['Agent']?.urn === AGENT_URN && { agentExtension: AGENTS }),
    ...(isProfileConformant(config) && { interopProfileConformant: true }),
    authenticationSchemes: config.authenticationSchemes,
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${baseUrl}/ServiceProviderConfig`,
    },
  }
}

/** What of the drafts on agents is offered. */
const AGENTS = { supported: true, agentsSupported: true, agenticApplicationsSupported: false }

/** The resource types (RFC 7643 section 6). */
export function resourceTypes({ schemas }: ScimConfig, baseUrl: string): readonly Json[] {
  return Object.values(schemas).map((schema) => resourceType(schema, baseUrl))
}

function resourceType(schema: ResourceSchema, baseUrl: string): Json {
  const { resourceType: name, description, endpoint, urn, extensions } = schema
  return {
    schemas: [`${CORE}:ResourceType`],
    id: name,
    name,
    description,
    endpoint,
    schema: urn,
    ...(extensions.length > 0 && {
      schemaExtensions: extensions.map((one) => ({ schema: one.urn, required: one.required })),
    }),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }
}

/** All schemas: of the resource types, their extensions, and of discovery itself. */
export function schemaResources(
  { schemas, rejectPassword, schemaOmit }: ScimConfig,
  baseUrl: string,
): readonly Json[] {
  const types = Object.values(schemas)
  const own = [
    ...types.map(({ urn, resourceType: name, description, attributes }) => ({
      urn,
      name,
      description,
      attributes: [...attributes, EXTERNAL_ID],
    })),
    ...types.flatMap(({ extensions }) => extensions),
    ...SERVICE_SCHEMAS.map((schema) => ({
      ...schema,
      attributes: schema.attributes.map((one: AttributeInput) => attribute(one)),
    })),
  ]
  const seen = new Set<string>()
  const distinct = own.filter(({ urn }) => {
    const key = urn.toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
  return distinct.map(({ urn, name, description, attributes }) => ({
    schemas: [`${CORE}:Schema`],
    id: urn,
    name,
    description,
    attributes: attributes
      .filter(({ name: attributeName }) => !(rejectPassword && attributeName === 'password'))
      .flatMap((one) => attributeJson(one, schemaOmit)),
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${urn}` },
  }))
}

/** The common attribute that clients look for in the schema of each type. */
const EXTERNAL_ID = attribute({
  name: 'externalId',
  caseExact: true,
  description: 'The id of the resource in the directory.',
})

/** Formats an attribute as in RFC 7643 section 7, unless it is left out. */
function attributeJson(one: AttributeDescriptor, omitted: ReadonlySet<string>): readonly Json[] {
  const { type } = one
  if (omitted.has(one.path.toLowerCase())) return []
  const exactness = type === 'string' || type === 'reference' || type === 'binary'
  const json: Json = {
    name: one.name,
    type,
    ...(one.subAttributes.length > 0 && {
      subAttributes: one.subAttributes.flatMap((sub) => attributeJson(sub, omitted)),
    }),
    multiValued: one.multiValued,
    description: one.description,
    required: one.required,
    ...(one.canonicalValues.length > 0 && { canonicalValues: one.canonicalValues }),
    ...(exactness && { caseExact: one.caseExact }),
    mutability: one.mutability,
    returned: one.returned,
    ...(type !== 'complex' && { uniqueness: one.uniqueness }),
    ...(one.referenceTypes.length > 0 && { referenceTypes: one.referenceTypes }),
  }
  return [json]
}
