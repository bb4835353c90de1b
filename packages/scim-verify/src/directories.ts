import type { Cycle, CycleStep } from './cycle.ts'
import { answer, contains, ENTERPRISE, GROUP, groupName, name, patch, step, USER } from './steps.ts'

const lookup = (id: string, userName: string, total: number): CycleStep =>
  step(
    id,
    `the lookup of a ${total === 0 ? 'free' : 'taken'} userName`,
    `GET /Users?filter=userName eq "${userName}"`,
    {
      needs: 'filter',
      expect: answer(
        200,
        contains({ totalResults: total, Resources: total === 0 ? [] : [{ userName }] }),
      ),
    },
  )

const findGroup = (id: string, displayName: string, total: number): CycleStep =>
  step(
    id,
    'the lookup of a group',
    `GET /Groups?excludedAttributes=members&filter=displayName eq "${displayName}"`,
    {
      needs: 'filter',
      expect: answer(200, contains({ totalResults: total })),
    },
  )

const work = 'emails[type eq "work"].value'
const isActive = (active: boolean): object => ({ active })

const entraUser = (n: number | string, more: object = {}): object => ({
  schemas: [USER, ENTERPRISE],
  externalId: `x-scim-{{run}}-${n}`,
  userName: name(n),
  active: true,
  displayName: groupName(n),
  emails: [{ primary: true, type: 'work', value: name(n) }],
  meta: { resourceType: 'User' },
  name: { formatted: 'X Scim', familyName: 'Scim', givenName: 'X' },
  ...more,
})

const change = (
  id: string,
  title: string,
  [path, shows, lacks]: readonly [path: string, shows?: object, lacks?: object],
  ...operations: readonly object[]
): CycleStep =>
  patch(id, title, {
    path,
    operations,
    ...(shows !== undefined && { shows }),
    ...(lacks !== undefined && { lacks }),
  })

const USER_PATH = '/Users/{{user}}'
const TEAM_PATH = '/Groups/{{team}}'
const member = (value: string): object => ({ members: [{ value }] })

/** What Microsoft Entra ID sends: before 2020, and with the flag aadOptscim062020. */
export const entraCycle: Cycle = {
  name: 'entra',
  source:
    'learn.microsoft.com: develop a SCIM endpoint; SCIM 2.0 compliance of the provisioning service',
  steps: [
    step(
      'ENTRA-TEST',
      'Test connection: a random userName finds nobody',
      'GET /Users?filter=userName eq "{{uuid}}"',
      {
        expect: answer(200, contains({ totalResults: 0 })),
      },
    ),
    lookup('ENTRA-LOOKUP', name(1), 0),
    step('ENTRA-CREATE', 'the user is created', 'POST /Users', {
      body: entraUser(1),
      expect: answer(201, contains({ userName: name(1), active: true })),
      save: { user: '/id' },
    }),
    lookup('ENTRA-FOUND', name(1), 1),
    step('ENTRA-GET', 'the user is read by id', `GET ${USER_PATH}`, {
      expect: answer(200, contains({ id: '{{user}}', externalId: 'x-scim-{{run}}-1' })),
    }),
    step(
      'ENTRA-EXTERNAL',
      'the user is found by externalId',
      'GET /Users?filter=externalId eq "x-scim-{{run}}-1"',
      {
        expect: answer(200, contains({ totalResults: 1 })),
      },
    ),
    change(
      'ENTRA-PATCH-2018',
      'capitalised operations with paths',
      [USER_PATH, { title: 'Clerk', name: { familyName: 'Moved' } }],
      { op: 'Add', path: 'title', value: 'Clerk' },
      { op: 'Replace', path: 'name.familyName', value: 'Moved' },
    ),
    change(
      'ENTRA-PATCH-2020',
      'one operation without path',
      [USER_PATH, { displayName: 'Other', name: { givenName: 'Y' } }],
      { op: 'replace', value: { displayName: 'Other', 'name.givenName': 'Y' } },
    ),
    change(
      'ENTRA-PATCH-MAIL',
      'the work address is replaced',
      [USER_PATH, { emails: [{ type: 'work', value: name('mail') }] }],
      { op: 'Replace', path: work, value: name('mail') },
    ),
    change(
      'ENTRA-PATCH-PHONE',
      'a value filter that matches nothing creates its element',
      [USER_PATH, { phoneNumbers: [{ type: 'mobile', value: '5' }] }],
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '5' },
    ),
    change(
      'ENTRA-PATCH-DEPARTMENT',
      'an attribute of the enterprise extension',
      [USER_PATH, { [ENTERPRISE]: { department: 'D' } }],
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'D' },
    ),
    change('ENTRA-PATCH-REMOVE', 'an attribute is removed', [USER_PATH, {}, { title: 'Clerk' }], {
      op: 'Remove',
      path: 'title',
    }),
    change('ENTRA-ROLES', 'a complex role', [USER_PATH, { roles: [{ value: 'Admin' }] }], {
      op: 'Add',
      path: 'roles',
      value: [
        {
          primary: false,
          type: 'WindowsAzureActiveDirectoryRole',
          display: 'Admin',
          value: 'Admin',
        },
      ],
    }),
    step('ENTRA-MANAGER-MADE', 'the manager is created', 'POST /Users', {
      body: entraUser('boss'),
      expect: answer(201),
      save: { boss: '/id' },
    }),
    change(
      'ENTRA-MANAGER',
      'the manager as an id',
      [USER_PATH, { [ENTERPRISE]: { manager: { value: '{{boss}}' } } }],
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '{{boss}}' },
    ),
    change('ENTRA-DISABLE', 'active "False" as a text', [USER_PATH, isActive(false)], {
      op: 'Replace',
      path: 'active',
      value: 'False',
    }),
    change('ENTRA-ENABLE', 'active "True" as a text', [USER_PATH, isActive(true)], {
      op: 'Replace',
      path: 'active',
      value: 'True',
    }),
    change(
      'ENTRA-DISABLE-2020',
      'active false in a value without path',
      [USER_PATH, isActive(false)],
      { op: 'replace', value: { active: false } },
    ),
    change('ENTRA-RESTORE', 'the user is restored', [USER_PATH, isActive(true)], {
      op: 'Replace',
      path: 'active',
      value: true,
    }),
    findGroup('ENTRA-GROUP-LOOKUP', groupName('team'), 0),
    step('ENTRA-GROUP', 'the group is created', 'POST /Groups', {
      body: {
        schemas: [GROUP],
        externalId: 'x-scim-{{run}}-g',
        displayName: groupName('team'),
        meta: { resourceType: 'Group' },
      },
      expect: answer(201, contains({ displayName: groupName('team') })),
      save: { team: '/id' },
    }),
    findGroup('ENTRA-GROUP-FOUND', groupName('team'), 1),
    change('ENTRA-MEMBER-ADD', 'a member is added', [TEAM_PATH, member('{{user}}')], {
      op: 'Add',
      path: 'members',
      value: [{ value: '{{user}}' }],
    }),
    change('ENTRA-MEMBER-ADD-2', 'a second member is added', [TEAM_PATH, member('{{user}}')], {
      op: 'Add',
      path: 'members',
      value: [{ value: '{{boss}}' }],
    }),
    change(
      'ENTRA-MEMBER-REMOVE',
      'a member is removed by value',
      [TEAM_PATH, member('{{boss}}'), member('{{user}}')],
      { op: 'Remove', path: 'members', value: [{ value: '{{user}}' }] },
    ),
    change(
      'ENTRA-MEMBER-REMOVE-2',
      'a member is removed by filter',
      [TEAM_PATH, {}, member('{{boss}}')],
      { op: 'Remove', path: 'members[value eq "{{boss}}"]' },
    ),
    change(
      'ENTRA-GROUP-RENAME',
      'the group is renamed',
      [TEAM_PATH, { displayName: groupName('renamed') }],
      { op: 'Replace', path: 'displayName', value: groupName('renamed') },
    ),
    step('ENTRA-DELETE', 'the user is deleted', `DELETE ${USER_PATH}`, { expect: answer(204) }),
    step('ENTRA-GROUP-DELETE', 'the group is deleted', `DELETE ${TEAM_PATH}`, {
      expect: answer(204),
    }),
  ],
}

const oktaUser = (n: number | string, more: object = {}): object => ({
  schemas: [USER],
  userName: name(n),
  name: { givenName: 'X', familyName: 'Scim' },
  emails: [{ primary: true, value: name(n), type: 'work' }],
  displayName: 'X Scim',
  locale: 'en-US',
  externalId: `00u{{run}}${n}`,
  groups: [],
  active: true,
  ...more,
})

/** What Okta sends, and what its SPEC and CRUD tests look at. */
export const oktaCycle: Cycle = {
  name: 'okta',
  source: 'developer.okta.com: SCIM provisioning, test your SCIM API',
  steps: [
    step(
      'OKTA-USERS',
      'users are listed with id, names and address',
      'GET /Users?count=1&startIndex=1',
      {
        expect: answer(
          200,
          contains({ schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] }),
        ),
      },
    ),
    step('OKTA-NONE', "an unknown id is 404 with a detail in SCIM's form", 'GET /Users/{{uuid}}', {
      expect: answer(404, contains({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'] })),
    }),
    lookup('OKTA-LOOKUP', name(1), 0),
    step('OKTA-CREATE', 'the user is created', 'POST /Users', {
      body: oktaUser(1),
      expect: answer(
        201,
        contains({ userName: name(1), active: true, name: { givenName: 'X', familyName: 'Scim' } }),
      ),
      save: { user: '/id' },
    }),
    step('OKTA-GET', 'the user is read by id', `GET ${USER_PATH}`, {
      expect: answer(200, contains({ userName: name(1), name: { familyName: 'Scim' } })),
    }),
    step('OKTA-CREATE-TWICE', 'the same user again is 409', 'POST /Users', {
      body: oktaUser(1, { externalId: '00uother' }),
      expect: answer(409),
    }),
    lookup('OKTA-FOUND', name(1), 1),
    step('OKTA-UPDATE', 'the profile is replaced by PUT', `PUT ${USER_PATH}`, {
      body: oktaUser(1, { id: '{{user}}', name: { givenName: 'Y', familyName: 'Scim' } }),
      expect: answer(200, contains({ id: '{{user}}', name: { givenName: 'Y' } })),
    }),
    change('OKTA-DEACTIVATE', 'the user is deactivated', [USER_PATH, isActive(false)], {
      op: 'replace',
      value: { active: false },
    }),
    step(
      'OKTA-INACTIVE',
      'a deactivated user is still found',
      `GET /Users?filter=userName eq "${name(1)}"`,
      {
        expect: answer(200, contains({ totalResults: 1, Resources: [{ active: false }] })),
      },
    ),
    change('OKTA-REACTIVATE', 'the user is reactivated', [USER_PATH, isActive(true)], {
      op: 'replace',
      value: { active: true },
    }),
    step('OKTA-LOGIN', 'the login changes by PUT', `PUT ${USER_PATH}`, {
      body: oktaUser(1, { id: '{{user}}', userName: name('moved') }),
      expect: answer(200, contains({ id: '{{user}}', userName: name('moved') })),
    }),
    step('OKTA-SECOND', 'a second user', 'POST /Users', {
      body: oktaUser(2),
      expect: answer(201),
      save: { second: '/id' },
    }),
    step('OKTA-GROUPS', 'groups are listed', 'GET /Groups?startIndex=1&count=100', {
      expect: answer(200, { any: true }),
    }),
    findGroup('OKTA-GROUP-LOOKUP', groupName('push'), 0),
    step('OKTA-PUSH', 'a group is pushed', 'POST /Groups', {
      body: { schemas: [GROUP], displayName: groupName('push'), members: [] },
      expect: answer(201, contains({ displayName: groupName('push') })),
      save: { team: '/id' },
    }),
    change(
      'OKTA-PUSH-MEMBERS',
      'members are pushed',
      [TEAM_PATH, { members: [{ value: '{{user}}' }, { value: '{{second}}' }] }],
      {
        op: 'add',
        path: 'members',
        value: [{ value: '{{user}}', display: name(1) }, { value: '{{second}}' }],
      },
    ),
    change(
      'OKTA-PUSH-REMOVE',
      'a member leaves',
      [TEAM_PATH, member('{{second}}'), member('{{user}}')],
      { op: 'remove', path: 'members[value eq "{{user}}"]' },
    ),
    change(
      'OKTA-PUSH-NAME',
      'the name is pushed with the id',
      [TEAM_PATH, { displayName: groupName('named'), members: [{ value: '{{second}}' }] }],
      { op: 'replace', value: { id: '{{team}}', displayName: groupName('named') } },
    ),
    change('OKTA-PUSH-EMPTY', 'Push now of an empty group', [TEAM_PATH, {}, member('{{second}}')], {
      op: 'replace',
      path: 'members',
      value: [],
    }),
    step('OKTA-PUSH-GONE', 'the group is removed', `DELETE ${TEAM_PATH}`, { expect: answer(204) }),
  ],
}
