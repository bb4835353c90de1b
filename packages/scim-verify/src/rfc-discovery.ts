import type { CycleStep } from './cycle.ts'
import { answer, contains, GROUP, step, USER } from './steps.ts'

/** Checks of discovery and credentials. */
export const discovery: readonly CycleStep[] = [
  step('RFC-CONFIG', 'ServiceProviderConfig says what is supported', 'GET /ServiceProviderConfig', {
    expect: answer(200, contains({ schemas: [USER.replace(/User$/, 'ServiceProviderConfig')] })),
  }),
  step('RFC-CONTENT-TYPE', 'answers are application/scim+json', 'GET /ServiceProviderConfig', {
    expect: { status: [200], headers: { 'content-type': 'application/scim+json' } },
  }),
  step('RFC-TYPES', 'ResourceTypes lists users and groups', 'GET /ResourceTypes', {
    expect: answer(
      200,
      contains({
        Resources: [
          { endpoint: '/Users', schema: USER },
          { endpoint: '/Groups', schema: GROUP },
        ],
      }),
    ),
  }),
  step('RFC-TYPE', 'a resource type can be read alone', 'GET /ResourceTypes/User', {
    expect: answer(200, contains({ name: 'User', schema: USER })),
  }),
  step('RFC-SCHEMAS', 'Schemas lists those of users and groups', 'GET /Schemas', {
    expect: answer(200, contains({ Resources: [{ id: USER }, { id: GROUP }] })),
  }),
  step(
    'RFC-SCHEMA',
    'a schema can be read alone, with the characteristics of userName',
    `GET /Schemas/${USER}`,
    {
      expect: answer(
        200,
        contains({
          id: USER,
          attributes: [{ name: 'userName', type: 'string', required: true, multiValued: false }],
        }),
      ),
    },
  ),
  step('RFC-SCHEMA-NONE', 'an unknown schema is 404', 'GET /Schemas/urn:x-scim:none', {
    expect: answer(404),
  }),
  step('RFC-AUTH', 'a request without credentials is 401 with a challenge', 'GET /Users', {
    headers: { authorization: '' },
    expect: { status: [401], headers: { 'www-authenticate': '' } },
  }),
  step('RFC-AUTH-WRONG', 'wrong credentials are 401', 'GET /Users', {
    headers: { authorization: 'Bearer x-scim-is-not-a-token' },
    expect: answer(401),
  }),
]
