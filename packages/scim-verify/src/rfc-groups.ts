import type { CycleStep } from './cycle.ts'
import { answer, contains, GROUP, groupName, patch, step } from './steps.ts'

const group = (n: number | string, ...members: string[]): object => ({
  schemas: [GROUP],
  displayName: groupName(n),
  members: members.map((value) => ({ value })),
})
const member = (value: string): object => ({ members: [{ value }] })

/** Checks of groups and of DELETE. */
export const groups: readonly CycleStep[] = [
  step('RFC-GROUP', 'POST makes a group with members', 'POST /Groups', {
    body: group('team', '{{one}}', '{{two}}'),
    expect: answer(201, contains({ displayName: groupName('team') })),
    save: { team: '/id' },
  }),
  step('RFC-GROUP-MEMBERS', 'GET shows the members', 'GET /Groups/{{team}}', {
    expect: answer(200, contains({ members: [{ value: '{{one}}' }, { value: '{{two}}' }] })),
  }),
  step(
    'RFC-GROUP-FIND',
    'a group is found by displayName',
    `GET /Groups?filter=displayName eq "${groupName('team')}"`,
    {
      needs: 'filter',
      expect: answer(200, contains({ totalResults: 1 })),
    },
  ),
  step('RFC-USER-GROUPS', 'a user shows its groups', 'GET /Users/{{one}}', {
    level: 'recommended',
    expect: answer(200, contains({ groups: [{ value: '{{team}}' }] })),
  }),
  step('RFC-GROUP-2', 'a group for single changes', 'POST /Groups', {
    body: group('changes', '{{one}}', '{{two}}'),
    expect: answer(201),
    save: { changing: '/id' },
  }),
  patch('RFC-MEMBER-REMOVE', 'PATCH removes one member, and keeps the others', {
    path: '/Groups/{{changing}}',
    operations: [{ op: 'remove', path: 'members[value eq "{{one}}"]' }],
    shows: member('{{two}}'),
    lacks: member('{{one}}'),
  }),
  patch('RFC-MEMBER-ADD', 'PATCH adds a member', {
    path: '/Groups/{{changing}}',
    operations: [{ op: 'add', path: 'members', value: [{ value: '{{three}}' }] }],
    shows: member('{{three}}'),
  }),
  patch('RFC-GROUP-RENAME', 'renaming a group keeps its members', {
    path: '/Groups/{{team}}',
    operations: [{ op: 'replace', path: 'displayName', value: groupName('renamed') }],
    shows: {
      displayName: groupName('renamed'),
      members: [{ value: '{{one}}' }, { value: '{{two}}' }],
    },
  }),
  step(
    'RFC-MEMBER-UNKNOWN',
    'an unknown member is a client error, or left out',
    'PATCH /Groups/{{changing}}',
    {
      needs: 'patch',
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'add', path: 'members', value: [{ value: '{{uuid}}' }] }],
      },
      expect: answer([200, 204, 400, 404, 409]),
    },
  ),
  step('RFC-GROUP-NAMELESS', 'a group without displayName is 400', 'POST /Groups', {
    body: { schemas: [GROUP], externalId: groupName('nameless') },
    expect: answer(400),
  }),
  step('RFC-DELETE-NONE', 'DELETE of an unknown id is 404', 'DELETE /Users/x-scim-no-such-id', {
    expect: answer(404),
  }),
  step('RFC-DELETE', 'DELETE of a user is 204', 'DELETE /Users/{{two}}', { expect: answer(204) }),
  step('RFC-DELETE-MEMBER', 'a deleted user is in no group', 'GET /Groups/{{team}}', {
    onlyIf: { path: '/Users/{{two}}', status: [404] },
    expect: answer(200, { lacks: member('{{two}}') }),
  }),
  step(
    'RFC-DELETE-GROUP',
    'DELETE of a group is 204, and it is gone',
    'DELETE /Groups/{{changing}}',
    {
      expect: answer(204),
      after: { path: '/Groups/{{changing}}', expect: answer(404) },
    },
  ),
]
