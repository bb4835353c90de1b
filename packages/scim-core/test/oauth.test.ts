import { createScimService, createScimTokens, type ScimAuth } from '@x/scim-core'
import { createMemoryScimStore, createMemoryTokenStore } from '@x/scim-core/memory'
import {
  createIntrospectionAuth,
  createJwtAuth,
  createTokenEndpoint,
  type ClientStore,
  type OAuthClient,
} from '@x/scim-core/oauth'
import { createHash } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, SignJWT, type JWK } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { BASE } from './support.ts'

import {
  ask,
  AUDIENCE,
  INVALID,
  ISSUER,
  PRIVATE,
  privateKey,
  PUBLIC,
  runtime,
  seconds,
  serviceWith,
  signed,
} from './oauth-support.ts'

describe('several authentication methods', () => {
  test('SH-44 the first method that recognises the credential decides; if none does, 401', async () => {
    const seen: string[] = []
    const way = (name: string): ScimAuth => ({
      kind: 'bearer',
      authenticate: (token) => {
        seen.push(name)
        if (token === 'dead') return { problem: 'revoked' }
        return token === name
          ? { id: name, tenant: 't', scopes: ['users:read'], kind: 'token' }
          : null
      },
    })
    const auth = [way('a'), way('b'), { kind: 'token', token: 'static' } as const]
    expect((await ask(auth, 'b')).status).toBe(200)
    expect(seen).toEqual(['a', 'b'])
    expect((await ask(auth, 'static')).status).toBe(200)
    expect(await ask(auth, 'dead')).toMatchObject({
      status: 401,
      challenge:
        'Bearer realm="scim", error="invalid_token", error_description="The token has been revoked"',
    })
    expect(await ask(auth, 'c')).toMatchObject({ status: 401, challenge: INVALID })
    expect(await ask(auth, null)).toMatchObject({ status: 401, challenge: 'Bearer realm="scim"' })
    expect(() => serviceWith([])).toThrow('auth names no way')
  })

  test('SH-49 expired and revoked tokens say which they are', async () => {
    const tokens = createScimTokens({ store: createMemoryTokenStore(), runtime })
    const auth = { kind: 'tokens', service: tokens } as const
    const { id, token } = await tokens.issue({ tenant: 'default' })
    const short = await tokens.issue({ tenant: 'default', expiresAt: runtime.now() })
    await tokens.revoke('default', id)
    expect((await ask(auth, token)).challenge).toContain('The token has been revoked')
    expect((await ask(auth, short.token)).challenge).toContain('The token has expired')
  })

  test('SH-52 ServiceProviderConfig lists the authentication methods, or those the host names', async () => {
    const schemes = async (options: object): Promise<unknown> => {
      const service = createScimService({
        store: createMemoryScimStore(),
        baseUrl: BASE,
        auth: { kind: 'token', token: 't' },
        publicDiscovery: true,
        ...options,
      })
      const response = await service.handle(new Request(`${BASE}/ServiceProviderConfig`))
      return ((await response.json()) as Record<string, unknown>)['authenticationSchemes']
    }
    const jwt = createJwtAuth({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwks: { keys: [] },
      tenant: 't',
    })
    const oauth = {
      type: 'oauth2',
      name: 'OAuth 2.0 client credentials',
      specUri: 'https://www.rfc-editor.org/info/rfc6749',
    }
    expect(await schemes({ auth: jwt })).toEqual([oauth])
    expect(await schemes({ auth: { kind: 'host', authenticate: () => null } })).toEqual([])
    expect(await schemes({ auth: [{ kind: 'token', token: 't' }, jwt] })).toMatchObject([
      { type: 'oauthbearertoken', primary: true },
      oauth,
    ])
    const own = [{ type: 'httpbasic', name: 'Basic' }]
    expect(await schemes({ authenticationSchemes: own })).toEqual(own)
    const documented = createScimService({
      store: createMemoryScimStore(),
      baseUrl: BASE,
      auth: jwt,
      publicDiscovery: true,
      documentationUri: 'https://app.example/help',
    })
    const config = await documented.handle(new Request(`${BASE}/ServiceProviderConfig`))
    expect(await config.json()).toMatchObject({ documentationUri: 'https://app.example/help' })
  })
})

test('SH-47 introspected tokens are cached by digest until they expire', async () => {
  const answers: Record<string, object | number> = {
    good: { active: true, client_id: 'idp', scope: 'scim', exp: seconds() + 30 },
    gone: { active: false },
    broken: 500,
  }
  let asked = 0
  const auth = createIntrospectionAuth({
    url: 'https://login.example/introspect',
    clientId: 'me:x',
    clientSecret: 'geheim',
    tenant: 'acme',
    runtime,
    fetch: async (_url, init) => {
      asked += 1
      const headers = new Headers(init?.headers)
      expect(atob(headers.get('authorization')?.slice(6) ?? '')).toBe('me%3Ax:geheim')
      const token = new URLSearchParams(init?.body as string).get('token') ?? ''
      const answer = answers[token]
      return typeof answer === 'number'
        ? new Response(null, { status: answer })
        : Response.json(answer)
    },
  })
  expect((await ask(auth, 'good')).status).toBe(200)
  expect((await ask(auth, 'good')).status).toBe(200)
  expect(asked).toBe(1)
  await runtime.advance(31_000)
  expect((await ask(auth, 'good')).status).toBe(401)
  expect((await ask(auth, 'gone')).status).toBe(401)
  expect(await ask(auth, 'broken')).toMatchObject({ status: 503, retryAfter: '5' })
})

test('SH-47 an answer without an end is kept for cacheSeconds; an endpoint that is away is 503', async () => {
  let asked = 0
  let isAway = false
  const auth = createIntrospectionAuth({
    url: 'https://login.example/introspect',
    clientId: 'me',
    clientSecret: 'geheim',
    tenant: (claims) => (claims['org'] === 'acme' ? 'acme' : null),
    requiredScope: null,
    cacheSeconds: 20,
    runtime,
    fetch: async (_url, init) => {
      asked += 1
      if (isAway) throw new TypeError('fetch failed')
      const token = new URLSearchParams(init?.body as string).get('token')
      const org = token === 'theirs' ? 'globex' : 'acme'
      return Response.json({ active: true, sub: 'idp', org, exp: seconds() + 3_600 })
    },
  })
  for (let n = 0; n < 2; n += 1) expect((await ask(auth, 'ours')).status).toBe(200)
  expect(asked).toBe(1)
  expect(await ask(auth, 'theirs')).toMatchObject({ status: 401, challenge: INVALID })
  isAway = true
  await runtime.advance(19_000)
  expect((await ask(auth, 'ours')).status).toBe(200)
  await runtime.advance(1_000)
  expect(await ask(auth, 'ours')).toMatchObject({ status: 503, retryAfter: '5' })
})

test('OP-20 setting the clock back does not extend cached tokens and keys', async () => {
  let offset = 0
  const settable = { ...runtime, now: () => new Date(runtime.now().getTime() + offset) }
  let active = true
  const introspected = createIntrospectionAuth({
    url: 'https://login.example/introspect',
    clientId: 'me',
    clientSecret: 'geheim',
    tenant: 'acme',
    runtime: settable,
    fetch: async () => Response.json({ active, client_id: 'idp', scope: 'scim' }),
  })
  let keys: JWK[] = []
  const signedTokens = createJwtAuth({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwks: 'https://login.example/keys',
    tenant: 'acme',
    runtime: settable,
    fetch: async () => Response.json({ keys }),
  })
  expect((await ask(introspected, 'good')).status).toBe(200)
  const token = await signed({ iat: seconds() - 7200, exp: seconds() + 600 })
  expect((await ask(signedTokens, token)).status).toBe(401)
  active = false
  keys = [PUBLIC]
  offset = -3_600_000
  expect((await ask(introspected, 'good')).status).toBe(401)
  expect((await ask(signedTokens, token)).status).toBe(200)
})

describe('the token endpoint', () => {
  const digest = (secret: string): string => createHash('sha256').update(secret).digest('hex')
  const clients = new Map<string, OAuthClient>()
  const store: ClientStore = { find: async (id) => clients.get(id) ?? null }
  const client = (id: string, fields: Partial<OAuthClient> = {}): void =>
    void clients.set(id, {
      id,
      tenant: 'acme',
      digest: digest('geheim'),
      jwks: null,
      scopes: ['users:read', 'users:write'],
      connectionId: null,
      ...fields,
    })
  const endpoint = (options: object = {}) =>
    createTokenEndpoint({
      issuer: ISSUER,
      audience: AUDIENCE,
      store,
      key: PRIVATE,
      runtime,
      ...options,
    })
  const post = async (
    body: string,
    headers: Record<string, string> = {},
    at = endpoint(),
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> => {
    const response = await at.handle(
      new Request('https://login.example/token', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      }),
    )
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, body: answer, headers: response.headers }
  }
  const basic = (id: string, secret: string): Record<string, string> => ({
    authorization: `Basic ${btoa(`${id}:${secret}`)}`,
  })
  const GRANT = 'grant_type=client_credentials'

  beforeEach(() => {
    clients.clear()
    client('c1')
  })

  test('SH-48 a client gets a token that the service accepts, until it is revoked', async () => {
    const at = endpoint()
    const { status, body, headers } = await post(GRANT, basic('c1', 'geheim'), at)
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'scim' })
    const token = String(body['access_token'])
    expect((await ask(at.auth, token)).status).toBe(200)
    expect((await ask(at.auth, token, { path: '/Groups' })).status).toBe(403)
    clients.clear()
    expect((await ask(at.auth, token)).challenge).toContain('revoked')
    client('c1')
    await runtime.advance(3_700_000)
    expect((await ask(at.auth, token)).challenge).toContain('expired')
    expect(at.metadata()).toMatchObject({
      issuer: ISSUER,
      token_endpoint: 'https://login.example/token',
    })
    expect(at.jwks().keys[0]).not.toHaveProperty('d')
  })

  test('SH-48 the token is a signed access token that names its client', async () => {
    const at = endpoint({ ttlSeconds: 60 })
    const { body } = await post(GRANT, basic('c1', 'geheim'), at)
    expect(body['expires_in']).toBe(60)
    const { payload, protectedHeader } = await jwtVerify(
      String(body['access_token']),
      createLocalJWKSet({ keys: [...at.jwks().keys] }),
      { currentDate: runtime.now() },
    )
    expect(protectedHeader).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
    expect(payload).toEqual({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'c1',
      client_id: 'c1',
      scope: 'scim',
      iat: seconds(),
      exp: seconds() + 60,
      jti: expect.any(String) as string,
    })
    expect(
      (
        await ask(
          endpoint({ audience: 'https://else.example' }).auth,
          body['access_token'] as string,
        )
      ).status,
    ).toBe(401)
  })

  test('SH-48 accepts client secrets in the body, and a scope', async () => {
    const { body } = await post(`${GRANT}&client_id=c1&client_secret=geheim&scope=users:read`)
    expect(body['scope']).toBe('users:read')
    const at = endpoint()
    const token = String(
      (await post(`${GRANT}&scope=users:read`, basic('c1', 'geheim'), at)).body['access_token'],
    )
    expect((await ask(at.auth, token, { method: 'POST' })).status).toBe(403)
  })

  test('SH-48 remembers no client id of endless length', async () => {
    const asked: string[] = []
    const find = (id: string) => {
      asked.push(id)
      return Promise.resolve(null)
    }
    const at = endpoint({ store: { find } })
    for (const length of [512, 513, 60_000]) {
      const body = `${GRANT}&client_id=${'c'.repeat(length)}&client_secret=x`
      for (let n = 0; n < 11; n += 1) {
        const isCounted = length === 512 && n === 10
        expect((await post(body, {}, at)).status).toBe(isCounted ? 429 : 401)
      }
    }
    expect(asked).toEqual(Array.from({ length: 10 }, () => 'c'.repeat(512)))
  })

  test('SH-48 accepts a signed assertion once', async () => {
    client('signer', { digest: null, jwks: { keys: [PUBLIC] } })
    const assertion = (claims: object = {}): Promise<string> =>
      new SignJWT({
        iss: 'signer',
        sub: 'signer',
        aud: ISSUER,
        jti: 'j1',
        exp: seconds() + 60,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .sign(privateKey)
    const at = endpoint()
    const send = (text: string) =>
      post(
        `${GRANT}&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer&client_assertion=${text}`,
        {},
        at,
      )
    const first = await assertion()
    expect((await send(first)).status).toBe(200)
    for (const text of [
      first,
      await assertion({ jti: 'j2', aud: 'https://else.example' }),
      await assertion({ jti: 'j3', exp: seconds() + 400 }),
      await assertion({ jti: 'j'.repeat(513) }),
    ]) {
      expect(await send(text)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
  })

  test.each([
    ['', {}, 400, 'invalid_request'],
    [`${GRANT}&${GRANT}`, basic('c1', 'geheim'), 400, 'invalid_request'],
    [
      GRANT,
      { ...basic('c1', 'geheim'), 'content-type': 'application/json' },
      400,
      'invalid_request',
    ],
    ['grant_type=password', basic('c1', 'geheim'), 400, 'unsupported_grant_type'],
    [GRANT, basic('nobody', 'geheim'), 401, 'invalid_client'],
    [GRANT, basic('c1', 'wrong'), 401, 'invalid_client'],
    [GRANT, {}, 401, 'invalid_client'],
    [GRANT, { authorization: 'Basic §' }, 401, 'invalid_client'],
    [`${GRANT}&client_id=c1&client_secret=x`, basic('c1', 'geheim'), 400, 'invalid_request'],
    [`${GRANT}&client_assertion=x`, {}, 400, 'invalid_request'],
    [`${GRANT}&scope=groups:read`, basic('c1', 'geheim'), 400, 'invalid_scope'],
  ])('SH-48 refuses %j %j', async (body, headers, status, error) => {
    const answer = await post(body, headers)
    const text = expect.any(String) as string
    expect([answer.status, answer.body]).toEqual([status, { error, error_description: text }])
    const challenge = status === 401 ? 'Basic realm="scim"' : null
    expect(answer.headers.get('www-authenticate')).toBe(challenge)
  })

  test('SH-48 refuses disabled authentication methods, other HTTP methods and too many failures', async () => {
    const strict = endpoint({ methods: ['private_key_jwt'] })
    const refused = { status: 401, body: { error: 'invalid_client' } }
    expect(await post(GRANT, basic('c1', 'geheim'), strict)).toMatchObject(refused)
    expect(strict.metadata()['token_endpoint_auth_methods_supported']).toEqual(['private_key_jwt'])
    const get = await strict.handle(new Request('https://login.example/token'))
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    const at = endpoint()
    for (let n = 0; n < 10; n += 1) await post(GRANT, basic('c1', 'wrong'), at)
    const blocked = await post(GRANT, basic('c1', 'geheim'), at)
    expect([blocked.status, Number(blocked.headers.get('retry-after')) > 0]).toEqual([429, true])
    await runtime.advance(61_000)
    expect((await post(GRANT, basic('c1', 'geheim'), at)).status).toBe(200)
  })
})
