import { describe, expect, test } from 'vitest'
import { createScimClient } from '@x/scim-core/testing'
import { BASE, createScim, ENTERPRISE as E, GROUP, list, problem, USER } from './support.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

test('SC-65 ServiceProviderConfig is one object that follows from the options', async () => {
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
      expect((await createScim().get(`/${endpoint}?filter=id+pr`)).body).toMatchObject(problem(403))
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

  test('SC-13 schemas list every characteristic, but no common attribute', async () => {
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
    expect(names).not.toEqual(expect.arrayContaining(['id']))
    expect(names).toEqual(
      expect.arrayContaining(['userName', 'emails', 'x509Certificates', 'password', 'groups']),
    )
  })

  test('flags that clients look at', async () => {
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

test('D9 discovery needs the token, unless it is public; never when disabled', async () => {
  const status = async (options: Parameters<typeof createScim>[0], path: string): Promise<number> =>
    (await createScimClient(createScim(options).service.handle).get(path)).status
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', `/Schemas/${USER}`]) {
    expect(await status({}, path)).toBe(401)
    expect(await status({ publicDiscovery: true }, path)).toBe(200)
    expect(await status({ publicDiscovery: true, enabled: false }, path)).toBe(401)
  }
  expect(await status({ publicDiscovery: true }, '/Users')).toBe(401)
})
