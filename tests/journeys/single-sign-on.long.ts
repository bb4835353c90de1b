import { afterAll, beforeAll, expect, test } from 'vitest'
import { startIdentityProvider, type IdentityProvider } from '@x/test-kit'
import { withService } from './service.ts'

const TOKEN = 'a-static-token'
let provider: IdentityProvider

beforeAll(async () => {
  provider = await startIdentityProvider()
})
afterAll(() => provider.close())

test('SU-25 OP-11 the shipped server offers single sign-on to users provisioned by a directory', async () => {
  const environment = {
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: TOKEN,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'client',
  }
  await withService(environment, async (service) => {
    const user = { userName: 'ada@corp.example', externalId: 'subject-1', active: true }
    const made = await service.call('POST', '/api/v1/scim/v2/Users', {
      key: null,
      headers: { authorization: `Bearer ${TOKEN}` },
      body: user,
    })
    expect(made.status).toBe(201)

    const visit = async (path: string, cookie = '') =>
      service.call('GET', path, { key: null, headers: { cookie } })
    const signIn = async () => {
      const first = await visit('/api/v1/oidc/login?return_to=/docs')
      const target = new URL(first.headers.get('location') ?? '')
      expect([first.status, target.origin]).toEqual([302, provider.issuer])
      provider.nonce = target.searchParams.get('nonce') ?? ''
      const state = target.searchParams.get('state') ?? ''
      const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
      return visit(`/api/v1/oidc/callback?code=c&state=${state}`, cookie)
    }
    const back = await signIn()
    expect([back.status, back.headers.get('location')]).toEqual([302, '/docs'])
    const cookies = back.headers.getSetCookie().join('; ')
    const [, token = ''] = /access_token_lf=([^;]+)/.exec(cookies) ?? []
    const who = await service.call('GET', '/api/v1/users/whoami', {
      key: null,
      headers: { authorization: `Bearer ${token}` },
    })
    expect(who.json()).toMatchObject({ username: 'ada@corp.example' })

    provider.claims = { sub: 'a stranger' }
    const refused = await signIn()
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []])

    const { id } = who.json() as { id: string }
    const records = await service.call('GET', '/api/v1/monitor/audit?action=sign_in')
    expect((records.json() as { records: object[] }).records).toMatchObject([
      { outcome: 'refused', target_id: null, request_id: refused.headers.get('x-request-id') },
      { outcome: 'ok', target_id: id, details: { through: 'single sign-on' } },
    ])
  })
})

test('OP-11 a user created by single sign-on is recorded in the audit log', async () => {
  provider.claims = { sub: 'new-1', email: 'new@corp.example', email_verified: true }
  const environment = {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'client',
    OIDC_AUTO_CREATE: 'true',
  }
  await withService(environment, async (service) => {
    const visit = async (path: string, cookie = '') =>
      service.call('GET', path, { key: null, headers: { cookie } })
    const first = await visit('/api/v1/oidc/login')
    const target = new URL(first.headers.get('location') ?? '')
    provider.nonce = target.searchParams.get('nonce') ?? ''
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
    const state = target.searchParams.get('state') ?? ''
    expect((await visit(`/api/v1/oidc/callback?code=c&state=${state}`, cookie)).status).toBe(302)
    const answer = await service.call('GET', '/api/v1/monitor/audit?action=user.created')
    const { records } = answer.json() as { records: { target_id: string; details: object }[] }
    expect(records[0]).toMatchObject({ details: { through: 'single sign-on' } })
    const made = await service.call('GET', `/api/v1/users/?limit=10`)
    const { users } = made.json() as { users: { id: string; username: string }[] }
    expect(users.find(({ username }) => username === 'new@corp.example')?.id).toBe(
      records[0]?.target_id,
    )
  })
})
