import { attribute, type AttributeDescriptor, type AttributeInput } from './attribute.ts'

/** URN of the core User schema (RFC 7643 section 4.1). */
export const USER_URN = 'urn:ietf:params:scim:schemas:core:2.0:User'

const text = (name: string, description: string): AttributeInput => ({ name, description })

const DISPLAY = text('display', 'A human-readable name, for display.')
const PRIMARY: AttributeInput = {
  name: 'primary',
  type: 'boolean',
  description: 'Whether this is the preferred value; true for one value at most.',
}

/** A list of contact values: value, display, type and primary. */
function values(
  name: string,
  description: string,
  value: Omit<AttributeInput, 'name'> & { readonly types?: readonly string[] },
): AttributeInput {
  const { types = [], ...rest } = value
  return {
    name,
    type: 'complex',
    multiValued: true,
    description,
    subAttributes: [
      { name: 'value', description: 'The value itself.', ...rest },
      DISPLAY,
      { name: 'type', description: 'A label for the use of the value.', canonicalValues: types },
      PRIMARY,
    ],
  }
}

/** Attributes of the core User schema (RFC 7643 sections 4.1 and 8.7.1). */
export const USER_ATTRIBUTES: readonly AttributeDescriptor[] = [
  {
    name: 'userName',
    description: 'The name the user signs in with, unique in the service.',
    required: true,
    uniqueness: 'server' as const,
  },
  {
    name: 'name',
    type: 'complex' as const,
    description: 'The parts of the name of the user.',
    subAttributes: [
      text('formatted', 'The full name as it is shown.'),
      text('familyName', 'The family name, or last name.'),
      text('givenName', 'The given name, or first name.'),
      text('middleName', 'The middle names.'),
      text('honorificPrefix', 'Titles in front of the name.'),
      text('honorificSuffix', 'Suffixes after the name.'),
    ],
  },
  text('displayName', 'The name of the user as shown to others.'),
  text('nickName', 'The casual name of the user.'),
  {
    name: 'profileUrl',
    type: 'reference' as const,
    description: 'Address of a page about the user.',
    referenceTypes: ['external'],
  },
  text('title', 'The position of the user, such as Vice President.'),
  text('userType', 'The relation of the user to the organization.'),
  text('preferredLanguage', 'Preferred languages, as in Accept-Language.'),
  text('locale', 'Default location, for localizing.'),
  text('timezone', 'Time zone, in the form of the Olson database.'),
  { name: 'active', type: 'boolean' as const, description: 'Whether the user may sign in.' },
  {
    name: 'password',
    description: 'Accepted and discarded: users sign in elsewhere.',
    mutability: 'writeOnly' as const,
    returned: 'never' as const,
  },
  values('emails', 'E-mail addresses.', { types: ['work', 'home', 'other'] }),
  values('phoneNumbers', 'Telephone numbers.', {
    types: ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
  }),
  values('ims', 'Instant messaging addresses.', {
    types: ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo'],
  }),
  values('photos', 'Addresses of photos of the user.', {
    type: 'reference',
    caseExact: true,
    referenceTypes: ['external'],
    types: ['photo', 'thumbnail'],
  }),
  {
    name: 'addresses',
    type: 'complex' as const,
    multiValued: true,
    description: 'Postal addresses.',
    subAttributes: [
      text('formatted', 'The whole address, for labels.'),
      text('streetAddress', 'Street, house number and the like.'),
      text('locality', 'City or locality.'),
      text('region', 'State or region.'),
      text('postalCode', 'Zip code or postal code.'),
      text('country', 'Country, as ISO 3166-1 alpha-2 code.'),
      {
        name: 'type',
        description: 'A label for the use of the address.',
        canonicalValues: ['work', 'home', 'other'],
      },
      PRIMARY,
    ],
  },
  {
    name: 'groups',
    type: 'complex' as const,
    multiValued: true,
    mutability: 'readOnly' as const,
    description: 'The groups the user is a member of; changed through the groups.',
    subAttributes: [
      {
        name: 'value',
        caseExact: true,
        mutability: 'readOnly' as const,
        description: 'The id of the group.',
      },
      {
        name: '$ref',
        type: 'reference' as const,
        caseExact: true,
        mutability: 'readOnly' as const,
        referenceTypes: ['User', 'Group'],
        description: 'The address of the group.',
      },
      {
        name: 'display',
        mutability: 'readOnly' as const,
        description: 'The displayName of the group.',
      },
      {
        name: 'type',
        mutability: 'readOnly' as const,
        canonicalValues: ['direct', 'indirect'],
        description: 'Whether the membership is direct.',
      },
    ],
  },
  values('entitlements', 'Entitlements of the user: data, granting nothing by itself.', {}),
  values('roles', 'Roles of the user: data, granting nothing by itself.', {}),
  values('x509Certificates', 'Certificates of the user.', { type: 'binary', caseExact: true }),
].map((input: AttributeInput) => attribute(input))
