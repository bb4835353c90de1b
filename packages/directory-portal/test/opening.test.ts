import { createDirectoryPortal } from '@x/directory-portal'
import { describe, expect, test } from 'vitest'
import { createHarness, GUARD, ORIGIN } from './support.ts'

const redeem = (link: unknown, more: object = {}) => ({
  headers: { ...GUARD, ...more },
  body: JSON.stringify({ link }),
})

describe('opening the portal', () => {
  test('DP-2 wrong options are named', () => {
    expect(() => createDirectoryPortal({} as never)).toThrow(/connections/)
    expect(() => createHarness({ app: {} as never })).toThrow(/app.name/)
    expect(() => createHarness({ basePath: 'directory' })).toThrow(/basePath/)
    expect(() => createHarness({ linkSeconds: 3 })).toThrow(/linkSeconds/)
    expect(() => createHarness({ frameAncestors: ['https://a.example/x'] })).toThrow(/frameAnc/)
    expect(() => createHarness({ sesion: () => null } as never)).toThrow(/sesion/)
  })

  test('DP-4 a link has its token in the fragment', async () => {
    const { portal, store } = createHarness()
    const { url, id } = await portal.links.create({ tenant: 'acme', actor: 'mira' })
    expect(url).toMatch(/^https:\/\/acme\.example\/directory\/#open=pl_[\w-]{43}$/)
    const [link] = await portal.links.list('acme')
    expect(link).toMatchObject({ id, actor: 'mira', permission: 'manage', usedAt: null })
    expect(JSON.stringify([link, await store.links.list('acme')])).not.toContain(url.slice(-43))
    const behind = createHarness({ publicUrl: 'https://edge.example/app', basePath: '/d' })
    const made = await behind.portal.links.create({ tenant: 'acme', actor: 'mira' })
    expect(made.url).toMatch(/^https:\/\/edge\.example\/app\/d\/#open=/)
  })

  test('DP-5 of two redemptions at once one succeeds; opening the page redeems nothing', async () => {
    const { portal, ask } = createHarness()
    const { url } = await portal.links.create({ tenant: 'acme', actor: 'mira' })
    const token = new URL(url).hash.slice('#open='.length)
    expect((await ask('GET', '/')).status).toBe(200)
    const both = await Promise.all([1, 2].map(() => ask('POST', '/api/session', redeem(token))))
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 410])
    for (const ttlSeconds of [29, 604_801, 40.5])
      await expect(
        portal.links.create({ tenant: 'acme', actor: 'mira', ttlSeconds }),
      ).rejects.toThrow(/ttlSeconds/)
  })

  test('DP-6 one cookie, and when the session ends', async () => {
    const { open, runtime, portal } = createHarness()
    const person = await open()
    expect(person.cookie).toMatch(/^__Secure-directory_portal=ps_[\w-]{43}$/)
    const status = async (one = person) => (await one.go('GET', '/session')).status
    expect(await status()).toBe(200)
    await runtime.advance(1_000_000)
    expect(await status()).toBe(200)
    await runtime.advance(1_000_000)
    expect(await status()).toBe(200)
    await runtime.advance(1_800_000)
    expect(await status()).toBe(401)

    const leaving = await open()
    const left = await leaving.go('DELETE', '/session')
    expect(left.status).toBe(204)
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(await status(leaving)).toBe(401)

    const all = await open()
    await portal.sessions.endAll('globex')
    expect(await status(all)).toBe(200)
    await portal.sessions.endAll('acme')
    expect(await status(all)).toBe(401)
  })

  test('DP-6 a session ends after its time, and with its link', async () => {
    const { open, runtime, portal } = createHarness({ sessionSeconds: 3_600 })
    const person = await open()
    for (let n = 0; n < 3; n += 1) {
      await runtime.advance(1_100_000)
      expect((await person.go('GET', '/session')).status).toBe(200)
    }
    await runtime.advance(300_000)
    expect((await person.go('GET', '/session')).status).toBe(401)
    const other = await open()
    const [link] = await portal.links.list('acme')
    expect(await portal.links.revoke('globex', link?.id ?? '')).toBe(false)
    expect(await portal.links.revoke('acme', link?.id ?? '')).toBe(true)
    expect((await other.go('GET', '/session')).status).toBe(401)
  })

  test('DP-7 refusals say why, and too many are slowed down for their address alone', async () => {
    const { portal, ask, runtime, open } = createHarness()
    const code = async (token: unknown) => {
      const { status, body } = await ask('POST', '/api/session', redeem(token))
      return [status, body.error.code]
    }
    const made = async () => {
      const { url, id } = await portal.links.create({ tenant: 'acme', actor: 'mira' })
      return { token: new URL(url).hash.slice('#open='.length), id }
    }
    const used = await open()
    expect(await code(used.token)).toEqual([410, 'link_used'])
    const revoked = await made()
    await portal.links.revoke('acme', revoked.id)
    expect(await code(revoked.token)).toEqual([410, 'link_revoked'])
    const late = await made()
    await runtime.advance(301_000)
    expect(await code(late.token)).toEqual([410, 'link_expired'])
    expect(await code(`${used.token.slice(0, -1)}-`)).toEqual([401, 'link_unknown'])
    for (const wrong of [undefined, 7, '', 'pl_x']) expect((await code(wrong))[0]).toBe(401)
    for (let n = 0; n < 18; n += 1) await code('pl_x')
    const slowed = await ask('POST', '/api/session', redeem('pl_x'))
    expect([slowed.status, slowed.body.error.code]).toEqual([429, 'too_many_attempts'])
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0)
    const other = await ask('POST', '/api/session', redeem('pl_x'), '203.0.113.9')
    expect(other.status).toBe(401)
    await runtime.advance(61_000)
    expect((await code('pl_x'))[0]).toBe(401)
  })

  test('DP-9 what another site can send is refused', async () => {
    const { open, ask } = createHarness()
    const { cookie, go } = await open()
    const post = async (headers: object, body = '{"provider":"entra"}') => {
      const answer = await ask('POST', '/api/connections', {
        headers: { cookie, ...headers },
        body,
      })
      return [answer.status, answer.body.error?.code]
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await post({ ...form, origin: 'https://evil.example' })).toEqual([
      415,
      'unsupported_media_type',
    ])
    expect(await post({ 'content-type': 'text/plain' })).toEqual([415, 'unsupported_media_type'])
    const json = { 'content-type': 'application/json' }
    expect(await post(json)).toEqual([403, 'cross_site'])
    for (const more of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ])
      expect(await post({ ...GUARD, ...more })).toEqual([403, 'cross_site'])
    expect(
      (await go('DELETE', '/session', undefined, { 'content-type': 'text/plain' })).status,
    ).toBe(415)
    expect((await post({ ...GUARD, origin: ORIGIN, 'sec-fetch-site': 'same-origin' }))[0]).toBe(201)
    expect(await post(GUARD, 'no')).toEqual([400, 'invalid'])
    expect(await post(GUARD, '[1]')).toEqual([400, 'invalid'])
    expect(await post(GUARD, JSON.stringify({ name: 'x'.repeat(65_536) }))).toEqual([
      413,
      'too_large',
    ])
    const options = await ask('OPTIONS', '/api/connections', { headers: { ...GUARD, cookie } })
    expect(options.status).toBe(405)
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('DP-10 every answer has its headers; the page is the same for everyone', async () => {
    const { ask, open } = createHarness()
    const { cookie } = await open()
    for (const path of [
      '',
      '/',
      '/api/session',
      '/api/none',
      '/assets/none',
      '/figures/okta.svg',
    ]) {
      const { headers } = await ask('GET', path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    }
    const plain = await ask('GET', '/')
    const signedIn = await ask('GET', '/', { headers: { cookie } })
    expect(signedIn.body).toBe(plain.body)
    const policy = plain.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(plain.body).not.toMatch(/<style|style=|<script>|\son\w+=/)
    expect((await ask('GET', '/api/session')).headers.get('cache-control')).toBe('no-store')
    const framed = createHarness({ frameAncestors: ['https://admin.acme.example'] })
    const { headers } = await framed.ask('GET', '/')
    expect(headers.get('x-frame-options')).toBeNull()
    expect(headers.get('content-security-policy')).toContain(
      'frame-ancestors https://admin.acme.example',
    )
  })

  test('DP-11 a return address has an allowed origin', async () => {
    const { portal, open } = createHarness({ returnUrls: ['https://admin.acme.example'] })
    const make = (returnUrl: string) =>
      portal.links.create({ tenant: 'acme', actor: 'mira', returnUrl })
    for (const wrong of [
      'https://evil.example/',
      'http://acme.example/',
      'javascript:alert(1)',
      'acme.example',
      '//acme.example/',
    ])
      await expect(make(wrong)).rejects.toThrow(TypeError)
    const returnUrl = 'https://admin.acme.example/settings'
    const person = await open({ returnUrl, tenantName: 'Acme', language: 'de' })
    expect((await person.go('GET', '/session')).body).toMatchObject({
      tenant: 'acme',
      tenantName: 'Acme',
      actor: 'mira@corp.example',
      permission: 'manage',
      returnUrl,
      language: 'de',
      app: { name: 'Acme App' },
      address: 'https://acme.example/scim/v2',
    })
  })

  test('DP-4 the session of the host wins, and its answer is sent', async () => {
    const { ask } = createHarness({
      session(request) {
        const who = request.headers.get('x-user')
        if (who === 'nobody') return new Response('sign in', { status: 302 })
        return who === null ? null : { tenant: 'globex', actor: who, permission: 'view' }
      },
    })
    const as = (who: string, method = 'GET', path = '/api/session') =>
      ask(method, path, { headers: { 'x-user': who, ...(method !== 'GET' && GUARD) } })
    expect((await as('ada')).body).toMatchObject({ tenant: 'globex', permission: 'view' })
    expect((await as('nobody')).status).toBe(302)
    expect((await as('ada', 'POST', '/api/connections')).body.error.code).toBe('forbidden')
    expect((await ask('GET', '/api/session')).body.error.code).toBe('unauthorized')
    const forged = await ask('POST', '/api/connections', {
      headers: { 'x-user': 'ada', 'content-type': 'application/json' },
    })
    expect(forged.body.error.code).toBe('cross_site')
  })

  test.each([
    [{ actor: 'ada', permission: 'manage' }, 'tenant'],
    [{ tenant: 'acme', permission: 'manage' }, 'actor'],
    [{ tenant: 'acme', actor: 'ada', permission: 'viewer' }, 'permission'],
    [{ tenant: 'acme', actor: 'ada' }, 'permission'],
    [{ tenant: 'acme', actor: 'ada', permission: 'view', expiresAt: '2030' }, 'expiresAt'],
  ])(
    'DP-8 a session of the host that says too little opens nothing: %o',
    async (session, named) => {
      const { ask, errors } = createHarness({ session: () => session as never })
      const { status, body } = await ask('POST', '/api/connections', {
        headers: GUARD,
        body: JSON.stringify({ provider: 'entra' }),
      })
      expect([status, body.error.code, body.error.message]).toEqual([
        500,
        'internal',
        'Internal error',
      ])
      expect(String(errors)).toContain(`whose ${named} is not valid`)
    },
  )

  test('DP-12 unknown paths and methods', async () => {
    const { open } = createHarness()
    const { go } = await open()
    expect((await go('GET', '/none')).body.error.code).toBe('not_found')
    const wrong = await go('PUT', '/connections', {})
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST'])
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'after=!', 'after=cDE'])
      expect((await go('GET', `/activity?${query}`)).status).toBe(query === 'after=cDE' ? 200 : 400)
  })
})
