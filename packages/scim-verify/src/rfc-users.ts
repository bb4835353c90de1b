import type { CycleStep } from './cycle.ts'
import { answer, contains, ERROR, name, step, USER } from './steps.ts'

/** The body of a user. */
export const user = (n: number | string, more: object = {}): object => ({
  schemas: [USER],
  userName: name(n),
  name: { givenName: 'X', familyName: `Scim ${n}` },
  emails: [{ value: name(n), type: 'work', primary: true }],
  active: true,
  ...more,
})

/** Checks of new users and of reading them; they make those that later checks need. */
export const users: readonly CycleStep[] = [
  step('RFC-CREATE', 'POST makes a user: 201, Location, id and meta', 'POST /Users', {
    body: user(1, {
      title: 'Alpha',
      externalId: 'x-scim-{{run}}-e1',
      name: { givenName: 'X', familyName: 'Alpha' },
    }),
    expect: {
      ...answer(
        201,
        contains({ schemas: [USER], userName: name(1), meta: { resourceType: 'User' } }),
      ),
      headers: { location: '/Users/' },
    },
    save: { one: '/id' },
  }),
  step('RFC-CREATE-2', 'a second user', 'POST /Users', {
    body: user(2, { title: 'Beta' }),
    expect: answer(201, contains({ userName: name(2), active: true })),
    save: { two: '/id' },
  }),
  step('RFC-CREATE-3', 'a user with nothing but the required attribute', 'POST /Users', {
    body: { schemas: [USER], userName: name(3), active: true },
    expect: answer(201, contains({ userName: name(3) })),
    save: { three: '/id' },
  }),
  step('RFC-BODY', 'a body that is no JSON is 400', 'POST /Users', {
    body: '{"schemas":',
    expect: answer(400),
  }),
  step('RFC-GET', 'GET shows the user', 'GET /Users/{{one}}', {
    expect: answer(
      200,
      contains({ id: '{{one}}', userName: name(1), title: 'Alpha', emails: [{ value: name(1) }] }),
    ),
  }),
  step('RFC-GET-PASSWORD', 'a password is never returned', 'GET /Users/{{one}}', {
    expect: answer(200, { absent: ['password'] }),
  }),
  step('RFC-GET-NONE', 'an unknown id is 404', 'GET /Users/x-scim-no-such-id', {
    expect: answer(404),
  }),
  step(
    'RFC-ERROR-FORM',
    'errors have the form of RFC 7644 section 3.12',
    'GET /Users/x-scim-no-such-id',
    {
      expect: answer(404, contains({ schemas: [ERROR], status: '404' })),
    },
  ),
  step('RFC-PATH-NONE', 'an unknown endpoint is 404', 'GET /XScimNothing', { expect: answer(404) }),
  step('RFC-ATTRIBUTES', 'attributes limits the answer', 'GET /Users/{{one}}?attributes=title', {
    expect: answer(200, {
      contains: { id: '{{one}}', title: 'Alpha' },
      absent: ['emails', 'name'],
    }),
  }),
  step(
    'RFC-EXCLUDED',
    'excludedAttributes shortens the answer',
    'GET /Users/{{one}}?excludedAttributes=emails',
    {
      expect: answer(200, { contains: { id: '{{one}}', title: 'Alpha' }, absent: ['emails'] }),
    },
  ),
]
