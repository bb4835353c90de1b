import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { withService } from './service.ts'
import { startServer } from '../server/start-server.ts'

const SIGNALS = '/api/v1/scim/signals'
const REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'

test('DP-48 DP-65 a signal of the identity provider ends the sessions of a person', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const keys = JSON.stringify({ keys: [await exportJWK(publicKey)] })
  const idp = createServer((_request, reply) => reply.end(keys)).listen(0, '127.0.0.1')
  await new Promise((resolve) => idp.once('listening', resolve))
  const issuer = `http://127.0.0.1:${(idp.address() as AddressInfo).port}`
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: 'a-static-token-of-the-signals',
    SCIM_SIGNALS_ISSUER: issuer,
    SCIM_SIGNALS_JWKS: issuer,
    SCIM_SIGNALS_AUDIENCE: 'https://app.example',
    SCIM_SIGNALS_TOKEN: 'Bearer of-the-transmitter',
    SERVICE_SSRF_ALLOW: '127.0.0.1',
  }
  const { SCIM_SIGNALS_TOKEN: _one, ...others } = environment
  await expect(startServer(others)).rejects.toThrow(/SCIM_SIGNALS_ISSUER, _JWKS/)
  try {
    await withService(environment, async (server) => {
      const { url } = server
      const scim = await fetch(`${url}/api/v1/scim/v2/Users`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${environment.SCIM_TOKEN}`,
          'content-type': 'application/scim+json',
        },
        body: JSON.stringify({ userName: 'ada@corp.example', active: true }),
      })
      const { id } = (await scim.json()) as { id: string }
      await server.call('PATCH', `/api/v1/users/${id}`, { body: { password: 'a-password-of-ada' } })
      const signIn = async () => {
        const body = new URLSearchParams({
          username: 'ada@corp.example',
          password: 'a-password-of-ada',
        })
        const login = await fetch(`${url}/api/v1/login`, { method: 'POST', body })
        return ((await login.json()) as { access_token: string }).access_token
      }
      const statusOf = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` }
        return (await fetch(`${url}/api/v1/users/whoami`, { headers })).status
      }
      const send = async (email: string, authorization = environment.SCIM_SIGNALS_TOKEN) => {
        const claims = {
          jti: crypto.randomUUID(),
          sub_id: { format: 'email', email },
          events: { [REVOKED]: {} },
        }
        const body = await new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', typ: 'secevent+jwt' })
          .setIssuer(issuer)
          .setAudience(environment.SCIM_SIGNALS_AUDIENCE)
          .setIssuedAt()
          .sign(privateKey)
        return (await fetch(url + SIGNALS, { method: 'POST', headers: { authorization }, body }))
          .status
      }
      const token = await signIn()
      expect(await statusOf(token)).toBe(200)
      expect(await send('ada@corp.example', 'Bearer other')).toBe(400)
      expect(await send('bob@corp.example')).toBe(202)
      expect(await statusOf(token)).toBe(200)
      expect(await send('ada@corp.example')).toBe(202)
      expect(await statusOf(token)).toBe(401)
      expect(await statusOf(await signIn())).toBe(200)
    })
  } finally {
    idp.close()
  }
})

test('DP-48 without a transmitter there are no signals', async () => {
  await withService({}, async ({ url }) => {
    expect((await fetch(url + SIGNALS, { method: 'POST', body: 'x' })).status).not.toBe(202)
  })
})
