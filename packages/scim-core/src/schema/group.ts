import { attribute, type AttributeDescriptor, type AttributeInput } from './attribute.ts'

/** URN of the core Group schema (RFC 7643 section 4.2). */
export const GROUP_URN = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/**
 * Attributes of the core Group schema.
 * @param options.uniqueNames true if displayName is unique (D23)
 * @param options.nested true if groups may be members (D22)
 */
export function groupAttributes({
  uniqueNames,
  nested,
}: {
  readonly uniqueNames: boolean
  readonly nested: boolean
}): readonly AttributeDescriptor[] {
  const memberTypes = nested ? ['User', 'Group'] : ['User']
  const inputs: readonly AttributeInput[] = [
    {
      name: 'displayName',
      description: 'The name of the group.',
      required: true,
      uniqueness: uniqueNames ? 'server' : 'none',
    },
    {
      name: 'members',
      type: 'complex',
      multiValued: true,
      description: 'The members of the group.',
      subAttributes: [
        {
          name: 'value',
          caseExact: true,
          mutability: 'immutable',
          description: 'The id of the member.',
        },
        {
          name: '$ref',
          type: 'reference',
          caseExact: true,
          mutability: 'immutable',
          referenceTypes: memberTypes,
          description: 'The address of the member.',
        },
        {
          name: 'type',
          mutability: 'immutable',
          canonicalValues: memberTypes,
          description: 'Resource type of the member.',
        },
        { name: 'display', mutability: 'readOnly', description: 'The name of the member.' },
      ],
    },
  ]
  return inputs.map((input) => attribute(input))
}
