import { createScimService, type ScimAuditEntry } from '@x/scim-core'
import { createConnectionsHandler, createScimConnections } from '@x/scim-core/connections'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createTokenEndpoint } from '@x/scim-core/oauth'
import { createScimClient, createTestRuntime } from '@x/scim-core/testing'
import { exportJWK, generateKeyPair } from 'jose'
import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { BASE } from './support.ts'

const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const KEY = await exportJWK(privateKey)

function setUp() {
  const runtime = createTestRuntime()
  const audit: ScimAuditEntry[] = []
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
    runtime,
  })
  const endpoint = createTokenEndpoint({
    issuer: 'https://app.example',
    audience: BASE,
    store: connections.clients,
    key: KEY,
    runtime,
  })
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth: [connections.auth(), endpoint.auth],
    runtime,
    audit: (entry) => void audit.push(entry),
  })
  const client = (token: string) => createScimClient(service.handle, { token })
  return { runtime, audit, connections, endpoint, service, client }
}

let host: ReturnType<typeof setUp>
beforeEach(() => {
  host = setUp()
})

describe('connections', () => {
  test('SH-53 SH-56 the settings of a connection replace the options for its requests; audit entries name it', async () => {
    const { connections, client, audit } = host
    const plain = await connections.create({ tenant: 'acme', name: 'A', provider: 'entra' })
    const strict = await connections.create({
      tenant: 'acme',
      name: 'B',
      provider: 'okta',
      settings: { deleteUser: 'remove', userName: 'any' },
    })
    expect((await client(plain.token).post('/Users', { userName: 'no-mail' })).status).toBe(400)
    const { body } = await client(strict.token).post('/Users', { userName: 'no-mail' })
    expect((await client(strict.token).delete(`/Users/${body.id}`)).status).toBe(204)
    expect((await client(strict.token).get(`/Users/${body.id}`)).status).toBe(404)
    expect(audit.at(-1)).toMatchObject({ connectionId: strict.connection.id, tenant: 'acme' })
    const wrong = { tenant: 'acme', name: 'C', provider: 'okta' } as const
    for (const settings of [{ deleteUser: 'burn' }, { color: 'red' }, { quirks: { x: true } }]) {
      const [key = ''] = Object.keys(settings)
      await expect(connections.create({ ...wrong, settings: settings as object })).rejects.toThrow(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.stringContaining(key) as string,
        }) as Error,
      )
      const changed = connections.update('acme', plain.connection.id, {
        settings: settings as object,
      })
      await expect(changed).rejects.toThrow(TypeError)
    }
  })

  test('SH-54 a disabled or removed connection rejects its tokens; its last use and last error are stored', async () => {
    const { connections, client, runtime } = host
    const { connection, token } = await connections.create({
      tenant: 'acme',
      name: 'A',
      provider: 'entra',
    })
    const scim = client(token)
    await scim.post('/Users', { userName: 'no-mail' })
    await scim.get('/Users/none')
    await runtime.advance(1)
    expect(await connections.get('acme', connection.id)).toMatchObject({
      lastUsedAt: expect.any(Date) as Date,
      lastError: { status: 400, scimType: 'invalidValue' },
    })
    await connections.update('acme', connection.id, { enabled: false })
    const refused = await scim.get('/Users')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('invalid_token')
    await connections.update('acme', connection.id, { enabled: true })
    expect((await scim.get('/Users')).status).toBe(200)
    await connections.remove('acme', connection.id)
    expect((await scim.get('/Users')).status).toBe(401)
  })

  test('SH-54 the last use is kept to the minute, the last error in 200 characters', async () => {
    const { connections, client, runtime } = host
    const { connection, token } = await connections.create({
      tenant: 'acme',
      name: 'A',
      provider: 'entra',
    })
    const scim = client(token)
    const kept = async () => {
      // Both are written behind the answer.
      await runtime.advance(0)
      const { lastUsedAt, lastError } = (await connections.get('acme', connection.id)) ?? {}
      return { lastUsedAt, lastError }
    }
    const begin = runtime.now()
    expect((await scim.get('/Users')).status).toBe(200)
    expect(await kept()).toEqual({ lastUsedAt: begin, lastError: null })
    await runtime.advance(59_000)
    expect((await scim.get('/Users/none')).status).toBe(404)
    expect((await scim.get(`/Users?filter=${'x'.repeat(500)} eq 1`)).status).toBe(400)
    const { lastUsedAt, lastError } = await kept()
    expect(lastUsedAt).toEqual(begin)
    expect(lastError).toMatchObject({ at: runtime.now(), status: 400, scimType: 'invalidFilter' })
    expect(lastError?.detail.length).toBeLessThanOrEqual(200)
    await runtime.advance(1_000)
    await scim.get('/Users')
    expect((await kept()).lastUsedAt).toEqual(runtime.now())
  })

  test('SH-54 of errors while an earlier one is being written, the last one stays', async () => {
    const store = createMemoryConnectionStore()
    const runtime = createTestRuntime()
    const connections = createScimConnections({
      store: {
        ...store,
        async update(...args) {
          await runtime.sleep(50)
          return store.update(...args)
        },
      },
      tokens: createMemoryTokenStore(),
      runtime,
    })
    const { handle } = createScimService({
      store: createMemoryScimStore(),
      baseUrl: BASE,
      auth: connections.auth(),
      runtime,
    })
    const created = { tenant: 'acme', name: 'A', provider: 'entra' } as const
    const { connection, token } = await connections.create(created)
    const scim = createScimClient(handle, { token })
    await scim.post('/Users', { userName: 'no-mail' })
    await scim.get('/Users?filter=x')
    await scim.get('/Users?count=many')
    await runtime.advance(50)
    await runtime.advance(50)
    const { lastError } = (await connections.get('acme', connection.id)) ?? {}
    expect(lastError?.detail).toContain('count')
  })

  test('SH-38 the clients of a connection may have scopes of their own', async () => {
    const { connections, client, endpoint } = host
    const { connection } = await connections.create({ tenant: 'acme', name: 'A', provider: 'okta' })
    const { clientId, clientSecret } = await connections.issueClient('acme', connection.id, {
      scopes: ['groups:read', 'roles:read'],
    })
    const grant = async (more: Record<string, string> = {}): Promise<string> => {
      const answer = await endpoint.handle(
        new Request('https://app.example/token', {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret ?? ''}`)}` },
          body: new URLSearchParams({ grant_type: 'client_credentials', ...more }),
        }),
      )
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { access_token: string }).access_token
    }
    const narrow = await grant({ scope: 'scim roles:read' })
    expect((await client(narrow).get('/Groups')).status).toBe(403)
    const token = await grant()
    expect((await client(token).get('/Groups')).status).toBe(200)
    expect((await client(token).get('/Users')).status).toBe(403)
    await connections.update('acme', connection.id, { enabled: false })
    expect((await client(token).get('/Groups')).status).toBe(401)
  })

  test('SH-48 SH-53 clients of a connection get tokens, which end with the connection', async () => {
    const { connections, client, endpoint } = host
    const { connection } = await connections.create({
      tenant: 'acme',
      name: 'A',
      provider: 'entra',
      settings: { userName: 'any' },
    })
    const { clientId, clientSecret } = await connections.issueClient('acme', connection.id)
    const answer = await endpoint.handle(
      new Request('https://app.example/token', {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret ?? ''}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      }),
    )
    const { access_token: token } = (await answer.json()) as { access_token: string }
    expect((await client(token).post('/Users', { userName: 'no-mail' })).status).toBe(201)
    await connections.revokeClient('acme', connection.id, clientId)
    expect((await client(token).get('/Users')).status).toBe(401)
  })

  test('a tenant has at most 50 connections, a connection at most 10 active tokens', async () => {
    const { connections } = host
    const { connection } = await connections.create({ tenant: 'a', name: 'A', provider: 'other' })
    for (let n = 1; n < 10; n += 1) await connections.issueToken('a', connection.id)
    await expect(connections.issueToken('a', connection.id)).rejects.toMatchObject({ status: 409 })
    for (let n = 1; n < 50; n += 1) {
      await connections.create({ tenant: 'a', name: `C${n}`, provider: 'other' })
    }
    await expect(
      connections.create({ tenant: 'a', name: 'More', provider: 'other' }),
    ).rejects.toMatchObject({ status: 409 })
  })
})

describe('the admin API', () => {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    tenant = 'acme',
  ): Promise<{
    status: number
    text: string
    body: Record<string, unknown>
    headers: Headers
  }> => {
    const handler = createConnectionsHandler({
      connections: host.connections,
      basePath: '/admin/scim',
      authorize: () => (tenant === '' ? null : { tenant, actor: 'me' }),
    })
    const response = await handler(
      new Request(`https://app.example/admin/scim${path}`, {
        method,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    return {
      text,
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    }
  }

  test('SH-55 connections, tokens and clients', async () => {
    const created = await call('POST', '/', { name: 'Entra', provider: 'entra' })
    expect(created).toMatchObject({
      status: 201,
      body: { token: expect.stringMatching(/^scim_/) as string },
    })
    const { id } = created.body['connection'] as { id: string }
    const { tokenId } = created.body as { tokenId: string }
    expect((await call('GET', '/')).body).toMatchObject({ connections: [{ id, name: 'Entra' }] })
    const patch = { enabled: false, settings: { deleteUser: 'tombstone' } }
    expect((await call('PATCH', `/${id}`, patch)).body).toMatchObject({ connection: patch })
    expect((await call('GET', `/${id}`)).body).toMatchObject({ connection: patch })
    const rotated = await call('POST', `/${id}/tokens/${tokenId}/rotate`, { overlapSeconds: 5 })
    expect(rotated).toMatchObject({ status: 201, body: { token: expect.any(String) as string } })
    expect((await call('POST', `/${id}/tokens`)).status).toBe(201)
    const { tokens } = (await call('GET', `/${id}/tokens`)).body as { tokens: object[] }
    expect(tokens).toHaveLength(3)
    expect(Object.keys(tokens[0] ?? {}).toSorted()).toEqual(
      ['created', 'expiresAt', 'id', 'label', 'lastUsedAt', 'revokedAt'].toSorted(),
    )
    expect((await call('DELETE', `/${id}/tokens/${tokenId}`)).status).toBe(204)
    const client = await call('POST', `/${id}/clients`)
    expect(client).toMatchObject({
      status: 201,
      body: { clientSecret: expect.any(String) as string },
    })
    const { clientId } = client.body as { clientId: string }
    for (const path of ['/', `/${id}`, `/${id}/tokens`]) {
      const { text } = await call('GET', path)
      for (const answer of [created, rotated, client]) {
        const secret = String(answer.body['token'] ?? answer.body['clientSecret'])
        expect(text).not.toContain(secret)
        expect(text).not.toContain(createHash('sha256').update(secret).digest('hex'))
      }
    }
    expect((await call('DELETE', `/${id}/clients/${clientId}`)).status).toBe(204)
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await call('GET', `/${id}`)).status).toBe(404)
  })

  test('SH-55 other tenants see nothing; every error has its documented form', async () => {
    const created = await call('POST', '', { name: 'Entra', provider: 'entra' })
    const { id } = created.body['connection'] as { id: string }
    const { tokenId } = created.body as { tokenId: string }
    const { clientId } = (await call('POST', `/${id}/clients`)).body as { clientId: string }
    for (const [method, path] of [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`],
      ['DELETE', `/${id}`],
      ['GET', `/${id}/tokens`],
      ['POST', `/${id}/tokens`],
      ['POST', `/${id}/tokens/${tokenId}/rotate`],
      ['DELETE', `/${id}/tokens/${tokenId}`],
      ['POST', `/${id}/clients`],
      ['DELETE', `/${id}/clients/${clientId}`],
    ] as const) {
      expect(await call(method, path, undefined, 'globex')).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
    }
    expect(await call('GET', '/', undefined, '')).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized' } },
    })
    const put = await call('PUT', `/${id}`)
    expect(put).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } })
    expect(put.headers.get('allow')).toBe('GET, PATCH, DELETE')
    for (const body of [
      '{',
      '[]',
      {},
      { name: 'x', provider: 'y' },
      { name: 'x', provider: 'okta', settings: { a: 1 } },
      { name: 'x', provider: 'okta', expiresAt: 'soon' },
    ]) {
      expect(await call('POST', '/', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid' } },
      })
    }
    expect((await call('PATCH', `/${id}`, { enabled: 'yes' })).status).toBe(400)
    for (const overlapSeconds of [-1, '5', 1e300]) {
      const rotate = `/${id}/tokens/${tokenId}/rotate`
      expect(await call('POST', rotate, { overlapSeconds })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid' } },
      })
    }
    for (const jwks of [7, {}, { keys: [] }, { keys: [null] }, { keys: [{ kty: 'EC', d: 'x' }] }]) {
      expect(await call('POST', `/${id}/clients`, { jwks })).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringMatching(/^jwks must hold /) as string } },
      })
    }
  })
})
