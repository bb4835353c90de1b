import { createConnectionsHandler, createScimConnections } from '@x/scim-core/connections'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createScimService, type ScimPrincipal } from '@x/scim-core'
import { createSecurityEvents } from '@x/scim-core/outbound'
import { createTestRuntime } from '@x/scim-core/testing'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, test } from 'vitest'
import { BASE, MESSAGES, PATCH, TOKEN, USER } from './support.ts'

const EVE = { schemas: [USER], userName: 'eve@corp.example' }

interface Slow {
  readonly method?: string
  readonly url: string
  readonly token?: string
  readonly body: object
  /** Called before the body ends. */
  readonly meanwhile: () => Promise<unknown>
}

/** A request whose body ends after `meanwhile`. */
function slowRequest({ method = 'POST', url, token = TOKEN, body, meanwhile }: Slow): Request {
  const text = JSON.stringify(body)
  const parts = [text.slice(0, -1), text.slice(-1)]
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = parts.shift()
        if (parts.length === 0) await meanwhile()
        if (part === undefined) return controller.close()
        controller.enqueue(new TextEncoder().encode(part))
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return new Request(url, { method, headers, body: stream, duplex: 'half' })
}

async function setUp() {
  const store = createMemoryScimStore()
  const runtime = createTestRuntime()
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
    runtime,
  })
  const auth = [{ kind: 'token' as const, token: TOKEN }, connections.auth()]
  const service = createScimService({ store, baseUrl: BASE, auth, runtime, bulk: true })
  const { connection, token, tokenId } = await connections.create({
    tenant: 'default',
    name: 'Okta',
    provider: 'okta',
  })
  const made = await service.handle(
    new Request(`${BASE}/Users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ schemas: [USER], userName: 'ada@corp.example' }),
    }),
  )
  const { id: ada } = (await made.json()) as { id: string }
  const names = async (): Promise<unknown[]> => {
    const { Resources } = await service.users.list('default')
    return Resources.map(({ userName }) => userName)
  }
  const revoke = () => connections.revokeToken('default', connection.id, tokenId)
  return { store, runtime, connections, connection, service, token, ada, names, revoke }
}

const patch = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'active', value: false }] }
const bulk = {
  schemas: [`${MESSAGES}:BulkRequest`],
  Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: EVE }],
}

test.each([
  ['POST', '/Users', EVE],
  ['PATCH', '/Users/{ada}', patch],
  ['PUT', '/Users/{ada}', EVE],
  ['POST', '/Users/.search', { schemas: [`${MESSAGES}:SearchRequest`] }],
  ['POST', '/Bulk', bulk],
])(
  'AB-79 %s %s does nothing for a token revoked while the body arrives',
  async (method, at, body) => {
    const { service, runtime, token, ada, names, revoke } = await setUp()
    const url = BASE + at.replace('{ada}', ada)
    const meanwhile = async (): Promise<void> => {
      await revoke()
      await runtime.advance(1_500)
    }
    const answer = await service.handle(slowRequest({ method, url, token, body, meanwhile }))
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
    expect(await names()).toEqual(['ada@corp.example'])
    expect(await service.users.get('default', ada)).not.toHaveProperty('active', false)
  },
)

test('AB-79 a slow body is read for a token that is still valid', async () => {
  const { service, runtime, token, names } = await setUp()
  const meanwhile = () => runtime.advance(60_000)
  const request = slowRequest({ url: `${BASE}/Users`, token, body: EVE, meanwhile })
  expect((await service.handle(request)).status).toBe(201)
  expect(await names()).toContain('eve@corp.example')
})

test('AB-79 a slow body acts with the scopes that are left, and not as another caller', async () => {
  const { store, runtime } = await setUp()
  const all = ['users:read', 'users:write', 'groups:read', 'groups:write'] as const
  let principal: ScimPrincipal = { id: 'app', tenant: 'default', scopes: all, kind: 'host' }
  const auth = { kind: 'host' as const, authenticate: () => principal }
  const service = createScimService({ store, baseUrl: BASE, auth, runtime, bulk: true })
  const send = async (at: string, body: object, next: Partial<ScimPrincipal>) => {
    const before = principal
    const meanwhile = async (): Promise<void> => {
      principal = { ...before, ...next }
      await runtime.advance(1_500)
    }
    const answer = await service.handle(slowRequest({ url: BASE + at, body, meanwhile }))
    principal = before
    return [answer.status, await answer.text()] as const
  }
  const [users, groups] = [['users:read'], ['groups:write']] as const
  expect((await send('/Users', EVE, { scopes: users }))[0]).toBe(403)
  expect((await send('/Users', EVE, { tenant: 'other' }))[0]).toBe(401)
  expect((await send('/Users', EVE, { id: 'other' }))[0]).toBe(401)
  const [status, text] = await send('/Bulk', bulk, { scopes: groups })
  expect([status, text]).toEqual([200, expect.stringContaining('"status":"403"')])
})

test('AB-79 the admin API does nothing for a caller who may not act any more', async () => {
  const { connections, runtime } = await setUp()
  let caller: { tenant: string; actor: string } | null | Response = null
  const handle = createConnectionsHandler({
    connections,
    basePath: '/admin/scim',
    authorize: () => caller,
    runtime,
  })
  const send = async (next: typeof caller): Promise<number> => {
    caller = { tenant: 'default', actor: 'root' }
    const meanwhile = async (): Promise<void> => {
      caller = next
      await runtime.advance(1_500)
    }
    const url = 'https://app.example/admin/scim'
    const body = { name: 'late', provider: 'other' }
    return (await handle(slowRequest({ url, body, meanwhile }))).status
  }
  expect(await send(null)).toBe(401)
  expect(await send(new Response(null, { status: 403 }))).toBe(403)
  expect(await send({ tenant: 'other', actor: 'root' })).toBe(401)
  expect(await send({ tenant: 'default', actor: 'ada' })).toBe(401)
  expect(await connections.list('default')).toHaveLength(1)
  expect(await send({ tenant: 'default', actor: 'root' })).toBe(201)
})

test('AB-79 a stream of tokens gives nothing to a token revoked while the body arrives', async () => {
  const { store, runtime } = await setUp()
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const sets = createSecurityEvents({
    store: store.outbox,
    secretKey: 'a secret key of at least 32 characters',
    issuer: 'https://app.example',
    baseUrl: BASE,
    key: await exportJWK(privateKey),
    runtime,
  })
  const { id, token = '' } = await sets.streams.create({
    tenant: 'default',
    audience: 'https://peer.example',
    delivery: { method: 'poll' },
  })
  const meanwhile = async (): Promise<void> => {
    await sets.streams.remove('default', id)
    await runtime.advance(1_500)
  }
  const url = `${BASE}/SecurityEvents/${id}`
  const request = slowRequest({ url, token, body: { maxEvents: 0 }, meanwhile })
  expect((await sets.handle(request)).status).toBe(404)
})

test('AB-79 a host that reads the body to check its signature is asked once, however slow the body', async () => {
  const runtime = createTestRuntime()
  let asked = 0
  const auth = {
    kind: 'host' as const,
    async authenticate(request: Request): Promise<ScimPrincipal | null> {
      asked += 1
      const signed = await request.clone().text()
      if (!signed.includes('eve')) return null
      return { id: 'app', tenant: 'default', scopes: ['users:write'], kind: 'host' }
    },
  }
  const store = createMemoryScimStore()
  const { handle } = createScimService({ store, baseUrl: BASE, runtime, auth })
  const meanwhile = () => runtime.advance(5_000)
  const response = await handle(slowRequest({ url: `${BASE}/Users`, body: EVE, meanwhile }))
  expect([response.status, asked]).toEqual([201, 1])
})
