import type { AttributeInput } from './attribute.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

const readOnly = (input: AttributeInput): AttributeInput => ({
  ...input,
  mutability: 'readOnly',
  ...(input.subAttributes && { subAttributes: input.subAttributes.map(readOnly) }),
})

const SUPPORTED: AttributeInput = {
  name: 'supported',
  type: 'boolean',
  required: true,
  description: 'Whether the feature is supported.',
}

const feature = (
  name: string,
  description: string,
  more: readonly AttributeInput[] = [],
): AttributeInput => ({
  name,
  type: 'complex',
  required: true,
  description,
  subAttributes: [SUPPORTED, ...more],
})

const integer = (name: string, description: string): AttributeInput => ({
  name,
  type: 'integer',
  required: true,
  description,
})

const CONFIG: readonly AttributeInput[] = [
  {
    name: 'documentationUri',
    type: 'reference',
    referenceTypes: ['external'],
    description: 'Address of a page for people.',
  },
  feature('patch', 'Changes by PATCH.'),
  feature('bulk', 'Several operations in one request.', [
    integer('maxOperations', 'Operations one request may hold.'),
    integer('maxPayloadSize', 'Bytes one request may have.'),
  ]),
  feature('filter', 'Filters of lists.', [
    integer('maxResults', 'Resources one answer holds at most.'),
  ]),
  feature('changePassword', 'Changes of passwords.'),
  feature('sort', 'Sorting of lists.'),
  feature('etag', 'Entity tags.'),
  {
    name: 'pagination',
    type: 'complex',
    description: 'Ways of paging (RFC 9865).',
    subAttributes: [
      { name: 'cursor', type: 'boolean', required: true, description: 'Paging by cursor.' },
      { name: 'index', type: 'boolean', required: true, description: 'Paging by index.' },
      {
        name: 'defaultPaginationMethod',
        canonicalValues: ['cursor', 'index'],
        description: 'The way used when a request names none.',
      },
      { ...integer('defaultPageSize', 'Resources on a page by default.'), required: false },
      { ...integer('maxPageSize', 'Resources on a page at most.'), required: false },
      { ...integer('cursorTimeout', 'Seconds a cursor can be used.'), required: false },
    ],
  },
  {
    name: 'authenticationSchemes',
    type: 'complex',
    multiValued: true,
    required: true,
    description: 'Ways to authenticate.',
    subAttributes: [
      {
        name: 'type',
        required: true,
        canonicalValues: ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'],
        description: 'The kind of authentication.',
      },
      { name: 'name', required: true, description: 'The name of the scheme.' },
      { name: 'description', required: true, description: 'Description of the scheme.' },
      {
        name: 'specUri',
        type: 'reference',
        referenceTypes: ['external'],
        description: 'Address of the specification.',
      },
      {
        name: 'documentationUri',
        type: 'reference',
        referenceTypes: ['external'],
        description: 'Address of a page about its use.',
      },
      { name: 'primary', type: 'boolean', description: 'Whether this is the preferred scheme.' },
    ],
  },
]

const RESOURCE_TYPE: readonly AttributeInput[] = [
  { name: 'id', description: 'The id of the resource type.' },
  { name: 'name', required: true, description: 'The name of the resource type.' },
  { name: 'description', description: 'Description of the resource type.' },
  {
    name: 'endpoint',
    type: 'reference',
    referenceTypes: ['uri'],
    required: true,
    description: 'The address of the resource type below the base.',
  },
  {
    name: 'schema',
    type: 'reference',
    referenceTypes: ['uri'],
    required: true,
    caseExact: true,
    description: 'URN of its schema.',
  },
  {
    name: 'schemaExtensions',
    type: 'complex',
    multiValued: true,
    description: 'Its extensions.',
    subAttributes: [
      {
        name: 'schema',
        type: 'reference',
        referenceTypes: ['uri'],
        required: true,
        caseExact: true,
        description: 'URN of the extension.',
      },
      {
        name: 'required',
        type: 'boolean',
        required: true,
        description: 'Whether every resource must have this extension.',
      },
    ],
  },
]

const characteristics: readonly AttributeInput[] = [
  { name: 'name', required: true, caseExact: true, description: 'The name of the attribute.' },
  {
    name: 'type',
    required: true,
    canonicalValues: [
      'string',
      'complex',
      'boolean',
      'decimal',
      'integer',
      'dateTime',
      'reference',
      'binary',
    ],
    description: 'Its data type.',
  },
  {
    name: 'multiValued',
    type: 'boolean',
    required: true,
    description: 'Whether the attribute holds a list of values.',
  },
  { name: 'description', description: 'Description of the attribute.' },
  { name: 'required', type: 'boolean', description: 'Whether a value is required.' },
  {
    name: 'canonicalValues',
    multiValued: true,
    caseExact: true,
    description: 'Suggested values.',
  },
  { name: 'caseExact', type: 'boolean', description: 'Whether comparisons are case-sensitive.' },
  {
    name: 'mutability',
    caseExact: true,
    canonicalValues: ['readOnly', 'readWrite', 'immutable', 'writeOnly'],
    description: 'Whether it can be written.',
  },
  {
    name: 'returned',
    caseExact: true,
    canonicalValues: ['always', 'never', 'default', 'request'],
    description: 'When it is shown.',
  },
  {
    name: 'uniqueness',
    caseExact: true,
    canonicalValues: ['none', 'server', 'global'],
    description: 'Whether its value is unique.',
  },
  {
    name: 'referenceTypes',
    multiValued: true,
    caseExact: true,
    description: 'Resource types that a reference may point to.',
  },
]

const SCHEMA: readonly AttributeInput[] = [
  { name: 'id', required: true, description: 'URN of the schema.' },
  { name: 'name', required: true, description: 'The name of the schema.' },
  { name: 'description', description: 'Description of the schema.' },
  {
    name: 'attributes',
    type: 'complex',
    multiValued: true,
    required: true,
    description: 'Its attributes.',
    subAttributes: [
      ...characteristics,
      {
        name: 'subAttributes',
        type: 'complex',
        multiValued: true,
        description: 'The parts of a complex attribute.',
        subAttributes: characteristics,
      },
    ],
  },
]

/** The schemas of discovery itself (RFC 7643 section 8.7.2). */
export const SERVICE_SCHEMAS: readonly {
  readonly urn: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly AttributeInput[]
}[] = [
  {
    urn: `${CORE}:ServiceProviderConfig`,
    name: 'Service Provider Configuration',
    description: 'Features that this service supports.',
    attributes: CONFIG.map(readOnly),
  },
  {
    urn: `${CORE}:ResourceType`,
    name: 'ResourceType',
    description: 'A type of resources.',
    attributes: RESOURCE_TYPE.map(readOnly),
  },
  {
    urn: `${CORE}:Schema`,
    name: 'Schema',
    description: 'The attributes of resources.',
    attributes: SCHEMA.map(readOnly),
  },
]
