import type { Cycle, CycleStep } from './cycle.ts'
import { answer, contains, LIST, name, patch, step, USER } from './steps.ts'

const USER_PATH = '/Users/{{user}}'
const OKTA = 'urn:okta:scim:schemas:core:1.0'

/** The checks of one kind, which a server may list at an endpoint or take as they come. */
function kind(type: 'Role' | 'Entitlement', attribute: string): readonly CycleStep[] {
  const [id, path] = [`OKTA-${type.toUpperCase()}`, `/${type}s`]
  const listed = { path, status: [200] }
  const change = (more: string, title: string, value: object, onlyIf = listed): CycleStep =>
    patch(`${id}-${more}`, title, {
      onlyIf,
      path: USER_PATH,
      operations: [{ op: 'replace', path: attribute, value: [value] }],
      shows: { [attribute]: [value] },
    })
  return [
    step(`${id}-TYPE`, `ResourceTypes names the endpoint of ${attribute}`, 'GET /ResourceTypes', {
      onlyIf: listed,
      expect: answer(200, contains({ Resources: [{ endpoint: path, schema: `${OKTA}:${type}` }] })),
    }),
    step(`${id}-LIST`, `${attribute} are listed`, `GET ${path}?startIndex=1&count=100`, {
      onlyIf: listed,
      expect: answer(
        200,
        contains({ schemas: [LIST], Resources: [{ schemas: [`${OKTA}:${type}`] }] }),
      ),
      save: { [attribute]: '/Resources/0/id', [`${type}Name`]: '/Resources/0/displayName' },
    }),
    change('ASSIGN', `one of the ${attribute} is assigned`, {
      value: `{{${attribute}}}`,
      display: `{{${type}Name}}`,
      type,
    }),
    change(
      'FREE',
      `a server that lists none keeps the ${attribute} that it gets`,
      { value: 'x-scim-{{run}}', display: 'X Scim', type },
      { path, status: [404] },
    ),
    patch(`${id}-NONE`, `all ${attribute} are taken away`, {
      path: USER_PATH,
      operations: [{ op: 'replace', path: attribute, value: [] }],
      shows: { userName: name(1) },
      lacks: { [attribute]: [{}] },
    }),
  ]
}

/** What Okta sends when an application has roles and entitlements. */
export const entitlementsCycle: Cycle = {
  name: 'okta-entitlements',
  source: 'developer.okta.com: build a SCIM 2.0 server with entitlements',
  steps: [
    step('OKTA-DISCOVERY', 'ResourceTypes lists users', 'GET /ResourceTypes', {
      expect: answer(200, contains({ Resources: [{ endpoint: '/Users', schema: USER }] })),
    }),
    step('OKTA-SCHEMAS', 'users have roles and entitlements', 'GET /Schemas', {
      expect: answer(200, { attributes: ['roles.value', 'entitlements.value'] }),
    }),
    step('OKTA-ENTITLED', 'a user is created', 'POST /Users', {
      body: {
        schemas: [USER],
        userName: name(1),
        name: { givenName: 'X', familyName: 'Scim' },
        externalId: '00u{{run}}1',
        active: true,
      },
      expect: answer(201, contains({ userName: name(1) })),
      save: { user: '/id' },
    }),
    ...kind('Role', 'roles'),
    ...kind('Entitlement', 'entitlements'),
  ],
}
