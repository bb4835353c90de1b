import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import type { FlowEvents } from '../src/events.ts'
import { adminToken, send } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

const password = 'admin-pass-1'

async function setUp() {
  const runtime = createTestRuntime()
  const engine = await createTestEngine({ runtime })
  const attempt = (given: string, username = 'admin', address = '192.0.2.1') =>
    engine.handler(
      new Request('http://host/api/v1/login', {
        method: 'POST',
        body: new URLSearchParams({ username, password: given }),
      }),
      { clientAddress: address },
    )
  const refresh = (token: string) =>
    send(engine, '/api/v1/refresh', {
      method: 'POST',
      headers: { cookie: `refresh_token_lf=${token}` },
    })
  const tokens = async (response: Response) =>
    (await response.json()) as { access_token: string; refresh_token: string }
  return { runtime, engine, attempt, refresh, tokens }
}

const refreshOf = ({ body }: { body: unknown }): string =>
  (body as { refresh_token: string }).refresh_token

describe('refresh tokens', () => {
  test('a token reused within 30 seconds is answered as the first time', async () => {
    const { runtime, attempt, refresh, tokens } = await setUp()
    const first = (await tokens(await attempt(password))).refresh_token
    const once = await refresh(first)
    await runtime.advance(29_000)
    const twice = await refresh(first)
    expect([once.status, twice.status]).toEqual([200, 200])
    const claims = (token: string): unknown => JSON.parse(atob(token.split('.')[1] ?? ''))
    const { jti } = claims(refreshOf(once)) as { jti: string }
    expect(claims(refreshOf(twice))).toMatchObject({ jti })
    expect((await refresh(refreshOf(twice))).status).toBe(200)
  })

  test('a token reused later revokes the whole family', async () => {
    const { runtime, attempt, refresh, tokens } = await setUp()
    const first = (await tokens(await attempt(password))).refresh_token
    const next = refreshOf(await refresh(first))
    await runtime.advance(31_000)
    for (const token of [first, next]) {
      expect(await refresh(token)).toMatchObject({
        status: 401,
        body: { detail: 'Invalid refresh token' },
      })
    }
  })

  test('a family expires 30 days after its sign-in, even when it is refreshed', async () => {
    const { runtime, attempt, refresh, tokens } = await setUp()
    let token = (await tokens(await attempt(password))).refresh_token
    for (let day = 6; day <= 24; day += 6) {
      await runtime.advance(6 * 24 * 3_600_000)
      token = refreshOf(await refresh(token))
    }
    await runtime.advance(6 * 24 * 3_600_000 + 1000)
    expect((await refresh(token)).status).toBe(401)
  })

  test('an access token expires and is not accepted as a refresh token', async () => {
    const { runtime, engine, attempt, refresh, tokens } = await setUp()
    const { access_token: token } = await tokens(await attempt(password))
    expect((await refresh(token)).status).toBe(401)
    expect((await send(engine, '/api/v1/users/whoami', { token })).status).toBe(200)
    await runtime.advance(3_600_000)
    expect(await send(engine, '/api/v1/users/whoami', { token })).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    })
  })
})

describe('wrong passwords', () => {
  test('are limited for each address and name, for known and unknown names alike', async () => {
    for (const name of ['admin', 'nobody']) {
      const { runtime, attempt } = await setUp()
      for (let n = 0; n < 10; n += 1) expect((await attempt('wrong', name)).status).toBe(401)
      const refused = await attempt(password, name)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
      expect((await attempt('wrong', name, '192.0.2.2')).status).toBe(401)
      await runtime.advance(1000)
      expect((await attempt('wrong', name)).status).toBe(401)
      expect((await attempt('wrong', name)).status).toBe(429)
    }
  })

  test('a correct password resets the limit of its name', async () => {
    const { attempt } = await setUp()
    for (let n = 0; n < 9; n += 1) await attempt('wrong')
    expect((await attempt(password)).status).toBe(200)
    for (let n = 0; n < 10; n += 1) expect((await attempt('wrong')).status).toBe(401)
  })

  test('each address has a limit across all names', async () => {
    const { attempt } = await setUp()
    for (let n = 0; n < 100; n += 1) await attempt('wrong', `name-${n}`)
    expect((await attempt('wrong', 'another')).status).toBe(429)
  })
})

describe('users and keys', () => {
  test('the last active superuser cannot be demoted or deactivated', async () => {
    const { engine } = await setUp()
    const token = await adminToken(engine)
    const path = `/api/v1/users/${engine.adminId}`
    for (const json of [{ is_active: false }, { is_superuser: false }]) {
      const answer = await send(engine, path, { method: 'PATCH', token, json })
      expect(answer).toMatchObject({
        status: 400,
        body: {
          detail: 'The last active superuser cannot be demoted, deactivated or deleted',
        },
      })
    }
  })

  test('uses of a key are stored within a second', async () => {
    const { runtime, engine } = await setUp()
    const token = await adminToken(engine)
    const made = await send(engine, '/api/v1/api_key/', { token, json: { name: 'k' } })
    const { api_key: key } = made.body as { api_key: string }
    expect(key).toMatch(/^sk-[\w-]{43}$/)
    const headers = { 'x-api-key': key }
    for (let n = 0; n < 3; n += 1) await send(engine, '/api/v1/users/whoami', { headers })
    await runtime.advance(1000)
    const [record] = await engine.options.store.apiKeys.list(engine.adminId)
    expect(record).toMatchObject({ totalUses: 3, prefix: key.slice(0, 8) })
    expect(JSON.stringify(record)).not.toContain(key)
  })

  test('values of variables are sealed at rest and readable only by their user', async () => {
    const { engine } = await setUp()
    const token = await adminToken(engine)
    const json = { name: 'n', value: 'clear text', type: 'Generic', default_fields: null }
    const made = await send(engine, '/api/v1/variables/', { token, json })
    expect(made.text).not.toContain('clear text')
    const [record] = await engine.options.store.variables.list(engine.adminId)
    expect(record?.value).toMatch(/^v1\.[\w-]{38,}$/)
    expect((await send(engine, '/api/v1/variables/', { token })).body).toMatchObject([
      { value: 'clear text' },
    ])
  })

  test('events inform the host and contain no secrets', async () => {
    const { engine, attempt } = await setUp()
    const seen: [string, unknown][] = []
    engine.events.on('*', (event, name: keyof FlowEvents) => void seen.push([name, event]))
    const token = await adminToken(engine)
    const json = { username: 'ada', password: 'a secret word' }
    const { id } = (await send(engine, '/api/v1/users/', { token, json })).body as { id: string }
    await send(engine, `/api/v1/users/${id}`, { method: 'PATCH', token, json: { is_active: true } })
    await send(engine, `/api/v1/users/${id}`, {
      method: 'PATCH',
      token,
      json: { is_active: false },
    })
    await send(engine, `/api/v1/users/${id}`, { method: 'DELETE', token })
    await attempt('wrong')
    expect(seen.map(([name]) => name)).toEqual([
      'user.created',
      'user.updated',
      'user.updated',
      'user.deactivated',
      'user.deleted',
      'signIn.failed',
    ])
    expect(JSON.stringify(seen)).not.toContain('a secret word')
  })

  test('the authenticate hook of the host decides the user and can create unknown users', async () => {
    const userId = '2f3a9c1e-0000-4000-8000-00000000abcd'
    const engine = await createTestEngine({
      authenticate: (request) => {
        const name = request.headers.get('x-host-user')
        if (name === 'redirect') return new Response(null, { status: 302 })
        return name === null ? null : { userId, isSuperuser: false, createAs: name }
      },
    })
    const path = '/api/v1/users/whoami'
    expect((await send(engine, path)).status).toBe(403)
    expect((await send(engine, path, { headers: { 'x-host-user': 'redirect' } })).status).toBe(302)
    const answer = await send(engine, path, { headers: { 'x-host-user': 'ada' } })
    expect(answer.body).toMatchObject({ id: userId, username: 'ada' })
    const admin = { headers: { 'x-host-user': 'ada' } }
    expect((await send(engine, '/api/v1/users/', admin)).status).toBe(403)
  })
})
