import { createScimService, type ScimAuth } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createTestRuntime } from '@x/scim-core/testing'
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose'
import { BASE } from './support.ts'

export const ISSUER = 'https://login.example/'
export const AUDIENCE = 'https://app.example'
export const runtime = createTestRuntime()
export const seconds = (): number => Math.floor(runtime.now().getTime() / 1_000)

export const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
export const PUBLIC: JWK = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }
export const PRIVATE: JWK = await exportJWK(privateKey)
export const other = await generateKeyPair('ES256')

export const signed = (
  claims: Record<string, unknown> = {},
  { key = privateKey, kid = 'k1' }: { key?: typeof privateKey; kid?: string } = {},
): Promise<string> =>
  new SignJWT({
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'idp',
    scope: 'scim',
    iat: seconds(),
    exp: seconds() + 600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid })
    .sign(key)

export const serviceWith = (auth: ScimAuth | readonly ScimAuth[]) =>
  createScimService({ store: createMemoryScimStore(), baseUrl: BASE, auth, runtime })

export async function ask(
  auth: ScimAuth | readonly ScimAuth[],
  token: string | null,
  { method = 'GET', path = '/Users' } = {},
): Promise<{ status: number; challenge: string | null; retryAfter: string | null }> {
  const response = await serviceWith(auth).handle(
    new Request(`${BASE}${path}`, {
      method,
      headers: {
        'content-type': 'application/scim+json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      ...(method === 'POST' && { body: '{"userName":"a@b.example"}' }),
    }),
  )
  const { status, headers } = response
  return {
    status,
    challenge: headers.get('www-authenticate'),
    retryAfter: headers.get('retry-after'),
  }
}

export const INVALID =
  'Bearer realm="scim", error="invalid_token", error_description="The token is not valid"'
