import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOidcSignIn, type OidcSignIn, type OidcSignInOptions } from '../src/http/oidc.ts'
import { createTestEngine, SECRET_KEY } from './support/engine.ts'

/** A provider of our own on loopback: whoever asks gets a code, and the claims that a test has set. */
let server: Server
let issuer = ''
let keys: { privateKey: CryptoKey; publicKey: CryptoKey }
let claims: JWTPayload = {}
let lastExchange = new URLSearchParams()
let nonce = ''

beforeAll(async () => {
  keys = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256' }
  const answers = {
    '/.well-known/openid-configuration': async () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/logout`,
    }),
    '/jwks': async () => ({ keys: [jwk] }),
    '/token': async () => ({
      id_token: await new SignJWT({ nonce, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(issuer)
        .setAudience('client')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(keys.privateKey),
    }),
  }
  const answer = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of message) parts.push(part as Buffer)
    if (message.url === '/token')
      lastExchange = new URLSearchParams(Buffer.concat(parts).toString())
    const made = await answers[(message.url ?? '') as keyof typeof answers]()
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(made))
  }
  server = createServer((message, reply) => void answer(message, reply))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())
beforeEach(() => {
  claims = { sub: 'subject-1' }
})

async function setUp(options: Partial<OidcSignInOptions> = {}) {
  const engine = await createTestEngine()
  const user = await engine.services.users.create({
    username: 'ada@host.example',
    password: null,
    isActive: true,
  })
  const oidc = createOidcSignIn({
    issuer,
    clientId: 'client',
    publicUrl: 'https://flows.example',
    secretKey: SECRET_KEY,
    services: engine.services,
    store: engine.options.store,
    findManagedUser: async ({ externalId, email }) =>
      externalId === 'subject-1' || email === 'ada@host.example' ? user.id : null,
    ...options,
  })
  return { engine, user, oidc }
}

/** Both steps as a browser takes them. */
async function signIn(oidc: OidcSignIn, change: { state?: string; cookie?: string } = {}) {
  const first = await oidc.login(
    new Request('https://flows.example/api/v1/oidc/login?return_to=/flows?tab=1'),
  )
  const location = new URL(first.headers.get('location') ?? '')
  nonce = location.searchParams.get('nonce') ?? ''
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  const state = change.state ?? location.searchParams.get('state') ?? ''
  const answer = await oidc.callback(
    new Request(`https://flows.example/api/v1/oidc/callback?code=c&state=${state}`, {
      headers: { cookie: change.cookie ?? cookie },
    }),
  )
  return { first, location, answer, cookies: answer.headers.getSetCookie() }
}

describe('createOidcSignIn', () => {
  test('SU-21 sends the browser to the provider with PKCE, state and nonce', async () => {
    const { oidc } = await setUp()
    const { first, location } = await signIn(oidc)
    expect(first.status).toBe(302)
    expect(location.origin).toBe(issuer)
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'client',
      code_challenge_method: 'S256',
      redirect_uri: 'https://flows.example/api/v1/oidc/callback',
    })
    const cookie = first.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/HttpOnly/)
    expect(cookie).toMatch(/Max-Age=600/)
    expect(cookie).toMatch(/SameSite=lax/)
    expect(lastExchange.get('code_verifier')).toHaveLength(43)
  })

  test('SU-22 a good identity gets the cookies of a sign-in and goes back', async () => {
    const { engine, oidc, user } = await setUp()
    const { answer, cookies } = await signIn(oidc)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe('/flows?tab=1')
    const token = /^access_token_lf=([^;]+)/.exec(cookies.find((c) => c.startsWith('access')) ?? '')
    const whoami = await engine.handler(
      new Request('http://host/api/v1/users/whoami', {
        headers: { authorization: `Bearer ${token?.[1]}` },
      }),
    )
    expect(await whoami.json()).toMatchObject({ id: user.id })
    expect(cookies.some((cookie) => cookie.startsWith('refresh_token_lf='))).toBe(true)
  })

  test.each([
    ['another state', { state: 'x' }],
    ['no cookie', { cookie: '' }],
    ['a forged cookie', { cookie: 'oidc_sign_in=a.b.c' }],
  ])('SU-22 refuses %s', async (_name, change) => {
    const { oidc } = await setUp()
    const { answer, cookies } = await signIn(oidc, change)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      detail: 'The sign-in was not started here, or has expired',
    })
    expect(cookies).toEqual([])
  })

  test.each<[string, JWTPayload]>([
    ['another nonce', { nonce: 'other' }],
    ['no subject', { sub: undefined as never }],
    ['another audience', { aud: 'other' }],
  ])('SU-22 refuses an identity token with %s', async (name, change) => {
    claims = { sub: 'subject-1', ...change }
    const { oidc } = await setUp(name === 'another audience' ? { clientId: 'someone' } : {})
    const { answer } = await signIn(oidc)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(await answer.json())).not.toContain('eyJ')
  })

  test('SU-23 the link decides the next time, whatever the directory says', async () => {
    const { engine, oidc, user } = await setUp()
    await signIn(oidc)
    expect(await engine.options.store.oidcLinks.find(issuer, 'subject-1')).toMatchObject({
      userId: user.id,
    })
    const later = createOidcSignIn({
      issuer,
      clientId: 'client',
      publicUrl: 'https://flows.example',
      secretKey: SECRET_KEY,
      services: engine.services,
      store: engine.options.store,
    })
    expect((await signIn(later)).answer.status).toBe(302)
  })

  test('SU-23 only a verified address counts', async () => {
    const { oidc } = await setUp()
    claims = { sub: 'other', email: 'ada@host.example', email_verified: false }
    const { answer } = await signIn(oidc)
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { detail: 'No account is provisioned for this identity' },
    ])
    claims = { sub: 'other', email: 'ada@host.example', email_verified: true }
    expect((await signIn(oidc)).answer.status).toBe(302)
  })

  test('SU-23 makes an account only where that is allowed', async () => {
    const { engine, oidc } = await setUp({ autoCreate: true })
    claims = { sub: 'new', email: 'new@host.example', email_verified: true }
    expect((await signIn(oidc)).answer.status).toBe(302)
    const made = await engine.options.store.users.findByUsername('new@host.example')
    expect(made).toMatchObject({ isActive: true, isSuperuser: false, passwordHash: null })
  })

  test('SU-24 a user that is not active gets no cookies', async () => {
    const { engine, oidc, user } = await setUp()
    await engine.options.store.users.update(user.id, { isActive: false })
    const { answer, cookies } = await signIn(oidc)
    expect(answer.status).toBe(403)
    expect(cookies).toEqual([])
    expect(await oidc.endSessionUrl()).toBe(`${issuer}/logout`)
  })

  test.each(['https://evil.example', '//evil.example', '/\\evil.example', 'flows', '/a\nb'])(
    'SU-21 return_to %j is refused',
    async (target) => {
      const { oidc } = await setUp()
      const url = `https://flows.example/api/v1/oidc/login?return_to=${encodeURIComponent(target)}`
      expect((await oidc.login(new Request(url))).status).toBe(400)
    },
  )

  test('SU-20 the issuer must be https or loopback', async () => {
    await expect(setUp({ issuer: 'http://login.example' })).rejects.toThrow('https or loopback')
  })
})
