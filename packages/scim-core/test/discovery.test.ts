import { describe, expect, test } from 'vitest'
import { createScimClient } from '@x/scim-core/testing'
import { BASE, createScim, ENTERPRISE as E, GROUP, list, problem, USER } from './support.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

test('SC-65 ServiceProviderConfig reflects the options', async () => {
  const { body } = await createScim().get('/ServiceProviderConfig')
  expect(body).toEqual({
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'Static bearer token in the Authorization header',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${BASE}/ServiceProviderConfig` },
  })
})

describe('SC-66 ResourceTypes and Schemas', () => {
  test.each(['ResourceTypes', 'Schemas'])(
    '%s: each entry alone equals that of the list, at its location',
    async (endpoint) => {
      const scim = createScim()
      const { body } = await scim.get(`/${endpoint}?startIndex=9&count=1&sortBy=x&attributes=id`)
      const entries = list(body['Resources'])
      expect(body).toMatchObject({ totalResults: entries.length, itemsPerPage: entries.length })
      for (const entry of entries) {
        const { location } = Reflect.get(entry, 'meta')
        expect(location).toBe(`${BASE}/${endpoint}/${Reflect.get(entry, 'id')}`)
        expect((await scim.get(String(location).slice(BASE.length))).body).toEqual(entry)
        const encoded = encodeURIComponent(String(Reflect.get(entry, 'id')))
        expect((await scim.get(`/${endpoint}/${encoded}`)).body).toEqual(entry)
      }
      expect((await scim.get(`/${endpoint}/nothing`)).body).toMatchObject(problem(404))
      expect(JSON.stringify(entries)).not.toContain('null')
      expect(JSON.stringify(entries)).not.toContain('api:messages')
    },
  )

  test('SC-43 any filter is 403', async () => {
    for (const endpoint of ['ResourceTypes', 'Schemas']) {
      for (const query of ['filter=id+pr', 'filter=', 'filter', 'count=1&filter=(']) {
        expect((await createScim().get(`/${endpoint}?${query}`)).body).toMatchObject(problem(403))
      }
    }
  })

  test('resource types', async () => {
    const { body } = await createScim().get('/ResourceTypes')
    expect(body['Resources']).toEqual([
      {
        schemas: [`${CORE}:ResourceType`],
        id: 'User',
        name: 'User',
        description: 'User Account',
        endpoint: '/Users',
        schema: USER,
        schemaExtensions: [{ schema: E, required: false }],
        meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/User` },
      },
      {
        schemas: [`${CORE}:ResourceType`],
        id: 'Group',
        name: 'Group',
        description: 'Group',
        endpoint: '/Groups',
        schema: GROUP,
        meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/Group` },
      },
    ])
  })

  test('SC-13 SF-35 schemas list every characteristic, but of the common attributes only externalId', async () => {
    const { body } = await createScim().get('/Schemas')
    const schemas = list(body['Resources'])
    expect(schemas.map((schema) => Reflect.get(schema, 'id'))).toEqual([
      USER,
      GROUP,
      E,
      `${CORE}:ServiceProviderConfig`,
      `${CORE}:ResourceType`,
      `${CORE}:Schema`,
    ])
    const check = (attribute: object): void => {
      expect(attribute).toMatchObject({
        name: expect.any(String),
        type: expect.any(String),
        multiValued: expect.any(Boolean),
        description: expect.stringMatching(/./),
        required: expect.any(Boolean),
        mutability: expect.any(String),
        returned: expect.any(String),
      })
      const type = Reflect.get(attribute, 'type')
      expect('caseExact' in attribute).toBe(['string', 'reference', 'binary'].includes(type))
      expect('uniqueness' in attribute).toBe(type !== 'complex')
      expect('subAttributes' in attribute).toBe(type === 'complex')
      for (const sub of list(Reflect.get(attribute, 'subAttributes'))) check(sub)
    }
    for (const schema of schemas)
      for (const attribute of list(Reflect.get(schema, 'attributes'))) check(attribute)
    const names = list(Reflect.get(schemas[0] ?? {}, 'attributes')).map((attribute) =>
      Reflect.get(attribute, 'name'),
    )
    for (const name of ['id', 'meta', 'schemas']) expect(names).not.toContain(name)
    expect(names).toEqual(
      expect.arrayContaining(['userName', 'emails', 'x509Certificates', 'password', 'groups']),
    )
  })

  test('SF-35 attributes can be left out of the schemas, and keep working', async () => {
    const scim = createScim({ schemaOmit: ['members.$REF', 'emails.display', `${E}:manager`] })
    const names = async (urn: string): Promise<string> =>
      JSON.stringify((await scim.get(`/Schemas/${urn}`)).body['attributes'])
    expect(await names(GROUP)).not.toContain('$ref')
    expect(await names(E)).not.toContain('manager')
    const id = await scim.user('a@corp.example', { [E]: { manager: { value: '1' } } })
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({
      [E]: { manager: { value: '1' } },
    })
    for (const path of ['nothing', 'members.nothing', 'userName', 'meta']) {
      expect(() => createScim({ schemaOmit: [path] })).toThrow(
        expect.objectContaining({ option: 'schemaOmit' }),
      )
    }
  })

  const VALUES = ['display string', 'primary boolean', 'value string']
  const EXPECTED: Readonly<Record<string, readonly string[]>> = {
    [USER]: [
      'active boolean',
      'addresses complex[]: country string, formatted string, locality string, postalCode string, primary boolean, region string, streetAddress string, type string (work home other)',
      'displayName string',
      `emails complex[]: ${VALUES[0]}, ${VALUES[1]}, type string (work home other), ${VALUES[2]}`,
      `entitlements complex[]: ${VALUES[0]}, ${VALUES[1]}, type string, ${VALUES[2]}`,
      'externalId string exact',
      'groups complex[] readOnly: $ref reference exact readOnly -> User Group, display string readOnly, type string readOnly (direct indirect), value string exact readOnly',
      `ims complex[]: ${VALUES[0]}, ${VALUES[1]}, type string (aim gtalk icq xmpp msn skype qq yahoo), ${VALUES[2]}`,
      'locale string',
      'name complex: familyName string, formatted string, givenName string, honorificPrefix string, honorificSuffix string, middleName string',
      'nickName string',
      'password string writeOnly never',
      `phoneNumbers complex[]: ${VALUES[0]}, ${VALUES[1]}, type string (work home mobile fax pager other), ${VALUES[2]}`,
      'photos complex[]: display string, primary boolean, type string (photo thumbnail), value reference exact -> external',
      'preferredLanguage string',
      'profileUrl reference -> external',
      `roles complex[]: ${VALUES[0]}, ${VALUES[1]}, type string, ${VALUES[2]}`,
      'timezone string',
      'title string',
      'userName string required server',
      'userType string',
      'x509Certificates complex[]: display string, primary boolean, type string, value binary exact',
    ],
    [GROUP]: [
      'displayName string required server',
      'externalId string exact',
      'members complex[]: $ref reference exact immutable -> User, display string readOnly, type string immutable (User), value string exact immutable',
    ],
    [E]: [
      'costCenter string',
      'department string',
      'division string',
      'employeeNumber string',
      'manager complex: $ref reference exact -> User, displayName string readOnly, value string exact',
      'organization string',
    ],
  }

  /** An attribute in one line: what differs from the defaults of RFC 7643 section 2.2. */
  const line = (attribute: object): string => {
    const get = (name: string): string => String(Reflect.get(attribute, name))
    const words = (name: string): string => list(Reflect.get(attribute, name)).map(String).join(' ')
    const subs = list(Reflect.get(attribute, 'subAttributes')).map(line).toSorted()
    const parts = [
      `${get('name')} ${get('type')}${get('multiValued') === 'true' ? '[]' : ''}`,
      get('required') === 'true' && 'required',
      get('caseExact') === 'true' && 'exact',
      get('mutability') !== 'readWrite' && get('mutability'),
      get('returned') !== 'default' && get('returned'),
      get('type') !== 'complex' && get('uniqueness') !== 'none' && get('uniqueness'),
      'canonicalValues' in attribute && `(${words('canonicalValues')})`,
      'referenceTypes' in attribute && `-> ${words('referenceTypes')}`,
    ]
    const text = parts.filter((part) => part !== false).join(' ')
    return subs.length === 0 ? text : `${text}: ${subs.join(', ')}`
  }

  test.each([USER, GROUP, E])('every attribute of %s, with its characteristics', async (urn) => {
    const { body } = await createScim().get(`/Schemas/${urn}`)
    expect(list(body['attributes']).map(line).toSorted()).toEqual(EXPECTED[urn])
  })

  test('D22 with nested groups the members allow groups', async () => {
    const { body } = await createScim({ nestedGroups: true }).get(`/Schemas/${GROUP}`)
    expect(list(body['attributes']).map(line)[1]).toContain(
      '$ref reference exact immutable -> User Group, display string readOnly, type string immutable (User Group)',
    )
  })

  test('flags that clients rely on', async () => {
    const of = async (
      scim: ReturnType<typeof createScim>,
      urn: string,
      name: string,
    ): Promise<unknown> =>
      list((await scim.get(`/Schemas/${urn}`)).body['attributes']).find(
        (one) => Reflect.get(one, 'name') === name,
      )
    const scim = createScim()
    expect(await of(scim, USER, 'userName')).toMatchObject({
      required: true,
      uniqueness: 'server',
      caseExact: false,
    })
    expect(await of(scim, USER, 'password')).toMatchObject({
      mutability: 'writeOnly',
      returned: 'never',
    })
    expect(await of(scim, USER, 'groups')).toMatchObject({ mutability: 'readOnly' })
    expect(await of(scim, GROUP, 'displayName')).toMatchObject({
      required: true,
      uniqueness: 'server',
    })
    expect(await of(createScim({ uniqueGroupNames: false }), GROUP, 'displayName')).toMatchObject({
      uniqueness: 'none',
    })
    const members = await of(scim, GROUP, 'members')
    expect(list(Reflect.get(members ?? {}, 'subAttributes'))).toMatchObject([
      { name: 'value', mutability: 'immutable', caseExact: true },
      { name: '$ref', mutability: 'immutable', referenceTypes: ['User'] },
      { name: 'type', mutability: 'immutable', canonicalValues: ['User'] },
      { name: 'display', mutability: 'readOnly' },
    ])
    expect(Object.keys(members ?? {})).not.toContain('uniqueness')
  })
})

test('D9 discovery requires the token unless it is public, and is refused when disabled', async () => {
  const status = async (options: Parameters<typeof createScim>[0], path: string): Promise<number> =>
    (await createScimClient(createScim(options).service.handle).get(path)).status
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', `/Schemas/${USER}`]) {
    expect(await status({}, path)).toBe(401)
    expect(await status({ publicDiscovery: true }, path)).toBe(200)
    expect(await status({ publicDiscovery: true, enabled: false }, path)).toBe(401)
  }
  expect(await status({ publicDiscovery: true }, '/Users')).toBe(401)
})
