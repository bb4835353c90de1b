import type { CycleStep } from './cycle.ts'
import { user } from './rfc-users.ts'
import { answer, contains, ENTERPRISE, groupName, name, patch, step, USER } from './steps.ts'

/** Checks of refused users, PUT and PATCH. */
export const changes: readonly CycleStep[] = [
  step('RFC-CREATE-TWICE', 'a userName in use, in another case, is 409 uniqueness', 'POST /Users', {
    body: { ...user(1), userName: `X-SCIM-{{run}}-1@{{domain}}`, emails: [] },
    expect: answer(409, contains({ scimType: 'uniqueness' })),
  }),
  step('RFC-CREATE-NAMELESS', 'a user without userName is 400', 'POST /Users', {
    body: { schemas: [USER], displayName: groupName('nameless') },
    expect: answer(400),
  }),
  step('RFC-CREATE-TYPE', 'a value of the wrong type is 400', 'POST /Users', {
    body: user('type', { name: 'a text' }),
    expect: answer(400),
  }),
  step('RFC-ID', 'the id of a client is not taken', 'POST /Users', {
    body: user('id', { id: 'x-scim-my-id' }),
    expect: answer(201, { lacks: { id: 'x-scim-my-id' } }),
    save: { own: '/id' },
  }),
  step('RFC-PUT', 'PUT replaces the attributes', 'PUT /Users/{{three}}', {
    body: user(3, { title: 'Gamma', nickName: 'gam' }),
    expect: answer(200, contains({ userName: name(3), title: 'Gamma' })),
  }),
  step('RFC-PUT-ID', 'PUT keeps the id', 'PUT /Users/{{own}}', {
    body: user('id', { title: 'Own' }),
    expect: answer(200, contains({ id: '{{own}}' })),
  }),
  step('RFC-PUT-REMOVES', 'PUT removes what it does not name', 'PUT /Users/{{three}}', {
    level: 'recommended',
    body: user(3, { title: 'Gamma' }),
    expect: answer(200),
    after: { path: '/Users/{{three}}', expect: answer(200, { absent: ['nickName'] }) },
  }),
  step('RFC-PUT-NONE', 'PUT of an unknown id is 404', 'PUT /Users/x-scim-no-such-id', {
    body: user('none'),
    expect: answer(404),
  }),
  patch('RFC-PATCH-REPLACE', 'PATCH replaces an attribute', {
    path: '/Users/{{three}}',
    operations: [{ op: 'replace', path: 'title', value: 'Delta' }],
    shows: { title: 'Delta', userName: name(3) },
  }),
  patch('RFC-PATCH-ADD', 'PATCH adds an attribute', {
    path: '/Users/{{three}}',
    operations: [{ op: 'add', path: 'nickName', value: 'del' }],
    shows: { nickName: 'del', title: 'Delta' },
  }),
  patch('RFC-PATCH-REMOVE', 'PATCH removes an attribute', {
    path: '/Users/{{three}}',
    operations: [{ op: 'remove', path: 'nickName' }],
    shows: { title: 'Delta' },
    lacks: { nickName: 'del' },
  }),
  patch('RFC-PATCH-SUB', 'PATCH sets a sub-attribute and keeps the others', {
    path: '/Users/{{three}}',
    operations: [{ op: 'replace', path: 'name.familyName', value: 'Delta' }],
    shows: { name: { givenName: 'X', familyName: 'Delta' } },
  }),
  patch('RFC-PATCH-VALUE', 'PATCH without path takes an object', {
    path: '/Users/{{three}}',
    operations: [{ op: 'replace', value: { title: 'Epsilon', active: false } }],
    shows: { title: 'Epsilon', active: false },
  }),
  patch('RFC-PATCH-FILTER', 'PATCH of an element chosen by a filter', {
    path: '/Users/{{three}}',
    operations: [{ op: 'replace', path: 'emails[type eq "work"].value', value: name('mail') }],
    shows: { emails: [{ value: name('mail'), type: 'work' }] },
  }),
  step('RFC-PATCH-ATOMIC', 'a refused PATCH changes nothing', 'PATCH /Users/{{three}}', {
    needs: 'patch',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        { op: 'replace', path: 'title', value: 'Half' },
        { op: 'replace', path: 'name', value: 7 },
      ],
    },
    expect: answer([400, 409, 422]),
    after: { path: '/Users/{{three}}', expect: answer(200, { lacks: { title: 'Half' } }) },
  }),
  step('RFC-PATCH-NONE', 'PATCH of an unknown id is 404', 'PATCH /Users/x-scim-no-such-id', {
    needs: 'patch',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'title', value: 'T' }],
    },
    expect: answer(404),
  }),
  step('RFC-PATCH-READONLY', 'PATCH of the id is refused', 'PATCH /Users/{{three}}', {
    needs: 'patch',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'id', value: 'x-scim-other' }],
    },
    expect: answer([400, 403]),
  }),
  patch('RFC-EXTENSION', 'PATCH of an attribute of the enterprise extension', {
    level: 'recommended',
    path: '/Users/{{three}}',
    operations: [{ op: 'add', path: `${ENTERPRISE}:department`, value: 'X-Scim' }],
    shows: { [ENTERPRISE]: { department: 'X-Scim' } },
  }),
  step('RFC-ETAG', 'a read has an ETag', 'GET /Users/{{three}}', {
    needs: 'etag',
    expect: { status: [200], headers: { etag: '' } },
  }),
]
