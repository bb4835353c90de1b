import { createScimHandler, tenantFromHost, type ScimOptions } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'
import { BASE, TOKEN } from './support.ts'

const create = (options: Partial<ScimOptions> = {}) =>
  createScimHandler({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    ...options,
  })

const ask = async (handler: ReturnType<typeof create>, url: string): Promise<[number, string]> => {
  const response = await handler(new Request(url))
  const { detail } = (await response.json()) as { detail: string }
  return [response.status, detail]
}

describe('HO-31: a 404 that names the option', () => {
  test.each([
    ['/scim/v2/Users', '/scim/v2'],
    ['/scim/v2/Groups/17', '/scim/v2'],
    ['/Users', '/'],
    ['/a/serviceproviderconfig', '/a'],
  ])('%s', async (path, mount) => {
    const detail = `The path ${path} is not below the SCIM base path /api/v1/scim/v2. If the handler is mounted at ${mount}, pass basePath: "${mount}".`
    expect(await ask(create(), `https://host.example${path}`)).toEqual([404, detail])
  })

  test.each(['/scim/v2/Nothing', '/', '/x/', '/x'])('%s ends with no route', async (path) => {
    const detail = `The path ${path} is not below the SCIM base path /api/v1/scim/v2.`
    expect(await ask(create(), `https://host.example${path}`)).toEqual([404, detail])
  })
})

test.each(['scim', '/scim/', 'scim/'])('HO-30: the base path %j is refused', (basePath) => {
  expect(() => create({ basePath })).toThrow(
    `createScimHandler: option "basePath" must begin with / and not end with /, got '${basePath}'; write '/scim'`,
  )
})

test.each(['', '/'])('HO-30: the base path %j means none', async (basePath) => {
  expect((await create({ basePath })(new Request('https://host.example/Users'))).status).toBe(401)
})

test('HO-32: a base URL by function needs a base path', () => {
  expect(() => create({ baseUrl: (tenant) => `https://${tenant}.app.example/scim/v2` })).toThrow(
    'createScimHandler: option "basePath" is required when baseUrl is a function',
  )
})

describe('HO-33: tenants by subdomain', () => {
  const resolve = tenantFromHost('app.example', { reserved: ['www'] })

  test.each([
    ['acme.app.example', 'acme'],
    ['ACME.App.Example', 'acme'],
    ['acme.app.example:8443', 'acme'],
    ['acme.app.example.', 'acme'],
    ['xn--bcher-kva.app.example', 'xn--bcher-kva'],
    ['app.example', null],
    ['a.b.app.example', null],
    ['www.app.example', null],
    ['WWW.app.example', null],
    ['192.0.2.7', null],
    ['[2001:db8::1]', null],
    ['acme.other.example', null],
    ['acmeapp.example', null],
    ['.app.example', null],
  ])('%s is %s', (host, tenant) => {
    // A lean request of a mount has the URL as it was sent.
    const request = Object.create(new Request('http://host.example/'), {
      url: { value: `https://${host}/scim/v2/Users` },
    }) as Request
    expect(resolve(request)).toBe(tenant)
  })

  test('another host is 404 before credentials are looked at', async () => {
    const handler = create({ resolveTenant: resolve })
    const path = '/api/v1/scim/v2/Users'
    const detail = 'No tenant is served at this host.'
    expect(await ask(handler, `https://other.example${path}`)).toEqual([404, detail])
    expect((await ask(handler, `https://acme.app.example${path}`))[0]).toBe(401)
  })

  test('the domain is a host name', () => {
    expect(() => tenantFromHost('https://app.example')).toThrow(TypeError)
  })
})
