import type { ScimExtension } from './extension.ts'

/** URN of the enterprise extension of User (RFC 7643 section 4.3). */
export const ENTERPRISE_URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** URNs that clients still use for it. */
export const LEGACY_ENTERPRISE_URNS: readonly string[] = [
  'urn:scim:schemas:extension:enterprise:1.0',
  'urn:scim:schemas:extension:enterprise:1.0:User',
  'urn:scim:schemas:extension:enterprise:2.0',
  'urn:scim:schemas:extension:enterprise:2.0:User',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0',
]

/** The enterprise extension, on by default (D6). */
export const ENTERPRISE: ScimExtension = {
  urn: ENTERPRISE_URN,
  name: 'EnterpriseUser',
  description: 'Attributes of users in organizations.',
  resourceType: 'User',
  required: false,
  attributes: [
    { name: 'employeeNumber', description: 'A number or code, often by order of hire.' },
    { name: 'costCenter', description: 'The cost center.' },
    { name: 'organization', description: 'The organization.' },
    { name: 'division', description: 'The division.' },
    { name: 'department', description: 'The department.' },
    {
      name: 'manager',
      type: 'complex',
      description: 'The manager of the user.',
      subAttributes: [
        { name: 'value', caseExact: true, description: 'The id of the manager.' },
        {
          name: '$ref',
          type: 'reference',
          caseExact: true,
          referenceTypes: ['User'],
          description: 'The address of the manager, when the manager is a user.',
        },
        {
          name: 'displayName',
          mutability: 'readOnly',
          description: 'The name of the manager, when the manager is a user.',
        },
      ],
    },
  ],
}
