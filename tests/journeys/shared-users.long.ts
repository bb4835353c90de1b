import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Answer, type Service } from './service.ts'

const TOKEN = 'a-static-token-of-16'
const PASSWORD = 'correct horse battery'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

let service: Service
let end: () => Promise<void>
beforeAll(async () => {
  ;({ service, end } = await startService({
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: TOKEN,
    SCIM_DELETE_USER: 'remove',
    // Says nothing about users of the directory.
    SERVICE_NEW_USER_IS_ACTIVE: 'false',
  }))
})
afterAll(() => end())

const scim = (method: string, path: string, body?: object): Promise<Answer> =>
  service.call(method, `/api/v1/scim/v2${path}`, {
    key: null,
    headers: { authorization: `Bearer ${TOKEN}` },
    ...(body !== undefined && { body }),
  })
const change = (id: string, path: string, value: unknown): Promise<Answer> =>
  scim('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [{ op: 'replace', path, value }] })

async function provision(userName: string): Promise<string> {
  const made = await scim('POST', '/Users', { userName, active: true })
  expect(made.status).toBe(201)
  return (made.json() as { id: string }).id
}

const user = (id: string, body: object): Promise<Answer> =>
  service.call('PATCH', `/api/v1/users/${id}`, { body })

const signIn = (username: string, password = PASSWORD): Promise<Answer> =>
  service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

/** A provisioned user with a password, who has signed in and made an API key. */
async function signedIn(userName: string) {
  const id = await provision(userName)
  expect((await user(id, { password: PASSWORD })).status).toBe(200)
  const { access_token: token } = (await signIn(userName)).json() as { access_token: string }
  const bearer = { key: null, headers: { authorization: `Bearer ${token}` } }
  const made = await service.call('POST', '/api/v1/api_key/', { ...bearer, body: { name: 'k' } })
  const { api_key: key } = made.json() as { api_key: string }
  const whoami = async (how: 'session' | 'key'): Promise<number> =>
    (await service.call('GET', '/api/v1/users/whoami', how === 'key' ? { key } : bearer)).status
  return { id, key, whoami }
}

describe('users of the directory in the shipped server', () => {
  test('SU-10 a provisioned user is active, no superuser, and cannot sign in before a password is set', async () => {
    const id = await provision('New@corp.example')
    const listed = (await service.call('GET', '/api/v1/users/?limit=100')).json() as {
      users: object[]
    }
    expect(listed.users).toContainEqual(
      expect.objectContaining({
        id,
        username: 'New@corp.example',
        is_active: true,
        is_superuser: false,
      }),
    )
    const other = await signedIn('known@corp.example')
    expect(await other.whoami('session')).toBe(200)
    const wrong = await signIn('known@corp.example', 'wrong password')
    const refused = await signIn('New@corp.example')
    expect([refused.status, refused.text]).toEqual([wrong.status, wrong.text])
  })

  test('SU-13 deactivation ends sessions and keys; reactivation brings back the keys alone', async () => {
    const { id, whoami } = await signedIn('grace@corp.example')
    expect([await whoami('session'), await whoami('key')]).toEqual([200, 200])
    expect((await change(id, 'active', false)).status).toBe(200)
    const refused = [await whoami('session'), await whoami('key')]
    expect(refused.every((status) => status === 401 || status === 403)).toBe(true)
    expect((await change(id, 'active', true)).status).toBe(200)
    expect(await whoami('key')).toBe(200)
    expect([401, 403]).toContain(await whoami('session'))
  })

  test('SU-13 SU-14 what the service changes of a managed user is mirrored; its name is not changed', async () => {
    const id = await provision('edsger@corp.example')
    const refused = await user(id, { username: 'someone' })
    expect([refused.status, refused.json()]).toEqual([
      400,
      { detail: 'The username is managed by the directory' },
    ])
    expect((await user(id, { is_active: false, optins: { mail: true } })).status).toBe(200)
    expect((await scim('GET', `/Users/${id}`)).json()).toMatchObject({ active: false })
    const group = await scim('POST', '/Groups', { displayName: 'g', members: [{ value: id }] })
    const path = `/Groups/${(group.json() as { id: string }).id}`
    const modified = async (): Promise<string> =>
      ((await scim('GET', path)).json() as { meta: { lastModified: string } }).meta.lastModified
    const before = await modified()
    expect((await service.call('DELETE', `/api/v1/users/${id}`)).status).toBe(200)
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404)
    expect((await scim('GET', path)).json()).toMatchObject({ members: [] })
    expect((await modified()) > before).toBe(true)
  })

  test('SU-15 the last active superuser stays', async () => {
    const { users } = (await service.call('GET', '/api/v1/users/?limit=100')).json() as {
      users: { id: string; is_superuser: boolean }[]
    }
    const [first] = users.filter(({ is_superuser: isSuperuser }) => isSuperuser)
    const { id, key } = await signedIn('root@corp.example')
    expect((await user(id, { is_superuser: true })).status).toBe(200)
    const own = await service.call('PATCH', `/api/v1/users/${first?.id}`, {
      key,
      body: { is_superuser: false },
    })
    expect(own.status).toBe(200)
    for (const answer of [
      await change(id, 'active', false),
      await scim('DELETE', `/Users/${id}`),
    ]) {
      expect(answer.status).toBe(403)
      expect(answer.json()).toMatchObject({
        status: '403',
        detail: 'The last active superuser cannot be deactivated or removed.',
      })
    }
    expect((await scim('GET', `/Users/${id}`)).json()).toMatchObject({ active: true })
    const back = { key, body: { is_superuser: true } }
    expect((await service.call('PATCH', `/api/v1/users/${first?.id}`, back)).status).toBe(200)
  })

  test('SU-16 a renamed user keeps the session and signs in by the new name', async () => {
    const { id, whoami } = await signedIn('barbara@corp.example')
    expect((await change(id, 'userName', 'liskov@corp.example')).status).toBe(200)
    expect(await whoami('session')).toBe(200)
    expect((await signIn('liskov@corp.example')).status).toBe(200)
    expect((await signIn('barbara@corp.example')).status).toBeGreaterThanOrEqual(400)
  })

  test('SU-17 what a removed user owns goes with the user', async () => {
    const { id, key, whoami } = await signedIn('alan@corp.example')
    const body = { name: 'Mine', data: { nodes: [], edges: [] } }
    const made = await service.call('POST', '/api/v1/flows/', { key, body })
    expect(made.status).toBe(201)
    const { id: flow } = made.json() as { id: string }
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect([401, 403]).toContain(await whoami('key'))
    expect((await service.call('GET', `/api/v1/flows/${flow}`)).status).toBe(404)
    expect((await scim('POST', '/Users', { userName: 'alan@corp.example' })).status).toBe(201)
  })

  test('SU-11 a name of the service is a conflict, or taken over with SCIM_ADOPT_USERS, but never of a superuser', async () => {
    const made = await service.call('POST', '/api/v1/users/', {
      body: { username: 'Old@corp.example', password: PASSWORD },
    })
    const { id } = made.json() as { id: string }
    const conflict = await scim('POST', '/Users', { userName: 'old@CORP.example' })
    expect([conflict.status, conflict.json()]).toMatchObject([
      409,
      {
        scimType: 'uniqueness',
        detail:
          'The userName belongs to an account that the directory does not manage. Set SCIM_ADOPT_USERS=userName to link it, or rename it.',
      },
    ])
    expect((await user(id, { is_active: true, is_superuser: true })).status).toBe(200)
    await service.restart({ environment: { SCIM_ADOPT_USERS: 'userName' } })
    expect((await scim('POST', '/Users', { userName: 'old@corp.example' })).status).toBe(409)
    expect((await user(id, { is_superuser: false })).status).toBe(200)
    expect(await provision('old@corp.example')).toBe(id)
    expect((await signIn('old@corp.example')).status).toBe(200)
  })
})
