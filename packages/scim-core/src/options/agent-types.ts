import { isObject } from '@x/wire'
import type { ScimDocument } from '../base/document.ts'
import { invalidValue, quoteValue } from '../base/errors.ts'
import type { AttributeInput } from '../schema/attribute.ts'
import { recordData } from '../base/document.ts'
import type { ResourceStore } from '../store/resources.ts'
import { defineResourceType, type ResourceWrite, type ScimResourceType } from './resource-type.ts'

/** URN of the Agent schema of draft-wzdk-scim-agent-resource-00. */
export const AGENT_URN = 'urn:ietf:params:scim:schemas:core:2.0:Agent'

const DRAFT = 'Experimental, after draft-wzdk-scim-agent-resource-00; may change.'
const MAX_PARENTS = 100

const values = (name: string, description: string, more: object = {}): AttributeInput => ({
  name,
  description,
  type: 'complex',
  multiValued: true,
  subAttributes: [
    { name: 'value', ...more },
    { name: 'display' },
    { name: 'type' },
    { name: 'primary', type: 'boolean' },
  ],
})

const ATTRIBUTES: readonly AttributeInput[] = [
  { name: 'agentUserName', required: true, description: 'The name of the agent.' },
  {
    name: 'name',
    returned: 'request',
    description: 'The name in an older draft; taken if there is no agentUserName.',
  },
  { name: 'displayName', description: 'The name as it is shown.' },
  { name: 'description', description: 'What the agent does.' },
  { name: 'agentType', description: 'What kind of agent it is.' },
  { name: 'active', type: 'boolean', description: 'Whether the agent may act. Default: true.' },
  {
    name: 'owners',
    type: 'complex',
    multiValued: true,
    description: 'Users and groups that answer for the agent.',
    subAttributes: [
      { name: 'value', required: true, caseExact: true, description: 'The id of the owner.' },
      { name: '$ref', type: 'reference', caseExact: true, referenceTypes: ['User', 'Group'] },
      { name: 'type', mutability: 'readOnly', canonicalValues: ['User', 'Group'] },
      { name: 'display', mutability: 'readOnly', description: 'Their name when they became it.' },
    ],
  },
  values('roles', 'Roles of the agent.'),
  values('entitlements', 'What the agent may do.'),
  values('x509Certificates', 'Certificates of the agent.', { type: 'binary', caseExact: true }),
  {
    name: 'oAuthClientIdentifiers',
    type: 'complex',
    multiValued: true,
    description: 'OAuth clients that act for the agent.',
    subAttributes: ['name', 'description', 'issuer', 'subject', 'audience'].map((name) => ({
      name,
      caseExact: true,
    })),
  },
  {
    name: 'protocols',
    type: 'complex',
    multiValued: true,
    description: 'How the agent is reached.',
    subAttributes: [
      { name: 'type', canonicalValues: ['A2A', 'OpenAPI', 'MCP-Server'] },
      {
        name: 'specificationUrl',
        type: 'reference',
        caseExact: true,
        referenceTypes: ['external'],
      },
    ],
  },
  {
    name: 'parent',
    type: 'complex',
    description: 'The agent that this one belongs to.',
    subAttributes: [
      { name: 'value', caseExact: true, description: 'The id of the agent.' },
      { name: '$ref', type: 'reference', caseExact: true, referenceTypes: ['Agent'] },
    ],
  },
]

/**
 * The resource type `Agent` at `/Agents`, for `resourceTypes`. Experimental: it follows a draft, and may change in
 * a minor version.
 */
export function createAgentTypes({
  store,
}: {
  /** The store of the service, such as of `createScimStore`. */
  readonly store: { resources(type: string): ResourceStore }
}): readonly ScimResourceType[] {
  return [
    defineResourceType({
      name: 'Agent',
      endpoint: '/Agents',
      description: `Agents of the directory. ${DRAFT}`,
      schema: { urn: AGENT_URN, attributes: ATTRIBUTES },
      unique: ['agentUserName'],
      store: store.resources('Agent'),
      complete: completeAgent,
    }),
  ]
}

async function completeAgent(given: ScimDocument, write: ResourceWrite): Promise<ScimDocument> {
  const { name, ...document } = given
  const completed: Record<string, unknown> = { ...document }
  if (completed['agentUserName'] === undefined && name !== undefined)
    completed['agentUserName'] = name
  completed['active'] ??= true
  if (completed['owners'] !== undefined)
    completed['owners'] = await ownersOf(completed['owners'], write)
  await assertNoCircle(completed['parent'], write)
  return completed
}

const valueOf = (value: unknown): string | undefined => {
  const id = isObject(value) ? value['value'] : undefined
  return typeof id === 'string' ? id : undefined
}

/** Owners exist, and stay until the write has ended. */
async function ownersOf(
  owners: unknown,
  { directory, tenant }: ResourceWrite,
): Promise<readonly object[]> {
  const list = (Array.isArray(owners) ? owners : []) as readonly object[]
  const ids = list.map((owner) => valueOf(owner) ?? '')
  const users = await directory.users.briefs(tenant, ids, { keep: true })
  const groups = await directory.groups.briefs(tenant, ids, { keep: true })
  return list.map((owner, at) => {
    const id = ids[at] ?? ''
    const user = users.get(id)
    const display = user === undefined ? groups.get(id)?.displayName : user.display
    if (display === undefined) throw invalidValue(`The owner ${quoteValue(id)} does not exist.`)
    const type = user === undefined ? 'Group' : 'User'
    return { ...owner, value: id, type, ...(display !== null && { display }) }
  })
}

async function assertNoCircle(
  parent: unknown,
  { store, tenant, id }: ResourceWrite,
): Promise<void> {
  let next = valueOf(parent)
  for (let steps = 0; next !== undefined; steps += 1) {
    if (next === id || steps === MAX_PARENTS)
      throw invalidValue('The parents of the agent form a circle.')
    const record = await store.get(tenant, next)
    if (record === null) throw invalidValue(`The agent ${quoteValue(next)} does not exist.`)
    next = valueOf(recordData(record)['parent'])
  }
}
