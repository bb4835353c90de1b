import type { Cycle, CycleStep } from './cycle.ts'
import {
  answer,
  contains,
  ENTERPRISE,
  GROUP,
  groupName,
  LIST,
  name,
  patch,
  step,
  USER,
} from './steps.ts'

/** What Entra maps by default for an application that is not in its gallery. */
const MAPPED = [
  'userName',
  'active',
  'displayName',
  'title',
  'preferredLanguage',
  'externalId',
  'name.givenName',
  'name.familyName',
  'name.formatted',
  'emails.value',
  'emails.type',
  'phoneNumbers.value',
  'phoneNumbers.type',
  ...['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country', 'type'].map(
    (part) => `addresses.${part}`,
  ),
  ...['employeeNumber', 'department', 'manager'].map((part) => `${ENTERPRISE}:${part}`),
]

/** What Entra itself does while it is tested; `entra` sends the same requests. */
const BY_ENTRA = [
  'a user is created',
  'a user is updated',
  'a user is disabled',
  'a user is restored',
  'a user is deleted',
  'a user who exists is matched',
  'a user leaves the scope',
  'a group is created',
  'a group is updated',
  'a group is deleted',
  'members are added',
  'members are removed',
  'provision on demand',
  'the initial cycle',
]

const user = (n: number, more: object = {}): object => ({
  schemas: [USER, ENTERPRISE],
  userName: name(n),
  externalId: `x-scim-{{run}}-${n}`,
  active: true,
  displayName: groupName(n),
  name: { givenName: 'X', familyName: 'Scim' },
  ...more,
})

const page = (id: string, title: string, request: string): CycleStep =>
  step(id, title, request, {
    expect: answer(200, contains({ schemas: [LIST], startIndex: 2, itemsPerPage: 1 })),
  })

/** A token that lives for one to six hours. */
const token = (id: string, title: string, credential: 'secret' | 'assertion'): CycleStep =>
  step(id, title, 'POST the token URL', {
    credential,
    expect: answer(200, {
      contains: { token_type: 'Bearer' },
      between: { '/expires_in': [3_600, 21_600] },
    }),
  })

/** What Microsoft tests before it lists an application in the gallery of Entra. */
export const galleryCycle: Cycle = {
  name: 'entra-gallery',
  source: 'learn.microsoft.com: provisioning requirements of the application gallery',
  steps: [
    ...BY_ENTRA.map((title, index) =>
      step(`GALLERY-${index + 1}`, title, 'GET /Users', {
        manual: 'needs Entra; the profile entra sends its requests',
        level: 'informative',
        expect: answer(200),
      }),
    ),
    step('GALLERY-15', 'Schemas lists what Entra maps for users', 'GET /Schemas', {
      expect: answer(200, { attributes: MAPPED }),
    }),
    step('GALLERY-15-GROUP', 'Schemas lists what Entra maps for groups', 'GET /Schemas', {
      expect: answer(200, {
        attributes: ['displayName', 'externalId', 'members'].map((part) => `${GROUP}:${part}`),
      }),
    }),
    step('GALLERY-17', 'a user is created', 'POST /Users', {
      body: user(1, { title: 'Clerk' }),
      expect: answer(201, contains({ userName: name(1), active: true, title: 'Clerk' })),
      save: { user: '/id' },
    }),
    step('GALLERY-17-SECOND', 'a second user is created', 'POST /Users', {
      body: user(2),
      expect: answer(201),
      save: { boss: '/id' },
    }),
    patch('GALLERY-18', 'a user is updated', {
      path: '/Users/{{user}}',
      operations: [
        { op: 'Replace', path: 'displayName', value: groupName('changed') },
        { op: 'Add', path: 'emails[type eq "work"].value', value: name(1) },
      ],
      shows: { displayName: groupName('changed'), emails: [{ type: 'work', value: name(1) }] },
    }),
    patch('GALLERY-16', 'null updates an attribute to nothing', {
      path: '/Users/{{user}}',
      operations: [{ op: 'Replace', path: 'title', value: null }],
      shows: { userName: name(1) },
      lacks: { title: 'Clerk' },
    }),
    step('GALLERY-19', 'a group is created', 'POST /Groups', {
      body: { schemas: [GROUP], displayName: groupName('g1'), externalId: 'x-scim-{{run}}-g1' },
      expect: answer(201, contains({ displayName: groupName('g1') })),
      save: { team: '/id' },
    }),
    step('GALLERY-19-SECOND', 'a second group is created', 'POST /Groups', {
      body: { schemas: [GROUP], displayName: groupName('g2') },
      expect: answer(201),
    }),
    patch('GALLERY-20', 'a group is updated', {
      path: '/Groups/{{team}}',
      operations: [
        { op: 'Replace', path: 'displayName', value: groupName('g3') },
        { op: 'Add', path: 'members', value: [{ value: '{{user}}' }] },
      ],
      shows: { displayName: groupName('g3'), members: [{ value: '{{user}}' }] },
    }),
    token('GALLERY-21', 'client credentials give a token for one to six hours', 'secret'),
    token('GALLERY-22', 'a federated identity gives a token for one to six hours', 'assertion'),
    page('GALLERY-23', 'users in pages', 'GET /Users?startIndex=2&count=1'),
    page('GALLERY-24', 'groups in pages', 'GET /Groups?startIndex=2&count=1'),
    patch('GALLERY-25', 'the manager is set', {
      path: '/Users/{{user}}',
      operations: [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: '{{boss}}' }],
      shows: { [ENTERPRISE]: { manager: { value: '{{boss}}' } } },
    }),
    patch('GALLERY-25-REMOVE', 'the manager is removed', {
      path: '/Users/{{user}}',
      operations: [{ op: 'Remove', path: `${ENTERPRISE}:manager` }],
      shows: { userName: name(1) },
      lacks: { [ENTERPRISE]: { manager: { value: '{{boss}}' } } },
    }),
  ],
}
