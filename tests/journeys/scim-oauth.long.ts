import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { startService, withService, type Service } from './service.ts'
import { inFolder, runToEnd } from '../server/start-server.ts'

const SECRET = 'a-client-secret-of-the-gallery-0001'
const NEXT = 'a-client-secret-of-the-gallery-0002'
const OAUTH = '/api/v1/scim/oauth'
const METADATA = [
  '/.well-known/oauth-authorization-server/api/v1/scim/oauth',
  `${OAUTH}/.well-known/oauth-authorization-server`,
]
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const clientsOf = (...entries: object[]) => ({ SCIM_OAUTH_CLIENTS: JSON.stringify(entries) })
const secret = (text: string) => ({ secret: text, expiresAt: inDays(90) })

async function grant(service: Service, fields: Record<string, string>) {
  const answer = await service.call('POST', `${OAUTH}/token`, {
    key: null,
    body: new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return { status: answer.status, body: answer.json() as Record<string, string | number> }
}

const users = async (service: Service, token: unknown) =>
  service.call('GET', '/api/v1/scim/v2/Users', {
    key: null,
    headers: { authorization: `Bearer ${String(token)}` },
  })

test('SF-31 SF-32 SF-36 clients of the variables alone, rotated without a stop, over a restart', async () => {
  const environment = { SCIM_ENABLED: 'true', SERVICE_PUBLIC_URL: 'https://app.example' }
  const { service, end } = await startService({
    ...environment,
    ...clientsOf({ id: 'entra', secrets: [secret(SECRET)] }),
  })
  try {
    for (const path of METADATA) {
      expect((await service.call('GET', path, { key: null })).status).toBe(200)
    }
    const metadata = await service.call('GET', METADATA[0] ?? '', { key: null })
    expect(metadata.json()).toMatchObject({
      token_endpoint: expect.stringMatching(/\/api\/v1\/scim\/oauth\/token$/) as string,
      jwks_uri: expect.stringMatching(/\/api\/v1\/scim\/oauth\/jwks$/) as string,
    })
    const keys = (await service.call('GET', `${OAUTH}/jwks`, { key: null })).text
    expect(keys).not.toContain('"d"')
    const first = await grant(service, {
      client_id: 'entra',
      client_secret: SECRET,
      scope: 'scim.readwrite',
    })
    expect(first).toMatchObject({ status: 200, body: { expires_in: 3_600, scope: 'scim' } })
    const token = first.body['access_token']
    expect((await users(service, token)).status).toBe(200)
    const config = await service.call('GET', '/api/v1/scim/v2/ServiceProviderConfig', {
      key: null,
      headers: { authorization: `Bearer ${String(token)}` },
    })
    expect(config.json()).toMatchObject({ authenticationSchemes: [{ type: 'oauth2' }] })
    const overlap = clientsOf({ id: 'entra', secrets: [secret(SECRET), secret(NEXT)] })
    await service.restart({ environment: overlap })
    expect((await users(service, token)).status).toBe(200)
    expect((await service.call('GET', `${OAUTH}/jwks`, { key: null })).text).toBe(keys)
    const second = await grant(service, { client_id: 'entra', client_secret: NEXT })
    await service.restart({
      environment: {
        ...clientsOf({ id: 'entra', secrets: [secret(NEXT)] }),
        SCIM_OAUTH_TTL: '7200',
      },
    })
    expect((await users(service, token)).status).toBe(401)
    expect((await users(service, second.body['access_token'])).status).toBe(200)
    expect(service.output()).not.toContain(SECRET)
    await service.restart({ environment: { SCIM_ENABLED: 'false' } })
    for (const path of [...METADATA, `${OAUTH}/jwks`, `${OAUTH}/token`]) {
      expect((await service.call('GET', path, { key: null })).status).toBe(404)
    }
  } finally {
    await end()
  }
})

test('SF-31 without variables, the endpoint exists with the first client of a connection', async () => {
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: 'static-token-000',
    SCIM_CONNECTIONS: 'true',
  }
  await withService(environment, async (service) => {
    const path = `${OAUTH}/jwks`
    expect((await service.call('GET', path, { key: null })).status).toBe(404)
    const connections = '/api/v1/scim/connections'
    const made = await service.call('POST', connections, {
      body: { name: 'Acme', provider: 'entra' },
    })
    const { connection } = made.json() as { connection: { id: string } }
    const issued = await service.call('POST', `${connections}/${connection.id}/clients`, {
      body: { label: 'Gallery' },
    })
    const { clientId, clientSecret } = issued.json() as Record<string, string>
    expect((await service.call('GET', path, { key: null })).status).toBe(200)
    const fields = { client_id: clientId ?? '', client_secret: clientSecret ?? '' }
    const { body } = await grant(service, fields)
    expect((await users(service, body['access_token'])).status).toBe(200)
  })
})

test('SF-34 SF-36 a federated identity, whose keys are on loopback where the settings allow it', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const server = createServer((_request, response) => {
    void exportJWK(publicKey).then((key) => response.end(JSON.stringify({ keys: [key] })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  const federation = { issuer: 'https://sts.example', subject: 'app', audience: 'api://x', jwksUri }
  const assertion = await new SignJWT({ sub: 'app', aud: 'api://x', iss: 'https://sts.example' })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('1h')
    .sign(privateKey)
  const fields = {
    client_id: 'workload',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
  const environment = { SCIM_ENABLED: 'true', ...clientsOf({ id: 'workload', federation }) }
  const { service, end } = await startService(environment)
  try {
    expect((await grant(service, fields)).status).toBe(503)
    await service.restart({ environment: { SERVICE_SSRF_ALLOW: '127.0.0.1' } })
    const { body } = await grant(service, fields)
    expect((await users(service, body['access_token'])).status).toBe(200)
  } finally {
    await end()
    server.close()
  }
})

test.each([
  [{ SCIM_TOKEN: 'a-token-of-sixteen', SCIM_OAUTH_TTL: '60' }, 'SCIM_OAUTH_TTL'],
  [{ SCIM_TOKEN: 'a-token-of-sixteen', SCIM_OAUTH_KEY: 'no key' }, 'SCIM_OAUTH_KEY'],
  [clientsOf({ id: 'a', secrets: [{ secret: SECRET }] }), '[0].secrets[0].expiresAt'],
])('SF-32 %j stops the start', async (environment, message) => {
  await inFolder(async (folder) => {
    const { code, stderr } = await runToEnd({
      SERVICE_CONFIG_DIR: folder,
      SCIM_ENABLED: 'true',
      ...environment,
    })
    expect(code).not.toBe(0)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain(SECRET)
  })
})

test('SF-36 SF-66 SF-67 a directory that falls silent is one line of the log, and so is a limit too low for it', async () => {
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: 'a-static-token-of-the-directory',
    SCIM_SILENCE_SECONDS: '2',
    SERVICE_RATE_LIMIT: '1000',
  }
  await withService(environment, async (service) => {
    expect(service.output()).toContain('SERVICE_RATE_LIMIT is less than 1500')
    expect((await users(service, environment.SCIM_TOKEN)).status).toBe(200)
    const alarms = () => service.output().split('"log":"scim.alarm"').length - 1
    await expect.poll(alarms).toBe(1)
    expect(service.output()).toContain('"alarm":"connection.silent"')
    expect((await users(service, environment.SCIM_TOKEN)).status).toBe(200)
    await expect.poll(() => service.output()).toContain('"alarm":"connection.heard"')
    await expect.poll(alarms).toBe(3)
    expect((await service.call('GET', '/health', { key: null })).status).toBe(200)
  })
})
