import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createCatalogueStore,
  createScimService,
  defineResourceType,
  type ScimAuth,
} from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createJwtAuth } from '@x/scim-core/oauth'
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ask,
  AUDIENCE,
  INVALID,
  ISSUER,
  other,
  PUBLIC,
  runtime,
  seconds,
  signed,
} from './oauth-support.ts'
import { BASE } from './support.ts'

describe('signed access tokens', () => {
  const jwt = (options: object = {}): ScimAuth =>
    createJwtAuth({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwks: { keys: [PUBLIC] },
      tenant: 'acme',
      runtime,
      ...options,
    })

  test('SH-45 a token of the issuer is accepted, with the rights of its scope', async () => {
    expect((await ask(jwt(), await signed())).status).toBe(200)
    expect((await ask(jwt(), await signed(), { method: 'POST' })).status).toBe(201)
    const narrow = await signed({ scope: 'scim users:read' })
    expect((await ask(jwt(), narrow)).status).toBe(200)
    expect(await ask(jwt(), narrow, { method: 'POST' })).toMatchObject({
      status: 403,
      challenge: 'Bearer realm="scim", error="insufficient_scope", scope="users:write"',
    })
    const entra = await signed({ scope: undefined })
    expect((await ask(jwt({ requiredScope: null }), entra)).status).toBe(200)
    expect((await ask(jwt({ scopes: () => ['groups:read'] }), await signed())).status).toBe(403)
  })

  test.each([
    ['another key', async () => signed({}, { key: other.privateKey }), INVALID],
    ['another issuer', async () => signed({ iss: 'https://evil.example/' }), INVALID],
    ['another audience', async () => signed({ aud: 'https://else.example' }), INVALID],
    ['no expiry', async () => signed({ exp: undefined }), INVALID],
    ['a not-before time in the future', async () => signed({ nbf: seconds() + 120 }), INVALID],
    ['an issue time in the future', async () => signed({ iat: seconds() + 120 }), INVALID],
    ['no scope', async () => signed({ scope: 'openid' }), INVALID],
    ['no tenant', async () => signed({ tenant: 'none' }), INVALID],
    ['too many characters', async () => signed({ pad: 'x'.repeat(9_000) }), INVALID],
    ['no signature', async () => unsigned(), INVALID],
    ['a shared secret', async () => symmetric(), INVALID],
    ['no dots at all', async () => 'opaque', INVALID],
    [
      'an expiry in the past',
      async () => signed({ exp: seconds() - 61 }),
      'Bearer realm="scim", error="invalid_token", error_description="The token has expired"',
    ],
  ])('SH-45 SH-49 refuses %s', async (_what, make, challenge) => {
    const tenant = (claims: object): string | null => ('tenant' in claims ? null : 'acme')
    expect(await ask(jwt({ tenant }), await make())).toMatchObject({ status: 401, challenge })
  })

  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = (): object => ({ iss: ISSUER, aud: AUDIENCE, sub: 'x', exp: seconds() + 60 })
  const unsigned = (): string => `${part({ alg: 'none' })}.${part(claims())}.`
  const symmetric = (): Promise<string> =>
    new SignJWT({ ...claims() })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(JSON.stringify(PUBLIC)))

  test('SH-45 words in the form of a scope narrow the rights, also those of own resource types', async () => {
    const Role = defineResourceType({
      name: 'Role',
      endpoint: '/Roles',
      schema: { urn: 'urn:example:role', attributes: [{ name: 'displayName' }] },
      scopes: { read: 'roles:read', write: 'roles:write' },
      store: createCatalogueStore(() => [{ id: 'admin', displayName: 'Administrator' }]),
    })
    const service = createScimService({
      store: createMemoryScimStore(),
      baseUrl: BASE,
      auth: jwt(),
      runtime,
      resourceTypes: [Role],
    })
    const read = async (path: string, scope: string): Promise<number> => {
      const headers = { authorization: `Bearer ${await signed({ scope })}` }
      return (await service.handle(new Request(`${BASE}${path}`, { headers }))).status
    }
    expect(await read('/Roles', 'scim')).toBe(200)
    expect(await read('/Roles', 'scim openid offline_access')).toBe(200)
    expect(await read('/Roles', 'scim roles:read')).toBe(200)
    expect(await read('/Users', 'scim roles:read')).toBe(403)
    expect(await read('/Roles', 'scim users:read')).toBe(403)
  })

  test('SH-45 issuers, audiences and scopes may be lists; the principal is named by its client', async () => {
    const asked: Record<string, unknown>[] = []
    const tenant = (given: object): string => {
      asked.push({ ...given })
      return 'acme'
    }
    const auth = jwt({
      issuer: ['https://first.example', ISSUER],
      audience: ['x', AUDIENCE],
      tenant,
    })
    const token = await signed({ scope: undefined, scp: ['scim', 'users:read'], azp: 'app' })
    expect((await ask(auth, token)).status).toBe(200)
    expect((await ask(auth, token, { method: 'POST' })).status).toBe(403)
    // The second time the signature is known, but the tenant is asked for again.
    expect(asked).toHaveLength(2)
    const actors: (string | null)[] = []
    const service = createScimService({
      store: createMemoryScimStore(),
      baseUrl: BASE,
      auth,
      runtime,
      audit: ({ actor }) => void actors.push(actor),
    })
    for (const names of [{ client_id: 'one', azp: 'two' }, { azp: 'two' }, {}]) {
      const headers = { authorization: `Bearer ${await signed(names)}` }
      expect((await service.handle(new Request(`${BASE}/Users`, { headers }))).status).toBe(200)
    }
    expect(actors).toEqual(['one', 'two', 'idp'])
  })

  test.each(['RS256', 'PS256', 'EdDSA'])('SH-45 accepts %s unless told otherwise', async (alg) => {
    const pair = await generateKeyPair(alg)
    const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'own', alg }]
    const token = await new SignJWT({ scope: 'scim' })
      .setProtectedHeader({ alg, kid: 'own' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject('idp')
      .setExpirationTime(seconds() + 60)
      .sign(pair.privateKey)
    expect((await ask(jwt({ jwks: { keys } }), token)).status).toBe(200)
    const strict = jwt({ jwks: { keys }, algorithms: ['ES256'] })
    expect(await ask(strict, token)).toMatchObject({ status: 401, challenge: INVALID })
  })

  test('SH-45 clocks may differ by 60 s', async () => {
    for (const moved of [
      { exp: seconds() - 55 },
      { nbf: seconds() + 55 },
      { iat: seconds() + 55 },
    ]) {
      expect((await ask(jwt(), await signed(moved))).status).toBe(200)
      expect((await ask(jwt({ clockToleranceSeconds: 5 }), await signed(moved))).status).toBe(401)
    }
  })

  test('SH-45 a key is imported once, however many tokens are checked with it', async () => {
    const imports = vi.spyOn(crypto.subtle, 'importKey')
    const auth = jwt()
    for (let n = 0; n < 3; n += 1) expect((await ask(auth, await signed())).status).toBe(200)
    const verifying = imports.mock.calls.filter(([, , , , usages]) => usages.includes('verify'))
    imports.mockRestore()
    expect(verifying).toHaveLength(1)
  })

  test('SH-45 algorithms without public keys cannot be configured', () => {
    for (const name of ['HS256', 'none'])
      expect(() => jwt({ algorithms: [name] })).toThrow(TypeError)
  })

  describe('with a key server', () => {
    let isBroken = false
    let asked = 0
    let keys: JWK[] = []
    const server = createServer((_request, response) => {
      asked += 1
      if (isBroken) response.writeHead(500).end()
      else response.end(JSON.stringify({ keys }))
    })
    let url = ''
    beforeEach(async () => {
      isBroken = false
      asked = 0
      keys = [PUBLIC]
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
    })
    afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    test('SH-46 keys are cached for 10 minutes; an unknown key is requested at most every 30 s', async () => {
      const auth = jwt({ jwks: url })
      for (let n = 0; n < 3; n += 1) expect((await ask(auth, await signed())).status).toBe(200)
      expect(asked).toBe(1)
      const rotated = { ...(await exportJWK(other.publicKey)), kid: 'k2', alg: 'ES256' }
      keys = [PUBLIC, rotated]
      const next = (): Promise<string> => signed({}, { key: other.privateKey, kid: 'k2' })
      expect((await ask(auth, await next())).status).toBe(401)
      await runtime.advance(31_000)
      expect((await ask(auth, await next())).status).toBe(200)
      expect(asked).toBe(2)
    })

    test('SH-45 an accepted token ends when its key is removed or it expires', async () => {
      const auth = jwt({ jwks: url })
      const token = await signed({ exp: seconds() + 3_600 })
      const brief = await signed({ exp: seconds() + 60 })
      for (let n = 0; n < 2; n += 1) {
        expect((await ask(auth, token)).status).toBe(200)
        expect((await ask(auth, brief)).status).toBe(200)
      }
      await runtime.advance(121_000)
      expect((await ask(auth, brief)).challenge).toContain('The token has expired')
      expect((await ask(auth, token)).status).toBe(200)
      keys = [{ ...(await exportJWK(other.publicKey)), kid: 'k2', alg: 'ES256' }]
      await runtime.advance(600_000)
      expect((await ask(auth, token)).status).toBe(401)
    })

    test('SH-45 a token that differs from an accepted one in a character is verified', async () => {
      const auth = jwt({ jwks: url })
      const token = await signed()
      expect((await ask(auth, token)).status).toBe(200)
      const [head = '', payload = '', signature = ''] = token.split('.')
      const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
      expect((await ask(auth, `${head}.${payload}.${flipped}`)).status).toBe(401)
      const none = Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')
      expect((await ask(auth, `${none}.${payload}.`)).status).toBe(401)
      expect((await ask(auth, `${none}.${payload}.${signature}`)).status).toBe(401)
    })

    test('SH-46 a key server that never answers delays one request, then is asked in the background', async () => {
      let hangs = true
      const fetchKeys = async (): Promise<Response> => {
        asked += 1
        if (hangs) throw new DOMException('No answer', 'TimeoutError')
        return Response.json({ keys })
      }
      const auth = jwt({ jwks: url, fetch: fetchKeys })
      for (let n = 0; n < 3; n += 1) {
        expect(await ask(auth, await signed())).toMatchObject({ status: 503, retryAfter: '5' })
      }
      expect(asked).toBe(1)
      hangs = false
      await runtime.advance(5_000)
      expect((await ask(auth, await signed())).status).toBe(200)

      hangs = true
      await runtime.advance(600_000)
      expect((await ask(auth, await signed())).status).toBe(200)
      expect(asked).toBe(3)
      let answer = (_keys: Response): void => undefined
      const slow = jwt({
        jwks: url,
        fetch: () => {
          asked += 1
          if (asked === 5) return Promise.resolve(Response.json({ keys }))
          if (asked === 6) return Promise.reject(new DOMException('No answer', 'TimeoutError'))
          return new Promise<Response>((resolve) => (answer = resolve))
        },
      })
      asked = 4
      expect((await ask(slow, await signed())).status).toBe(200)
      await runtime.advance(600_000)
      expect((await ask(slow, await signed())).status).toBe(200)
      await runtime.advance(30_000)
      // The server hangs: the request is answered although nothing has come.
      expect((await ask(slow, await signed())).status).toBe(200)
      expect(asked).toBe(7)
      answer(Response.json({ keys }))
    })

    test('SH-46 a key server that fails is 503, unless a key is known', async () => {
      const auth = jwt({ jwks: url })
      isBroken = true
      expect(await ask(auth, await signed())).toMatchObject({ status: 503, retryAfter: '5' })
      isBroken = false
      expect((await ask(auth, await signed())).status).toBe(200)
      isBroken = true
      await runtime.advance(700_000)
      expect((await ask(auth, await signed())).status).toBe(200)
      await runtime.advance(31_000)
      expect((await ask(auth, await signed({}, { kid: 'k9' }))).status).toBe(503)
    })
  })
})
