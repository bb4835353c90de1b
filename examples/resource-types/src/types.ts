import { defineResourceType, type ScimResourceType } from '@x/scim-core'
import { createMemoryResourceStore } from '@x/scim-core/memory'

const OKTA = 'urn:okta:scim:schemas:core:1.0'
const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

/** Conformance testers assign invented roles, which `UNKNOWN_IDS=keep` accepts. */
const onUnknown = process.env['UNKNOWN_IDS'] === 'keep' ? 'keep' : 'reject'

const Role = defineResourceType({
  name: 'Role',
  endpoint: '/Roles',
  description: 'What a user may do',
  schema: {
    urn: `${OKTA}:Role`,
    attributes: [
      { name: 'displayName', required: true, description: 'The name of the role.' },
      { name: 'description', description: 'What it allows.' },
    ],
  },
  store: createMemoryResourceStore(),
  assignedBy: { attribute: 'roles', onUnknown },
})

const Entitlement = defineResourceType({
  name: 'Entitlement',
  endpoint: '/Entitlements',
  description: 'A licence or permission',
  schema: {
    urn: `${OKTA}:Entitlement`,
    attributes: [
      { name: 'displayName', required: true, description: 'The name of the entitlement.' },
      { name: 'type', mutability: 'readOnly', description: 'Its kind: the name of the type.' },
      { name: 'description', description: 'What it gives.' },
    ],
  },
  store: createMemoryResourceStore(),
  assignedBy: { attribute: 'entitlements', onUnknown },
})

const Agent = defineResourceType({
  name: 'Agent',
  endpoint: '/Agents',
  description: 'A program that acts for users',
  schema: {
    urn: 'urn:example:scim:schemas:Agent',
    attributes: [
      {
        name: 'agentName',
        required: true,
        uniqueness: 'server',
        description: 'The name that the agent signs in with.',
      },
      { name: 'displayName', description: 'The name as it is shown.' },
      { name: 'active', type: 'boolean', description: 'Whether it may act.' },
      {
        name: 'owners',
        type: 'complex',
        multiValued: true,
        description: 'The users who answer for it.',
        subAttributes: [
          { name: 'value', description: 'The id of the user.' },
          { name: 'display', description: 'A name, for display.' },
        ],
      },
    ],
  },
  store: createMemoryResourceStore(),
  unique: ['agentName'],
})

/** The core schema of RFC 9944, without its onboarding extensions. */
const Device = defineResourceType({
  name: 'Device',
  endpoint: '/Devices',
  description: 'A device of the network',
  schema: {
    urn: `${CORE}:Device`,
    attributes: [
      { name: 'displayName', description: 'The name of the device as it is shown.' },
      {
        name: 'active',
        type: 'boolean',
        required: true,
        description: 'Whether the device is meant to be used.',
      },
      {
        name: 'mudUrl',
        type: 'reference',
        referenceTypes: ['external'],
        caseExact: true,
        description: 'The address of its Manufacturer Usage Description (RFC 8520).',
      },
    ],
  },
  store: createMemoryResourceStore(),
})

/** All types of this example, in the order of `/ResourceTypes`. */
export const resourceTypes: readonly ScimResourceType[] = [Role, Entitlement, Agent, Device]
