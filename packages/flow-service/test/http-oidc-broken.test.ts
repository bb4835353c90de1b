import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOidcSignIn, type OidcSignInOptions } from '../src/http/access/oidc.ts'
import { createTestEngine, SECRET_KEY } from '@x/test-kit'
import { startIdentityProvider, type IdentityProvider } from '@x/test-kit'

const HOST = 'https://flows.example/api/v1/oidc'
const DISCOVERY = '/.well-known/openid-configuration'
const PAGE = '<html>Down for maintenance</html>'

let provider: IdentityProvider

beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider.close())
beforeEach(() => provider.instead.clear())

async function setUp(options: Partial<OidcSignInOptions> = {}) {
  const { services, options: used } = await createTestEngine()
  const errors: unknown[] = []
  const oidc = createOidcSignIn({
    issuer: provider.issuer,
    clientId: 'client',
    publicUrl: 'https://flows.example',
    secretKey: SECRET_KEY,
    services,
    store: used.store,
    autoCreate: true,
    onError: (error) => errors.push(error),
    ...options,
  })
  return { oidc, errors }
}

type Oidc = Awaited<ReturnType<typeof setUp>>['oidc']

/** The first step, and a request for the second. */
async function begin(oidc: Oidc) {
  const first = await oidc.login(new Request(`${HOST}/login`))
  const asked = new URL(first.headers.get('location') ?? 'https://none.example').searchParams
  provider.nonce = asked.get('nonce') ?? ''
  const headers = { cookie: first.headers.get('set-cookie')?.split(';')[0] ?? '' }
  const callback = (): Promise<Response> =>
    oidc.callback(new Request(`${HOST}/callback?code=c&state=${asked.get('state')}`, { headers }))
  return { first, callback }
}

function discovery(change: Readonly<Record<string, unknown>>): string {
  const { issuer } = provider
  const endpoints = {
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  }
  return JSON.stringify({ issuer, ...endpoints, ...change })
}

describe('a broken identity provider', () => {
  test.each([
    ['a page', () => PAGE],
    ['no JSON object', () => '[]'],
    ['no URL to sign in at', () => discovery({ authorization_endpoint: 'sign in' })],
    ['a script to sign in at', () => discovery({ authorization_endpoint: 'javascript:alert(1)' })],
    ['no URL of tokens', () => discovery({ token_endpoint: 'token' })],
    ['no URL of keys', () => discovery({ jwks_uri: '/jwks' })],
  ])('SU-20 that describes itself with %s is refused, and asked again', async (_name, text) => {
    const { oidc, errors } = await setUp()
    provider.instead.set(DISCOVERY, text())
    const { first } = await begin(oidc)
    expect([first.status, first.headers.get('location')]).toEqual([400, null])
    provider.instead.clear()
    expect((await begin(oidc)).first.status).toBe(302)
    expect(errors).toEqual([])
  })

  test.each([
    ['a page instead of a token', '/token', PAGE],
    [
      'a token that is none',
      '/token',
      '{"access_token":"a","token_type":"Bearer","id_token":"a.b.c"}',
    ],
    ['a page instead of keys', '/jwks', PAGE],
    ['a key that is none', '/jwks', '{"keys":[{"kty":"EC","kid":"k","alg":"ES256","crv":"x"}]}'],
    ['a key of a secret', '/jwks', '{"keys":[{"kty":"oct","kid":"k","k":"AAAA"}]}'],
  ])('SU-22 that answers %s is refused', async (_name, path, text) => {
    const { oidc, errors } = await setUp()
    const { callback } = await begin(oidc)
    provider.instead.set(path, text)
    const answer = await callback()
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
    expect(errors).toEqual([])
  })

  test('SU-24 a URL to sign out at that is none is not passed on', async () => {
    const { oidc } = await setUp()
    provider.instead.set(DISCOVERY, discovery({ end_session_endpoint: 'x\r\nset-cookie: a=b' }))
    expect(await oidc.endSessionUrl()).toBeUndefined()
  })

  test('AB-60 that hangs is not asked by all who send a code', { tags: ['long'] }, async () => {
    let asked = 0
    const hangs: typeof fetch = (input, init) => {
      if (new Request(input).url !== `${provider.issuer}/token`) return fetch(input, init)
      asked += 1
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('late')))
      })
    }
    const { oidc } = await setUp({ fetch: hangs, timeoutMs: 1_000 })
    const { callback } = await begin(oidc)
    const answers = await Promise.all(Array.from({ length: 500 }, callback))
    expect(asked).toBe(100)
    const ends = answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`)
    expect(ends.filter((end) => end === '503 1')).toHaveLength(400)
    expect(ends.filter((end) => end === '503 5')).toHaveLength(100)
  })
})
