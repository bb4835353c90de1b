import { createServer, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook } from '@x/scim-core/outbound'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Answer, type Service } from './service.ts'
import { inFolder, runToEnd } from '../server/start-server.ts'

const TOKEN = 'a-static-token'
const SCIM = '/api/v1/scim/v2'
const CONNECTIONS = '/api/v1/scim/connections'
const WEBHOOKS = '/api/v1/scim/webhooks'
const DIRECTORY = '/api/v1/scim/directory'
const RECONCILE = '/api/v1/scim/reconcile'

interface Received {
  readonly headers: Record<string, string | string[] | undefined>
  readonly body: string
}

/** A receiver on loopback that remembers what came. */
async function startReceiver() {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { received, url, close: () => server.close() }
}

/** Sends a target as it stands, which `fetch` would rewrite. */
function send(method: string, url: string, target: string): Promise<[number | undefined, string]> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/scim+json',
    }
    sendRequest({ hostname, port, method, path: target, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => resolve([answer.statusCode, text]))
    })
      .on('error', reject)
      .end(method === 'PATCH' ? '{"Operations":[{"op":"remove","path":"title"}]}' : undefined)
  })
}

test('SF-15 an id of dots is an id that does not exist, in the form of SCIM', async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN }
  const { service, end } = await startService(environment)
  try {
    for (const id of [
      '.',
      '..',
      '%2e',
      '%2E%2e',
      '..?count=1',
      './x',
      '..%2f',
      '%00',
      'no-such-id',
    ])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        for (const type of ['Users', 'Groups']) {
          const [status, text] = await send(method, service.url, `${SCIM}/${type}/${id}`)
          expect([method, id, status, JSON.parse(text)]).toMatchObject([
            method,
            id,
            404,
            { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
          ])
        }
    expect(await send('GET', service.url, '/api/v1/x/../users')).toEqual([
      404,
      '{"detail":"Not Found"}',
    ])
  } finally {
    await end()
  }
})

test('SF-30 connections are off, and their credentials refused, without SCIM_CONNECTIONS', async () => {
  const environment = { SCIM_ENABLED: 'true', SCIM_TOKEN: TOKEN }
  const { service, end } = await startService({ ...environment, SCIM_CONNECTIONS: 'true' })
  try {
    const body = { name: 'Acme', provider: 'google' }
    const made = (await service.call('POST', CONNECTIONS, { body })).json() as {
      readonly token: string
      readonly connection: object
    }
    expect(made.connection).toMatchObject({ settings: { deleteUser: 'tombstone' } })
    const users = (token: string) =>
      service.call('GET', `${SCIM}/Users`, {
        key: null,
        headers: { authorization: `Bearer ${token}` },
      })
    expect((await users(made.token)).status).toBe(200)
    await service.restart({ environment: { SCIM_CONNECTIONS: '' } })
    expect((await users(made.token)).status).toBe(401)
    expect((await users(TOKEN)).status).toBe(200)
    for (const [method, key] of [
      ['GET', undefined],
      ['POST', undefined],
      ['GET', null],
    ] as const) {
      const answer = await service.call(method, CONNECTIONS, {
        ...(key !== undefined && { key }),
        ...(method === 'POST' && { body }),
      })
      expect([answer.status, answer.json()]).toEqual([404, { detail: 'Not Found' }])
    }
  } finally {
    await end()
  }
})

describe('SH-83 SCIM provisioning in the shipped server', () => {
  let service: Service
  let end: () => Promise<void>
  let plainKey: string
  const call = (method: string, path: string, options?: Parameters<Service['call']>[2]) =>
    service.call(method, path, options)
  const scim = (
    method: string,
    path: string,
    { token = TOKEN, body }: { token?: string; body?: object } = {},
  ): Promise<Answer> =>
    call(method, `${SCIM}${path}`, {
      key: null,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    })

  beforeAll(async () => {
    const started = await startService({
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: TOKEN,
      SCIM_CONNECTIONS: 'true',
      SCIM_WEBHOOK_KEY: 'a key of at least thirty-two characters',
      SCIM_ROLES: JSON.stringify([{ id: 'admin', displayName: 'Administrator' }]),
      SCIM_DELETE_USER: 'remove',
      SERVICE_SSRF_ALLOW: '127.0.0.1',
      SERVICE_NEW_USER_IS_ACTIVE: 'true',
    })
    ;({ service, end } = started)
    const user = { username: 'plain', password: 'correct horse battery' }
    await call('POST', '/api/v1/users/', { body: user })
    const form = new URLSearchParams(user).toString()
    const signedIn = await call('POST', '/api/v1/login', {
      key: null,
      body: form,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const { access_token: token } = signedIn.json() as { access_token: string }
    const made = await call('POST', '/api/v1/api_key/', {
      key: null,
      body: { name: 'k' },
      headers: { authorization: `Bearer ${token}` },
    })
    plainKey = (made.json() as { api_key: string }).api_key
  })
  afterAll(() => end())

  test.each([CONNECTIONS, WEBHOOKS, `${DIRECTORY}/users`, `${DIRECTORY}/groups`])(
    '%s requires a superuser',
    async (path) => {
      expect((await call('GET', path, { key: null })).status).toBe(401)
      expect((await call('GET', path, { key: plainKey })).status).toBe(403)
      const cookie = { cookie: 'access_token_lf=x' }
      expect((await call('GET', path, { key: null, headers: cookie })).status).toBe(401)
      const answer = await call('GET', path)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  test('the token of a connection provisions users until the connection is disabled', async () => {
    const made = await call('POST', CONNECTIONS, {
      body: { name: 'Acme', provider: 'entra', settings: { userName: 'any' } },
    })
    expect(made.status).toBe(201)
    const { connection, token } = made.json() as { connection: { id: string }; token: string }
    const listed = await call('GET', CONNECTIONS)
    expect(listed.text).toContain(connection.id)
    expect(listed.text).not.toContain(token)
    const body = { userName: 'not an address' }
    expect((await scim('POST', '/Users', { token, body })).status).toBe(201)
    expect((await scim('POST', '/Users', { body: { userName: 'neither' } })).status).toBe(400)
    const off = await call('PATCH', `${CONNECTIONS}/${connection.id}`, { body: { enabled: false } })
    expect(off.json()).toMatchObject({ connection: { enabled: false } })
    const refused = await scim('GET', '/Users', { token })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const wrong = await call('POST', CONNECTIONS, { body: { name: 'x', provider: 'ldap' } })
    expect(wrong).toMatchObject({ status: 400 })
    expect(wrong.json()).toMatchObject({ error: { code: 'invalid' } })
  })

  test('signed webhooks announce each change, including changes made through the flow API', async () => {
    const receiver = await startReceiver()
    try {
      const made = await call('POST', WEBHOOKS, { body: { url: receiver.url } })
      expect(made.status).toBe(201)
      const { webhook, secret } = made.json() as { webhook: { id: string }; secret: string }
      expect((await call('GET', WEBHOOKS)).text).not.toContain(secret)
      const body = { userName: 'mira@corp.example' }
      const user = (await scim('POST', '/Users', { body })).json() as { id: string }
      const group = { displayName: 'Design', members: [{ value: user.id }] }
      expect((await scim('POST', '/Groups', { body: group })).status).toBe(201)
      expect((await call('DELETE', `/api/v1/users/${user.id}`)).status).toBe(200)
      const wanted = [
        'user.created',
        'group.created',
        'group.members.changed',
        'user.deactivated',
        'user.deleted',
        'group.members.changed',
      ]
      await expect.poll(() => receiver.received.length).toBe(wanted.length)
      const types = receiver.received.map(
        ({ headers, body: text }) =>
          verifyWebhook({
            secret,
            headers: new Headers(headers as Record<string, string>),
            body: text,
          }).type,
      )
      expect(types.toSorted()).toEqual(wanted.toSorted())
      const delivered = async (): Promise<unknown> => {
        const page = await call('GET', `${WEBHOOKS}/${webhook.id}/deliveries?state=delivered`)
        return (page.json() as { deliveries: unknown[] }).deliveries
      }
      // A delivery is marked after the receiver has answered.
      await expect.poll(delivered).toHaveLength(6)
      const replayed = await call('POST', `${WEBHOOKS}/${webhook.id}/replay`, {
        body: { from: '2020-01-01T00:00:00Z' },
      })
      expect((replayed.json() as { count: number }).count).toBeGreaterThanOrEqual(6)
      expect((await call('DELETE', `${WEBHOOKS}/${webhook.id}`)).status).toBe(204)
      expect((await call('GET', `${WEBHOOKS}/${webhook.id}`)).status).toBe(404)
    } finally {
      receiver.close()
    }
  })

  test('webhooks to forbidden addresses or for unknown events are refused', async () => {
    for (const body of [
      { url: 'ftp://127.0.0.1/' },
      { url: 'https://hooks.example/', events: ['user.renamed'] },
      { url: 7 },
      {},
    ]) {
      const refused = await call('POST', WEBHOOKS, { body })
      expect(refused.status).toBe(400)
      expect(refused.json()).toMatchObject({ error: { code: 'invalid' } })
    }
  })

  test('SF-64 a superuser compares the users with the list of the directory', async () => {
    const name = (n: number) => `listed${n}@corp.example`
    for (const n of [1, 2]) await scim('POST', '/Users', { body: { userName: name(n) } })
    const compare = (body: string, headers: Record<string, string>, key?: null) =>
      call('POST', RECONCILE, { body, headers, ...(key === null && { key }) })
    const csv = { 'content-type': 'text/csv' }
    const listed = await compare(
      `userName,active\n${name(1).toUpperCase()},false\nx@y.example,`,
      csv,
    )
    const { notListed, unknown, different } = listed.json() as Record<
      string,
      { readonly rows: { readonly userName: string }[] }
    >
    expect(notListed?.rows.map(({ userName }) => userName)).toContain(name(2))
    expect(unknown?.rows).toEqual([{ userName: 'x@y.example' }])
    expect(different?.rows.map(({ userName }) => userName)).toEqual([name(1)])
    const json = { 'content-type': 'application/json' }
    expect((await compare(JSON.stringify({ users: [{ userName: name(1) }] }), json)).status).toBe(
      200,
    )
    for (const [body, headers] of [
      ['{"users":[{"userName":7}]}', json],
      ['{"users":{}}', json],
      ['{', json],
      ['name\nada', csv],
    ] as const)
      expect([body, (await compare(body, headers)).status]).toEqual([body, 400])
    expect((await compare('userName', csv, null)).status).toBe(401)
    expect((await call('DELETE', RECONCILE)).status).toBe(405)
    expect((await call('POST', `${RECONCILE}?tenant=none`, { body: 'userName' })).status).toBe(404)
  })

  test('a superuser lists provisioned users and groups in pages, without members', async () => {
    const ids: string[] = []
    for (const name of ['ann', 'ben', 'cai']) {
      const body = { userName: `${name}@pages.example`, displayName: name, active: true }
      ids.push(((await scim('POST', '/Users', { body })).json() as { id: string }).id)
    }
    const group = { displayName: 'Pages', members: ids.map((value) => ({ value })) }
    expect((await scim('POST', '/Groups', { body: group })).status).toBe(201)
    const groups = await call('GET', `${DIRECTORY}/groups`)
    expect(groups.json()).toMatchObject({ enabled: true, tenant: 'default', tenants: ['default'] })
    const listed = groups.json() as { groups: { displayName: string; members: number }[] }
    expect(listed.groups).toContainEqual(
      expect.objectContaining({ displayName: 'Pages', members: 3 }),
    )
    const names: string[] = []
    const { total } = (await call('GET', `${DIRECTORY}/users`)).json() as { total: number }
    for (let startIndex = 1; startIndex <= total; startIndex += 2) {
      const page = await call('GET', `${DIRECTORY}/users?count=2&startIndex=${startIndex}`)
      const { users } = page.json() as { users: { userName: string; active: boolean }[] }
      expect(users.length).toBeLessThanOrEqual(2)
      names.push(...users.map(({ userName }) => userName))
    }
    expect(new Set(names).size).toBe(total)
    expect(names).toEqual(expect.arrayContaining(['ann@pages.example', 'cai@pages.example']))
    for (const query of ['count=0', 'count=101', 'startIndex=0', 'startIndex=x', 'count=1e3'])
      expect((await call('GET', `${DIRECTORY}/users?${query}`)).status).toBe(400)
    expect((await call('GET', `${DIRECTORY}/users?tenant=other`)).status).toBe(404)
    expect((await call('GET', DIRECTORY)).status).toBe(404)
    const posted = await call('POST', `${DIRECTORY}/users`, { body: {} })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    for (const id of ids) expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
  })

  test('the roles of SCIM_ROLES are served', async () => {
    const roles = await scim('GET', '/Roles')
    expect(roles.json()).toMatchObject({
      totalResults: 1,
      Resources: [{ id: 'admin', displayName: 'Administrator' }],
    })
  })

  test('signed access tokens of SCIM_JWT_ISSUER are accepted; SCIM_ENTITLEMENTS are served', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }]
    const server = createServer((_request, response) => void response.end(JSON.stringify({ keys })))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      await service.restart({
        environment: {
          SCIM_JWT_ISSUER: 'https://login.example',
          SCIM_JWT_AUDIENCE: 'https://app.example',
          SCIM_JWT_JWKS: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
          SCIM_ENTITLEMENTS: JSON.stringify([{ id: 'pro', displayName: 'Pro seat' }]),
        },
      })
      const signed = (audience: string): Promise<string> =>
        new SignJWT({ scope: 'scim' })
          .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
          .setIssuer('https://login.example')
          .setAudience(audience)
          .setSubject('directory')
          .setExpirationTime('5 minutes')
          .sign(privateKey)
      const token = await signed('https://app.example')
      expect((await scim('GET', '/Entitlements', { token })).json()).toMatchObject({
        Resources: [{ id: 'pro', displayName: 'Pro seat', type: 'Entitlement' }],
      })
      expect((await scim('GET', '/Users', { token })).status).toBe(200)
      const other = await signed('https://else.example')
      expect((await scim('GET', '/Users', { token: other })).status).toBe(401)
      expect((await scim('GET', '/Users')).status).toBe(200)
    } finally {
      server.close()
    }
  })

  test('SCIM_PROFILE applies the options of a profile', async () => {
    await service.restart({ environment: { SCIM_PROFILE: 'ipsie-al2', SCIM_DELETE_USER: '' } })
    const config = await scim('GET', '/ServiceProviderConfig')
    expect(config.json()).toMatchObject({ interopProfileConformant: true })
  })
})

test.each([
  [{ SCIM_PROFILE: 'okta' }, 'SCIM_PROFILE must be one of none, interop, ipsie-al2'],
  [{ SCIM_WEBHOOK_KEY: 'short' }, 'SCIM_WEBHOOK_KEY must have at least 32 characters'],
  [{ SCIM_ROLES: '{}' }, 'SCIM_ROLES must be a JSON list'],
  [{ SCIM_ENTITLEMENTS: 'x' }, 'SCIM_ENTITLEMENTS must be a JSON list'],
  [{ SCIM_JWT_ISSUER: 'https://login.example' }, 'must be given together'],
  [
    { SCIM_TOKEN: 'short', SERVICE_PUBLIC_URL: 'https://app.example' },
    'SCIM_TOKEN must have at least 16 characters',
  ],
  [{ SCIM_TOKEN: 'short', HOST: '0.0.0.0' }, 'SCIM_TOKEN must have at least 16 characters'],
])('SH-83 SC-4 %j stops the start', async (environment, line) => {
  await inFolder(async (folder) => {
    const { code, stderr } = await runToEnd({
      SERVICE_CONFIG_DIR: folder,
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: 't',
      ...(environment as unknown as Record<string, string>),
    })
    expect(code).toBe(1)
    expect(stderr).toContain(line)
  })
})
