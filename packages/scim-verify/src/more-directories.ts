import type { Cycle } from './cycle.ts'
import { answer, contains, groupName, name, patch, step, USER } from './steps.ts'

const USER_PATH = '/Users/{{user}}'
const find = `GET /Users?filter=userName eq "${name(1)}"`
const user = (more: object = {}): object => ({
  schemas: [USER],
  userName: name(1),
  name: { givenName: 'X', familyName: 'Scim' },
  emails: [{ value: name(1), type: 'work', primary: true }],
  active: true,
  ...more,
})
const created = answer(201, contains({ userName: name(1), active: true }))
const nobody = answer(200, contains({ totalResults: 0 }))

/** What OneLogin sends: lookups, PUT of everything, and groups. */
export const oneLoginCycle: Cycle = {
  name: 'onelogin',
  source: 'developers.onelogin.com: test your SCIM implementation',
  steps: [
    step('ONELOGIN-TEST', 'the connection is tested', 'GET /Users?count=1', {
      expect: answer(200, { any: true }),
    }),
    step('ONELOGIN-LOOKUP', 'the lookup of a free userName', find, { expect: nobody }),
    step('ONELOGIN-CREATE', 'the user is created', 'POST /Users', {
      body: user({ externalId: 'x-scim-{{run}}-1' }),
      expect: created,
      save: { user: '/id' },
    }),
    step('ONELOGIN-PUT', 'the user is replaced', `PUT ${USER_PATH}`, {
      body: user({ title: 'T' }),
      expect: answer(200, contains({ id: '{{user}}', title: 'T' })),
    }),
    step('ONELOGIN-SUSPEND', 'the user is suspended by PUT', `PUT ${USER_PATH}`, {
      body: user({ active: false }),
      expect: answer(200, contains({ active: false })),
    }),
    step('ONELOGIN-GROUP', 'a group is made', 'POST /Groups', {
      body: { displayName: groupName(1) },
      expect: answer(201, contains({ displayName: groupName(1) })),
      save: { team: '/id' },
    }),
    patch('ONELOGIN-MEMBER', 'the user joins the group', {
      path: '/Groups/{{team}}',
      operations: [{ op: 'add', path: 'members', value: [{ value: '{{user}}' }] }],
      shows: { members: [{ value: '{{user}}' }] },
    }),
    step('ONELOGIN-DELETE', 'the user is deleted', `DELETE ${USER_PATH}`, { expect: answer(204) }),
  ],
}

/** What Google sends: no groups, and 404 after DELETE. */
export const googleCycle: Cycle = {
  name: 'google',
  source: 'support.google.com: autoprovisioning',
  steps: [
    step('GOOGLE-LOOKUP', 'the lookup of a free userName', find, { expect: nobody }),
    step('GOOGLE-CREATE', 'the user is created', 'POST /Users', {
      body: user(),
      expect: created,
      save: { user: '/id' },
    }),
    step('GOOGLE-GET', 'the user is read', `GET ${USER_PATH}`, {
      expect: answer(200, contains({ userName: name(1) })),
    }),
    patch('GOOGLE-SUSPEND', 'the user is suspended', {
      path: USER_PATH,
      operations: [{ op: 'replace', value: { active: false } }],
      shows: { active: false },
    }),
    step('GOOGLE-DELETE', 'the user is deleted', `DELETE ${USER_PATH}`, { expect: answer(204) }),
    step('GOOGLE-GONE', 'a deleted user is 404', `GET ${USER_PATH}`, { expect: answer(404) }),
  ],
}

/** What JumpCloud sends when the connection is activated, and activated again. */
export const jumpCloudCycle: Cycle = {
  name: 'jumpcloud',
  source: 'jumpcloud.com: custom SCIM identity management',
  steps: [
    step('JUMPCLOUD-LOOKUP', 'the lookup of a free userName', find, { expect: nobody }),
    step('JUMPCLOUD-CREATE', 'activation creates a user', 'POST /Users', {
      body: user(),
      expect: created,
      save: { user: '/id' },
    }),
    patch('JUMPCLOUD-UPDATE', 'the user is changed', {
      path: USER_PATH,
      operations: [{ op: 'replace', path: 'title', value: 'T' }],
      shows: { title: 'T' },
    }),
    step('JUMPCLOUD-DELETE', 'the user is deleted', `DELETE ${USER_PATH}`, { expect: answer(204) }),
    step('JUMPCLOUD-AGAIN', 'the second activation creates the same user', 'POST /Users', {
      body: user(),
      expect: created,
      save: { again: '/id' },
    }),
    step('JUMPCLOUD-FOUND', 'there is one such user', find, {
      expect: answer(200, contains({ totalResults: 1 })),
    }),
  ],
}

/** What Ping sends: one address in two types, and cursors. */
export const pingCycle: Cycle = {
  name: 'ping',
  source: 'docs.pingidentity.com: outbound provisioning',
  steps: [
    step('PING-LOOKUP', 'the lookup of a free userName', find, { expect: nobody }),
    step('PING-CREATE', 'one address in two types, both primary', 'POST /Users', {
      body: user({
        emails: [
          { value: name(1), type: 'work', primary: true },
          { value: name(1), type: 'other', primary: true },
        ],
      }),
      expect: created,
      save: { user: '/id' },
    }),
    step(
      'PING-CURSOR',
      'a walk by cursor has the total on its first page',
      'GET /Users?cursor=&count=10',
      {
        needs: 'cursor',
        expect: answer(200, { any: true }),
      },
    ),
    patch('PING-DISABLE', 'the user is disabled', {
      path: USER_PATH,
      operations: [{ op: 'replace', path: 'active', value: false }],
      shows: { active: false },
    }),
  ],
}
