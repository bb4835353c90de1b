import { createHash } from 'node:crypto'
import { createTokenEndpoint, type OAuthClient } from '@x/scim-core/oauth'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { AUDIENCE, ISSUER, runtime, seconds } from './oauth-support.ts'

const STRANGER = '203.0.113.9'
const RIGHTFUL = '198.51.100.7'
const { privateKey: signingKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }

/** An endpoint whose clients have the secret `geheim`, or sign assertions if their id begins with `signer`. */
function makeEndpoint() {
  const found: string[] = []
  const digest = createHash('sha256').update('geheim').digest('hex')
  const find = async (id: string): Promise<OAuthClient | null> => {
    found.push(id)
    await Promise.resolve()
    const isSigner = id.startsWith('signer')
    const keys = isSigner ? { digest: null, jwks } : { digest, jwks: null }
    return { id, tenant: 'acme', ...keys, scopes: [], connectionId: null }
  }
  const endpoint = createTokenEndpoint({
    issuer: ISSUER,
    audience: AUDIENCE,
    store: { find },
    key: signingKey,
    runtime,
  })
  const post = (fields: Record<string, string>, clientAddress?: string): Promise<Response> =>
    endpoint.handle(
      new Request(`${ISSUER}/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }),
      }),
      clientAddress === undefined ? {} : { clientAddress },
    )
  const secret = async (value: string, address?: string): Promise<number> =>
    (await post({ client_id: 'c1', client_secret: value }, address)).status
  const assert = (assertion: string, address?: string): Promise<Response> =>
    post(
      {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion,
      },
      address,
    )
  return { secret, assert, found }
}

const assertionOf = (id: string, jti: unknown, lifetime = 300): Promise<string> =>
  new SignJWT({ iss: id, sub: id, aud: ISSUER, jti: jti as string, exp: seconds() + lifetime })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(signingKey)

test('SH-48 failures of a stranger do not lock out the rightful client', async () => {
  const { secret } = makeEndpoint()
  for (let n = 0; n < 10; n += 1) expect(await secret('wrong', STRANGER)).toBe(401)
  expect(await secret('geheim', STRANGER)).toBe(429)
  expect(await secret('geheim', RIGHTFUL)).toBe(200)
})

test('SH-48 the addresses of one IPv6 network share their failures', async () => {
  const { secret } = makeEndpoint()
  for (let n = 0; n < 10; n += 1) await secret('wrong', `2001:db8:0:1::${n}`)
  expect(await secret('geheim', '2001:db8:0:1:ffff::1')).toBe(429)
  expect(await secret('geheim', '2001:db8:0:2::1')).toBe(200)
})

test('SH-48 of guesses that arrive at once, none after the tenth failure is answered', async () => {
  const { secret } = makeEndpoint()
  const guesses = [...Array.from({ length: 99 }, () => 'wrong'), 'geheim']
  const statuses = await Promise.all(guesses.map((guess) => secret(guess, STRANGER)))
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.at(-1)).toBe(429)
})

test('SH-48 a client may ask for many tokens at once', async () => {
  const { secret } = makeEndpoint()
  const statuses = await Promise.all(Array.from({ length: 50 }, () => secret('geheim', RIGHTFUL)))
  expect(new Set(statuses)).toEqual(new Set([200]))
})

test(
  'SH-48 no number of assertions of other clients makes a used one acceptable again',
  { tags: ['long'] },
  async () => {
    const { assert } = makeEndpoint()
    const captured = await assertionOf('signer', 'j1')
    expect((await assert(captured, RIGHTFUL)).status).toBe(200)
    // A client of another tenant has a key of its own, and signs as many as it likes.
    const statuses = new Map<number, number>()
    for (let n = 0; n < 1_001; n += 1) {
      const { status } = await assert(await assertionOf('signer-2', `j${n}`), STRANGER)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect([...statuses]).toEqual([
      [200, 1_000],
      [429, 1],
    ])
    const refused = await assert(await assertionOf('signer-2', 'last'), STRANGER)
    expect(Number(refused.headers.get('retry-after'))).toBe(300)
    expect((await assert(captured, STRANGER)).status).toBe(401)
    expect((await assert(await assertionOf('signer', 'j2'), RIGHTFUL)).status).toBe(200)
    await runtime.advance(300_000)
    expect((await assert(await assertionOf('signer-2', 'later'), STRANGER)).status).toBe(200)
  },
)

test.each([[['j1']], [{ id: 'j1' }], [7], [null]])(
  'SH-48 a jti that is no text is refused: %j',
  async (jti) => {
    const { assert } = makeEndpoint()
    expect((await assert(await assertionOf('signer', jti))).status).toBe(401)
  },
)

test('SH-48 an assertion that expires within a second is not accepted twice', async () => {
  const { assert } = makeEndpoint()
  const captured = await assertionOf('signer', 'j1', 0.5)
  expect((await assert(captured, RIGHTFUL)).status).toBe(200)
  await runtime.advance(700)
  expect((await assert(captured, STRANGER)).status).toBe(401)
  await runtime.advance(300)
})

test.each([[7], [true], [{ id: 'signer' }], [['signer']]])(
  'SH-48 an assertion whose subject is no text names no client: %j',
  async (sub) => {
    const { assert, found } = makeEndpoint()
    const claims = { iss: ISSUER, sub: sub as unknown as string, aud: ISSUER, jti: 'j1' }
    const assertion = await new SignJWT({ ...claims, exp: seconds() + 300 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(signingKey)
    expect((await assert(assertion)).status).toBe(401)
    expect(found.every((id) => typeof id === 'string')).toBe(true)
  },
)
