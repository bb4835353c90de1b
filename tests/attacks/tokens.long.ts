import { expect, test, vi } from 'vitest'
import type { Answer, Service } from '../journeys/service.ts'
import { withService } from '../journeys/service.ts'
import { useService } from './attack.ts'
import { saveFlow } from './flows.ts'
import { keepsAnswering } from './keeps-answering.ts'

const PASSWORD = 'the password of the superuser'
const ENDED = { detail: 'Could not validate credentials' }

vi.setConfig({ testTimeout: 300_000 })
const running = useService({
  SERVICE_SUPERUSER_PASSWORD: PASSWORD,
  SERVICE_NEW_USER_IS_ACTIVE: 'true',
  SERVICE_LOGIN_RATE_LIMIT: 'false',
})

/** One sign-in as a browser holds it. */
interface Session {
  readonly token: string
  readonly refresh: string
}

test('AB-64: a password reset ends all other sessions immediately and renews the current one', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const { id, name } = await createUser(service)
    const [mine, other] = [await signIn(service, name), await signIn(service, name)]
    const answer = await reset(service, id, mine, { password: 'a new one' })
    expect([answer.status, answer.json()]).toMatchObject([200, { username: name }])

    expect(await whoami(service, other)).toMatchObject({ status: 401 })
    expect((await whoami(service, other)).json()).toEqual(ENDED)
    expect((await whoami(service, mine)).status).toBe(200)
    for (const session of [mine, other])
      expect((await refresh(service, session.refresh)).status).toBe(401)

    const renewed = sessionOf(answer)
    expect((await whoami(service, renewed)).status).toBe(200)
    expect((await refresh(service, renewed.refresh)).status).toBe(200)
    expect((await whoami(service, await signIn(service, name, 'a new one'))).status).toBe(200)
  }))

test('AB-64: signing out ends the access token of that session only', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const { name } = await createUser(service)
    const [first, second, third] = [
      await signIn(service, name),
      await signIn(service, name),
      await signIn(service, name),
    ]
    const signOut = (headers: Record<string, string>) =>
      service.call('POST', '/api/v1/logout', { key: null, headers })
    await signOut({ cookie: `refresh_token_lf=${first.refresh}` })
    await signOut({ authorization: `Bearer ${second.token}` })
    expect((await whoami(service, first)).status).toBe(401)
    expect((await whoami(service, second)).status).toBe(401)
    expect((await refresh(service, second.refresh)).status).toBe(401)
    expect((await whoami(service, third)).status).toBe(200)
  }))

test('AB-64: deactivating a user or setting their password as superuser ends all sessions permanently', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const { id, name } = await createUser(service)
    const patch = (body: object) => service.call('PATCH', `/api/v1/users/${id}`, { body })
    const before = await signIn(service, name)
    await patch({ is_active: false })
    expect((await whoami(service, before)).status).toBe(401)
    await patch({ is_active: true })
    expect((await whoami(service, before)).status).toBe(401)

    const later = await signIn(service, name)
    await patch({ password: 'set by a superuser' })
    expect((await whoami(service, later)).json()).toEqual(ENDED)
  }))

test('AB-63: an API key cannot change a password; a current password is checked if sent', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const { id, name } = await createUser(service)
    const session = await signIn(service, name)
    const key = await service.call('POST', '/api/v1/api_key/', {
      key: null,
      headers: { authorization: `Bearer ${session.token}` },
      body: { name: 'mine' },
    })
    const { api_key: own } = key.json() as { api_key: string }
    const byKey = await service.call('PATCH', `/api/v1/users/${id}/reset-password`, {
      key: own,
      body: { password: 'stolen' },
    })
    expect([byKey.status, byKey.json()]).toEqual([
      403,
      { detail: 'A password cannot be changed with an API key' },
    ])
    const wrong = { password: 'stolen', current_password: 'wrong' }
    const guessed = await reset(service, id, session, wrong)
    expect([guessed.status, guessed.json()]).toEqual([
      400,
      { detail: 'The current password is wrong' },
    ])
    const right = { password: 'new', current_password: 'first password' }
    expect((await reset(service, id, session, right)).status).toBe(200)
  }))

test('AB-63, AB-65: the current password is required if so configured; cookies behind https are secure', () =>
  withService(
    {
      SERVICE_SUPERUSER_PASSWORD: PASSWORD,
      SERVICE_NEW_USER_IS_ACTIVE: 'true',
      SERVICE_REQUIRE_CURRENT_PASSWORD: 'true',
      SERVICE_PUBLIC_URL: 'https://flows.example.test',
    },
    (service) =>
      keepsAnswering(service, async () => {
        const { id, name } = await createUser(service)
        const session = await signIn(service, name)
        const without = await reset(service, id, session, { password: 'new' })
        expect([without.status, without.json()]).toMatchObject([
          422,
          { detail: [{ type: 'missing', loc: ['body', 'current_password'] }] },
        ])
        const current = { password: 'new', current_password: 'first password' }
        const changed = await reset(service, id, session, current)
        expect(changed.status).toBe(200)
        const cookies = changed.headers.getSetCookie()
        expect(cookies.length).toBeGreaterThan(1)
        for (const cookie of cookies) expect(cookie).toMatch(/; secure(;|$)/i)
      }),
  ))

test('AB-65: cookies over http are not marked secure', () =>
  keepsAnswering(running(), async () => {
    const service = running()
    const { name } = await createUser(service)
    const answer = await login(service, name, 'first password')
    for (const cookie of answer.headers.getSetCookie()) expect(cookie).not.toMatch(/secure/i)
  }))

test('AB-68: auto-login tokens are refused once auto login is off', () =>
  withService({ SERVICE_AUTO_LOGIN: 'true' }, async (service) => {
    const answer = await service.call('GET', '/api/v1/auto_login', { key: null })
    const token = (answer.json() as { access_token: string }).access_token
    const ask = () => whoami(service, { token, refresh: '' })
    expect((await ask()).status).toBe(200)
    await service.restart({ environment: { SERVICE_AUTO_LOGIN: 'false' } })
    const later = await ask()
    expect([later.status, later.json()]).toEqual([401, ENDED])
    await service.restart({ environment: { SERVICE_AUTO_LOGIN: 'true' } })
    expect((await ask()).status).toBe(200)
  }))

test('AB-64, AB-68: a new password of the superuser ends auto-login tokens', () =>
  withService({ SERVICE_AUTO_LOGIN: 'true' }, (service) =>
    keepsAnswering(service, async () => {
      const answer = await service.call('GET', '/api/v1/auto_login', { key: null })
      const token = (answer.json() as { access_token: string }).access_token
      const session = { token, refresh: '' }
      const me = (await whoami(service, session)).json() as { id: string }
      const changed = await service.call('PATCH', `/api/v1/users/${me.id}`, {
        body: { password: 'set by a superuser' },
      })
      expect(changed.status).toBe(200)
      const later = await whoami(service, session)
      expect([later.status, later.json()]).toEqual([401, ENDED])
    }),
  ))

test('AB-67: a cookie runs no flow for a page of another site', () =>
  withService(
    { SERVICE_AGENTIC_EXPERIENCE: 'true', SERVICE_SUPERUSER_PASSWORD: PASSWORD },
    (service) =>
      keepsAnswering(service, async () => {
        const { token } = await signIn(service, 'admin', PASSWORD)
        const flow = await saveFlow(service, [['TextInput', { input_value: 'mine' }]])
        const runFrom = (origin: string | null) =>
          service.call('POST', `/api/v1/run/session/${flow}`, {
            key: null,
            headers: {
              cookie: `access_token_lf=${token}`,
              ...(origin === null ? {} : { origin }),
            },
            body: {},
          })
        for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
          const answer = await runFrom(origin)
          expect([origin, answer.status, answer.text]).toEqual([
            origin,
            403,
            '{"detail":"Origin not allowed"}',
          ])
        }
        for (const origin of [new URL(service.url).origin, null])
          expect([origin, (await runFrom(origin)).status]).toEqual([origin, 200])
      }),
  ))

async function createUser(service: Service): Promise<{ id: string; name: string }> {
  const name = `user-${crypto.randomUUID()}`
  const body = { username: name, password: 'first password' }
  const made = await service.call('POST', '/api/v1/users/', { body })
  return { id: (made.json() as { id: string }).id, name }
}

function login(service: Service, username: string, password: string): Promise<Answer> {
  return service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
}

async function signIn(service: Service, name: string, password = 'first password') {
  return sessionOf(await login(service, name, password))
}

function sessionOf(answer: Answer): Session {
  const cookies = answer.headers.getSetCookie().join('\n')
  return {
    token: /access_token_lf=([^;]+)/.exec(cookies)?.[1] ?? '',
    refresh: /refresh_token_lf=([^;]+)/.exec(cookies)?.[1] ?? '',
  }
}

const bearer = ({ token }: Session) => ({ authorization: `Bearer ${token}` })

function whoami(service: Service, session: Session): Promise<Answer> {
  return service.call('GET', '/api/v1/users/whoami', { key: null, headers: bearer(session) })
}

function refresh(service: Service, token: string): Promise<Answer> {
  const headers = { cookie: `refresh_token_lf=${token}` }
  return service.call('POST', '/api/v1/refresh', { key: null, headers })
}

function reset(service: Service, id: string, session: Session, body: object): Promise<Answer> {
  const path = `/api/v1/users/${id}/reset-password`
  return service.call('PATCH', path, { key: null, headers: bearer(session), body })
}
