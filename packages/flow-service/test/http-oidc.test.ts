import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createOidcSignIn,
  type OidcSignIn,
  type OidcSignInOptions,
} from '../src/http/access/oidc.ts'
import { createTestEngine, SECRET_KEY } from '@x/test-kit'
import { startIdentityProvider, type IdentityProvider } from '@x/test-kit'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider.close())
beforeEach(() => {
  provider.claims = { sub: 'subject-1' }
  provider.namesIssuer = false
})

async function setUp(options: Partial<OidcSignInOptions> = {}) {
  const engine = await createTestEngine()
  const user = await engine.services.users.create({
    username: 'ada@host.example',
    password: null,
    isActive: true,
  })
  const oidc = createOidcSignIn({
    issuer: provider.issuer,
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
async function signIn(
  oidc: OidcSignIn,
  change: { state?: string; cookie?: string; iss?: string; returnTo?: string } = {},
) {
  const first = await oidc.login(
    new Request(
      `https://flows.example/api/v1/oidc/login?return_to=${encodeURIComponent(change.returnTo ?? '/flows?tab=1')}`,
    ),
  )
  const location = new URL(first.headers.get('location') ?? '')
  provider.nonce = location.searchParams.get('nonce') ?? ''
  const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
  const state = change.state ?? location.searchParams.get('state') ?? ''
  const iss = change.iss === undefined ? '' : `&iss=${encodeURIComponent(change.iss)}`
  const ends: string[] = []
  const answer = await oidc.callback(
    new Request(`https://flows.example/api/v1/oidc/callback?code=c&state=${state}${iss}`, {
      headers: { cookie: change.cookie ?? cookie },
    }),
    ({ outcome }) => void ends.push(outcome),
  )
  return { first, location, answer, cookies: answer.headers.getSetCookie(), ends }
}

describe('createOidcSignIn', () => {
  test('SU-21 sends the browser to the provider with PKCE, state and nonce', async () => {
    const { oidc } = await setUp()
    const { first, location } = await signIn(oidc)
    expect(first.status).toBe(302)
    expect(location.origin).toBe(provider.issuer)
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
    expect(provider.lastExchange.get('code_verifier')).toHaveLength(43)
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
    ['a forged cookie', { cookie: '__Host-oidc_sign_in=a.b.c' }],
  ])(
    'SU-22 refuses %s, without an audit record that strangers could repeat',
    async (_name, change) => {
      const { oidc } = await setUp()
      const { answer, cookies, ends } = await signIn(oidc, change)
      expect(answer.status).toBe(400)
      expect(ends).toEqual([])
      expect(await answer.json()).toEqual({
        detail: 'The sign-in was not started here, or has expired',
      })
      expect(cookies).toEqual([])
    },
  )

  test.each<[string, JWTPayload]>([
    ['another nonce', { nonce: 'other' }],
    ['no subject', { sub: undefined as never }],
    ['another audience', { aud: 'other' }],
  ])('SU-22 refuses an identity token with %s', async (name, change) => {
    provider.claims = { sub: 'subject-1', ...change }
    const { oidc } = await setUp(name === 'another audience' ? { clientId: 'someone' } : {})
    const { answer, ends } = await signIn(oidc)
    expect(answer.status).toBe(400)
    expect(ends).toEqual(['refused'])
    expect(JSON.stringify(await answer.json())).not.toContain('eyJ')
  })

  test.each([
    ['from another issuer', false, { iss: 'https://other.example' }],
    ['without an issuer, where the provider names itself', true, {}],
  ])('SU-22 refuses an answer %s (RFC 9207)', async (_name, announced, change) => {
    provider.namesIssuer = announced
    const { oidc } = await setUp()
    const { answer } = await signIn(oidc, change)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({
      detail: 'The response does not come from the identity provider',
    })
  })

  test('SU-22 accepts an answer that names its provider (RFC 9207)', async () => {
    provider.namesIssuer = true
    const { oidc } = await setUp()
    expect((await signIn(oidc, { iss: provider.issuer })).answer.status).toBe(302)
  })

  test('SU-23 a stored link identifies the user at later sign-ins, without the directory', async () => {
    const { engine, oidc, user } = await setUp()
    await signIn(oidc)
    expect(await engine.options.store.oidcLinks.find(provider.issuer, 'subject-1')).toMatchObject({
      userId: user.id,
    })
    const later = createOidcSignIn({
      issuer: provider.issuer,
      clientId: 'client',
      publicUrl: 'https://flows.example',
      secretKey: SECRET_KEY,
      services: engine.services,
      store: engine.options.store,
    })
    expect((await signIn(later)).answer.status).toBe(302)
  })

  test('SU-23 only a verified e-mail address finds an account', async () => {
    const { oidc } = await setUp()
    provider.claims = { sub: 'other', email: 'ada@host.example', email_verified: false }
    const { answer } = await signIn(oidc)
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { detail: 'No account is provisioned for this identity' },
    ])
    provider.claims = { sub: 'other', email: 'ada@host.example', email_verified: true }
    expect((await signIn(oidc)).answer.status).toBe(302)
  })

  test('SU-23 creates an account only when that is allowed', async () => {
    const { engine, oidc } = await setUp({ autoCreate: true })
    provider.claims = { sub: 'new', email: 'new@host.example', email_verified: true }
    expect((await signIn(oidc)).answer.status).toBe(302)
    const made = await engine.options.store.users.findByUsername('new@host.example')
    expect(made).toMatchObject({ isActive: true, isSuperuser: false, passwordHash: null })
  })

  test('SU-24 an inactive user gets no cookies', async () => {
    const { engine, oidc, user } = await setUp()
    await engine.options.store.users.update(user.id, { isActive: false })
    const { answer, cookies } = await signIn(oidc)
    expect(answer.status).toBe(403)
    expect(cookies).toEqual([])
    expect(await oidc.endSessionUrl()).toBe(`${provider.issuer}/logout`)
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

  test(
    'SU-20 a provider that hangs fails the sign-in after the time limit, and is asked again',
    { tags: ['long'] },
    async () => {
      const asked: AbortSignal[] = []
      const hanging: typeof fetch = (_input, init) =>
        new Promise((_resolve, reject) => {
          const { signal } = init ?? {}
          if (!signal) return
          asked.push(signal)
          signal.addEventListener('abort', () => reject(new Error('late')))
        })
      const { oidc } = await setUp({ fetch: hanging, timeoutMs: 500 })
      const login = () => oidc.login(new Request('https://flows.example/api/v1/oidc/login'))
      for (const answer of await Promise.all([login(), login()])) {
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
        expect(await answer.json()).toEqual({ detail: 'The identity provider does not respond' })
      }
      await login()
      expect(asked).toHaveLength(2)
    },
  )

  test('SU-23 an unverified e-mail address finds no account, even as the externalId', async () => {
    let userId = ''
    const { oidc, user } = await setUp({
      externalIdClaim: 'email',
      findManagedUser: async ({ externalId }) =>
        externalId === 'ada@host.example' ? userId : null,
    })
    userId = user.id
    provider.claims = { sub: 'evil', email: 'ada@host.example' }
    expect((await signIn(oidc)).answer.status).toBe(403)
    provider.claims = { sub: 'evil', email: 'ada@host.example', email_verified: 'true' }
    expect((await signIn(oidc)).answer.status).toBe(403)
    provider.claims = { sub: 'ada', email: 'ada@host.example', email_verified: true }
    expect((await signIn(oidc)).answer.status).toBe(302)
  })

  test('SU-22 refuses a token that was issued to another client', async () => {
    const { oidc } = await setUp()
    provider.claims = { sub: 'subject-1', azp: 'another' }
    expect((await signIn(oidc)).answer.status).toBe(400)
    provider.claims = { sub: 'subject-1', azp: 'client' }
    expect((await signIn(oidc)).answer.status).toBe(302)
  })

  test('SU-21 a cookie that a sibling domain could have set does not finish a sign-in', async () => {
    const { oidc } = await setUp()
    const { first } = await signIn(oidc)
    const [named = ''] = (first.headers.get('set-cookie') ?? '').split(';')
    expect(named).toMatch(/^__Host-oidc_sign_in=/)
    const { answer, cookies } = await signIn(oidc, { cookie: named.replace('__Host-', '') })
    expect([answer.status, cookies]).toEqual([400, []])
  })

  test.each([
    ['/flüsse/日本?q=ü', '/fl%C3%BCsse/%E6%97%A5%E6%9C%AC?q=%C3%BC'],
    ['/a b', '/a%20b'],
  ])('SU-21 return_to %j is encoded for the header', async (target, location) => {
    const { oidc } = await setUp()
    const { answer } = await signIn(oidc, { returnTo: target })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, location])
  })

  test.each([
    '/.//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    `/${'x'.repeat(1_000)}`,
  ])('SU-21 return_to %j is refused after normalisation', async (target) => {
    const { oidc } = await setUp()
    const url = `https://flows.example/api/v1/oidc/login?return_to=${encodeURIComponent(target)}`
    expect((await oidc.login(new Request(url))).status).toBe(400)
  })

  test('SU-23 a token without the configured claim is not looked up by its subject', async () => {
    const { oidc } = await setUp({ externalIdClaim: 'employee_id' })
    provider.claims = { sub: 'subject-1' }
    expect((await signIn(oidc)).answer.status).toBe(403)
    provider.claims = { sub: 'other', employee_id: 'subject-1' }
    expect((await signIn(oidc)).answer.status).toBe(302)
  })

  test.each([[''], [5], [{ a: 1 }], ['x'.repeat(256)]])(
    'SU-22 refuses the subject %j',
    async (sub) => {
      provider.claims = { sub: sub as never }
      const { oidc } = await setUp({ autoCreate: true })
      const { answer, cookies } = await signIn(oidc)
      expect([answer.status, cookies]).toEqual([400, []])
    },
  )
})
