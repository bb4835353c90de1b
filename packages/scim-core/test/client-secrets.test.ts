import { createConnectionsHandler, createScimConnections } from '@x/scim-core/connections'
import { createMemoryConnectionStore, createMemoryTokenStore } from '@x/scim-core/memory'
import { createTokenEndpoint, type TokenEndpointOptions } from '@x/scim-core/oauth'
import { createTestRuntime } from '@x/scim-core/testing'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ask, AUDIENCE, other, PRIVATE, privateKey, PUBLIC, signed } from './oauth-support.ts'

const DAY_MS = 86_400_000
const WORKLOAD = {
  issuer: 'https://login.workload.example/tenant',
  subject: 'service-principal',
  audience: 'api://AzureADTokenExchange',
  jwksUri: 'https://login.workload.example/keys',
}

async function setUp(options: Partial<TokenEndpointOptions> = {}) {
  const runtime = createTestRuntime()
  const store = createMemoryConnectionStore()
  const connections = createScimConnections({ store, tokens: createMemoryTokenStore(), runtime })
  const endpoint = createTokenEndpoint({
    issuer: 'https://app.example',
    audience: AUDIENCE,
    store: connections.clients,
    key: PRIVATE,
    unknownScopes: 'ignore',
    runtime,
    ...options,
  })
  const { connection } = await connections.create({ tenant: 'acme', name: 'A', provider: 'entra' })
  const handler = createConnectionsHandler({
    connections,
    basePath: '/connections',
    authorize: () => ({ tenant: 'acme', actor: 'root' }),
    runtime,
  })
  return {
    runtime,
    store,
    connections,
    id: connection.id,
    grant: async (fields: Record<string, string>) => {
      const answer = await endpoint.handle(
        new Request('https://app.example/token', {
          method: 'POST',
          body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }),
        }),
      )
      return {
        ...((await answer.json()) as Record<string, string>),
        status: answer.status,
      } as Grant
    },
    opens: async (token: string | number | undefined) =>
      (await ask(endpoint.auth, String(token))).status,
    call: async (method: string, path: string, body?: object) => {
      const answer = await handler(
        new Request(`https://app.example/connections/${connection.id}${path}`, {
          method,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      const text = await answer.text()
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Answer }
    },
  }
}

type Grant = { readonly status: number; readonly [name: string]: string | number }
type Answer = Record<string, string> & { clients: { secrets: object[] }[]; error?: object }

let host: Awaited<ReturnType<typeof setUp>>
beforeEach(async () => {
  host = await setUp()
})

describe('SF-33 secrets of clients expire and are replaced', () => {
  test('a secret is rotated with an overlap, the old one ends, and provisioning never stops', async () => {
    const { runtime, connections, id, grant, opens } = host
    const first = await connections.issueClient('acme', id, { label: 'Entra' })
    const days = ((first.expiresAt?.getTime() ?? 0) - runtime.now().getTime()) / DAY_MS
    expect(days).toBe(365)
    const with1 = { client_id: first.clientId, client_secret: first.clientSecret ?? '' }
    const token1 = (await grant(with1))['access_token']
    const second = await connections.rotateClientSecret(
      'acme',
      id,
      first.clientId,
      first.secretId ?? '',
      { overlapSeconds: 60 },
    )
    const with2 = { client_id: first.clientId, client_secret: second.clientSecret }
    expect([(await grant(with1)).status, (await grant(with2)).status]).toEqual([200, 200])
    await runtime.advance(61_000)
    expect(await grant(with1)).toMatchObject({
      status: 401,
      error: 'invalid_client',
      error_description: 'The client secret has expired',
    })
    expect(await opens(token1)).toBe(200)
    const token2 = (await grant(with2))['access_token']
    await connections.revokeClientSecret('acme', id, first.clientId, second.secretId)
    expect([await opens(token1), await opens(token2)]).toEqual([200, 401])
    expect((await grant(with2))['error_description']).not.toContain('expired')
    const [shown] = await connections.listClients('acme', id)
    expect(shown).toMatchObject({ label: 'Entra', lastUsedAt: expect.any(Date) as Date })
    expect(shown?.secrets).toMatchObject([
      {
        id: first.secretId,
        hint: first.clientSecret?.slice(-4),
        lastUsedAt: expect.any(Date) as Date,
      },
      { id: second.secretId, revokedAt: expect.any(Date) as Date },
    ])
    expect(JSON.stringify(shown)).not.toContain(first.clientSecret)
  })

  test('five live secrets at most; an end in the past or beyond three years is refused', async () => {
    const { runtime, connections, id } = host
    const { clientId, secretId } = await connections.issueClient('acme', id)
    const more = () => connections.issueClientSecret('acme', id, clientId)
    for (let n = 0; n < 4; n += 1) await more()
    await expect(more()).rejects.toMatchObject({ status: 409 })
    const rotate = () => connections.rotateClientSecret('acme', id, clientId, secretId ?? '')
    await expect(rotate()).rejects.toMatchObject({ status: 409 })
    await connections.revokeClientSecret('acme', id, clientId, secretId ?? '')
    await expect(more()).resolves.toMatchObject({ clientSecret: expect.any(String) as string })
    const now = runtime.now().getTime()
    for (const at of [now, now + 1_097 * DAY_MS, Number.NaN]) {
      const wrong = connections.issueClient('acme', id, { expiresAt: new Date(at) })
      await expect(wrong).rejects.toThrow(TypeError)
    }
    await expect(connections.issueClientSecret('acme', id, 'nobody')).rejects.toMatchObject({
      status: 404,
    })
    await expect(
      connections.revokeClientSecret('other', id, clientId, secretId ?? ''),
    ).rejects.toMatchObject({ status: 404 })
  })

  test('a client from before keeps working, and is listed without an end until it is rotated', async () => {
    const { store, connections, id, grant, runtime } = host
    const { clientId, clientSecret, secretId } = await connections.issueClient('acme', id)
    const [secret] = await store.secrets(clientId)
    await store.updateClient(clientId, { digest: secret?.digest ?? null })
    await store.updateSecret(secretId ?? '', { revokedAt: runtime.now() })
    const old = { client_id: clientId, client_secret: clientSecret ?? '' }
    expect((await grant(old)).status).toBe(200)
    const [shown] = await connections.listClients('acme', id)
    expect(shown?.secrets[0]).toMatchObject({ id: clientId, expiresAt: null, revokedAt: null })
    await connections.rotateClientSecret('acme', id, clientId, clientId, { overlapSeconds: 5 })
    expect((await grant(old)).status).toBe(200)
    await runtime.advance(6_000)
    expect((await grant(old))['error_description']).toBe('The client secret has expired')
  })

  test('the routes of the admin API', async () => {
    const { call } = host
    const made = await call('POST', '/clients', {
      label: 'Entra',
      expiresAt: '2030-06-01T00:00:00Z',
    })
    expect(made).toMatchObject({ status: 201, body: { expiresAt: '2030-06-01T00:00:00.000Z' } })
    const { clientId, secretId } = made.body
    const at = `/clients/${clientId}/secrets`
    const further = await call('POST', at, {})
    expect(further.status).toBe(201)
    const rotated = await call('POST', `${at}/${secretId}/rotate`, { overlapSeconds: 10 })
    expect(rotated.status).toBe(201)
    expect((await call('DELETE', `${at}/${further.body['secretId']}`)).status).toBe(204)
    expect((await call('DELETE', `${at}/none`)).status).toBe(404)
    expect((await call('GET', at)).status).toBe(405)
    expect((await call('GET', `${at}/a/rotate/b`)).status).toBe(404)
    const { body } = await call('GET', '/clients')
    expect(body.clients[0]?.secrets).toHaveLength(3)
    expect(JSON.stringify(body)).not.toMatch(/digest|scs_/)
    for (const wrong of [
      { label: '' },
      { expiresAt: '2020-01-01T00:00:00Z' },
      { expiresAt: 'soon' },
      { federation: { ...WORKLOAD, jwksUri: 'http://keys.example' } },
      { federation: { issuer: 'x' } },
      { jwks: { keys: [] } },
    ]) {
      expect((await call('POST', '/clients', wrong)).status).toBe(400)
    }
  })
})

test('SF-34 scopes that the client may not have are left out, never more is granted', async () => {
  const { connections, id, grant } = host
  const all = await connections.issueClient('acme', id)
  const some = await connections.issueClient('acme', id, { scopes: ['users:read', 'groups:read'] })
  const scope = async ({ clientId, clientSecret }: typeof all, words?: string) =>
    (
      await grant({
        client_id: clientId,
        client_secret: clientSecret ?? '',
        ...(words !== undefined && { scope: words }),
      })
    )['scope']
  expect(await scope(all)).toBe('scim')
  expect(await scope(all, 'scim.readwrite offline_access')).toBe('scim')
  expect(await scope(all, 'users:read scim.readwrite')).toBe('users:read')
  expect(await scope(some, 'scim')).toBe('users:read groups:read')
  expect(await scope(some, 'users:write')).toBe('users:read groups:read')
  expect(await scope(some, 'users:write users:read')).toBe('users:read')
})

describe('SF-34 an assertion of another issuer instead of a secret', () => {
  const keys = { keys: [PUBLIC] }
  const exp = (seconds: number) => Math.floor(createTestRuntime().now().getTime() / 1_000) + seconds
  const claims = {
    iss: WORKLOAD.issuer,
    sub: WORKLOAD.subject,
    aud: WORKLOAD.audience,
    exp: exp(3_600),
  }
  const typed = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

  async function federated() {
    const asked: string[] = []
    let status = 200
    const made = await setUp({
      fetch: async (url) => {
        asked.push(url)
        return Response.json(keys, { status })
      },
    })
    const client = await made.connections.issueClient('acme', made.id, { federation: WORKLOAD })
    expect(client).toMatchObject({ clientSecret: null, secretId: null, expiresAt: null })
    const send = (assertion: string, clientId = client.clientId) =>
      made.grant({
        client_id: clientId,
        client_assertion_type: typed,
        client_assertion: assertion,
        scope: 'scim',
      })
    return { ...made, asked, send, fail: () => (status = 500) }
  }

  test('it may be used until it expires', async () => {
    const { send, opens, asked } = await federated()
    const assertion = await signed(claims)
    for (let n = 0; n < 2; n += 1) {
      const { status, access_token: token } = await send(assertion)
      expect([status, await opens(token)]).toEqual([200, 200])
    }
    expect(asked).toEqual([WORKLOAD.jwksUri])
  })

  test('all else is refused, and nothing is fetched for unknown clients', async () => {
    const { send, asked } = await federated()
    expect((await send(await signed(claims), 'nobody')).status).toBe(401)
    expect(asked).toEqual([])
    for (const wrong of [
      { iss: `${WORKLOAD.issuer}/` },
      { sub: 'another' },
      { aud: AUDIENCE },
      { exp: exp(-61) },
      { exp: exp(25 * 3_600) },
    ]) {
      expect((await send(await signed({ ...claims, ...wrong }))).status).toBe(401)
    }
    const forged = await signed(claims, { key: other.privateKey })
    expect((await send(forged)).status).toBe(401)
    expect((await send('no.jwt.x')).status).toBe(401)
  })

  test('SF-45 unreachable keys are 503, and without a fetch of the host nothing private is asked', async () => {
    const unreachable = await federated()
    unreachable.fail()
    const answer = await unreachable.send(await signed(claims))
    expect(answer).toMatchObject({ status: 503, error: 'temporarily_unavailable' })
    const global = vi.spyOn(globalThis, 'fetch')
    const made = await setUp()
    for (const jwksUri of [
      'https://127.0.0.1:9/keys',
      'https://localhost/keys',
      'http://127.0.0.1/k',
    ]) {
      const federation = { ...WORKLOAD, jwksUri }
      const { clientId } = await made.connections.issueClient('acme', made.id, { federation })
      const assertion = await signed(claims, { key: privateKey })
      const fields = { client_id: clientId, client_assertion_type: typed }
      expect((await made.grant({ ...fields, client_assertion: assertion })).status).toBe(503)
    }
    expect(global).not.toHaveBeenCalled()
    global.mockRestore()
  })
})

test('SF-34 client_id beside another credential must be the same', async () => {
  const { connections, id } = host
  const { clientId, clientSecret } = await connections.issueClient('acme', id)
  const endpoint = createTokenEndpoint({
    issuer: 'https://app.example',
    audience: AUDIENCE,
    store: connections.clients,
    key: PRIVATE,
  })
  const status = async (named: string) =>
    (
      await endpoint.handle(
        new Request('https://app.example/token', {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
          body: new URLSearchParams({ grant_type: 'client_credentials', client_id: named }),
        }),
      )
    ).status
  expect([await status(clientId), await status('another')]).toEqual([200, 400])
})
