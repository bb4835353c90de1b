import { describe, expect, test } from 'vitest'
import { createHarness, USER, type Harness, type Person } from './support.ts'

async function connected(harness: Harness, person?: Person) {
  const { go } = person ?? (await harness.open())
  const made = await go('POST', '/connections', { provider: 'entra' })
  expect(made.status).toBe(201)
  const { connection, secret } = made.body
  const send = (method: string, path: string, body?: unknown, token = secret.token) =>
    harness.scim(method, path, body, token)
  const add = async (userName: string, more = {}) => {
    const answer = await send('POST', '/Users', { schemas: [USER], userName, ...more })
    expect(answer.status).toBe(201)
    return answer.body.id as string
  }
  return { go, connection, secret, send, add, own: `/connections/${connection.id}` }
}

describe('connections and secrets', () => {
  test('DP-12 a connection with its address and secret', async () => {
    const harness = createHarness()
    const { go, connection, secret, own } = await connected(harness)
    expect(connection).toMatchObject({
      name: 'Microsoft Entra ID',
      provider: 'entra',
      paused: false,
      state: 'waiting',
      lastRequestAt: null,
      users: { active: 0, inactive: 0 },
      groups: 0,
      alarms: [],
    })
    expect(secret).toMatchObject({ kind: 'token', address: 'https://acme.example/scim/v2' })
    expect(connection.secrets).toMatchObject([{ id: secret.id, kind: 'token', revokedAt: null }])
    expect((await go('GET', own)).body.connection).toEqual(connection)
    expect((await go('GET', '/connections')).body.connections).toEqual([connection])
    for (const body of [{}, { provider: 'x' }, { provider: 'okta', kind: 'client' }])
      expect((await go('POST', '/connections', body)).body.error.code).toBe('invalid')
    for (const more of [{ name: '' }, { name: 'x'.repeat(201) }, { expiresInDays: 1_096 }])
      expect((await go('POST', '/connections', { provider: 'okta', ...more })).status).toBe(400)
  })

  test('DP-13 names of connections count up', async () => {
    const { open } = createHarness()
    const { go } = await open()
    const names = []
    for (const more of [{}, {}, { name: 'Okta 3' }, {}])
      names.push(
        (await go('POST', '/connections', { provider: 'okta', ...more })).body.connection.name,
      )
    expect(names).toEqual(['Okta', 'Okta 2', 'Okta 3', 'Okta 4'])
  })

  test('DP-14 a JumpCloud connection activates a person twice', async () => {
    const harness = createHarness()
    const { go } = await harness.open()
    const { secret } = (await go('POST', '/connections', { provider: 'jumpcloud' })).body
    const body = { schemas: [USER], userName: 'ada@corp.example' }
    for (let round = 0; round < 2; round += 1) {
      const first = await harness.scim('POST', '/Users', body, secret.token)
      const gone = await harness.scim('DELETE', `/Users/${first.body.id}`, undefined, secret.token)
      const again = await harness.scim('POST', '/Users', body, secret.token)
      expect([first.status, gone.status, again.status]).toEqual([201, 204, 201])
      expect(again.body.id).toBe(first.body.id)
      await harness.scim('DELETE', `/Users/${first.body.id}`, undefined, secret.token)
    }
  })

  test('DP-16 the tag of a mistyped token names its connection, and nothing else', async () => {
    const harness = createHarness()
    const { go, secret, send, own } = await connected(harness)
    const other = await connected(harness)
    expect(secret.token).toMatch(/^scim_[\w-]{10}_[\w-]{43}$/)
    const wrong = secret.token.slice(0, -3) + (secret.token.endsWith('AAA') ? 'BBB' : 'AAA')
    for (let n = 0; n < 5; n += 1)
      expect((await send('GET', '/Users', undefined, wrong)).status).toBe(401)
    const unknown = `scim_${'x'.repeat(10)}_${wrong.slice(-43)}`
    expect((await send('GET', '/Users', undefined, unknown)).status).toBe(401)
    const entries = async (path: string) => (await go('GET', `${path}/log`)).body.entries
    expect(await entries(own)).toMatchObject([{ outcome: 'wrong_secret', status: 401, count: 1 }])
    expect(await entries(other.own)).toEqual([])
    await harness.runtime.advance(61_000)
    await send('GET', '/Users', undefined, wrong)
    expect((await entries(own)).map(({ count }: { count: number }) => count)).toEqual([5, 1])
    expect((await go('GET', own)).body.connection).toMatchObject({
      state: 'waiting',
      lastRequestAt: null,
      alarms: [{ name: 'wrong_secret' }],
    })
  })

  test.each([
    ['cut off', (token: string) => `Bearer ${token.slice(0, -1)}`],
    ['with more behind it', (token: string) => `Bearer ${token}x`],
    ['between quotes', (token: string) => `Bearer "${token}"`],
    ['entered with its scheme', (token: string) => `Bearer Bearer ${token}`],
    ['without a scheme', (token: string) => token],
  ])('DP-16 a token %s is refused, and told', async (_name, authorization) => {
    const harness = createHarness()
    const { go, secret, own } = await connected(harness)
    const refused = await harness.scimWith(authorization(secret.token))
    expect(refused.status).toBe(401)
    expect((await go('GET', `${own}/log`)).body.entries).toMatchObject([
      { outcome: 'wrong_secret' },
    ])
  })

  test('DP-16 a token without the tag names nothing', async () => {
    const harness = createHarness()
    const { go, secret, send, own } = await connected(harness)
    for (const wrong of [
      secret.token.replace('scim_', 'scim-'),
      `${secret.token.slice(0, 5)}${secret.token.slice(16)}`,
    ])
      expect((await send('GET', '/Users', undefined, wrong)).status).toBe(401)
    expect((await go('GET', `${own}/log`)).body.entries).toEqual([])
  })

  test('DP-17 a secret is in one answer only; the sixth is refused', async () => {
    const harness = createHarness()
    const { go, secret, own } = await connected(harness)
    const secrets = [secret]
    for (let n = 0; n < 4; n += 1)
      secrets.push(
        (await go('POST', `${own}/secrets`, { kind: 'token', label: `l${n}` })).body.secret,
      )
    const sixth = await go('POST', `${own}/secrets`, { kind: 'token' })
    expect([sixth.status, sixth.body.error.code]).toEqual([409, 'conflict'])
    expect((await go('POST', `${own}/secrets/${secret.id}/rotate`, {})).status).toBe(409)
    await harness.written()
    const seen = JSON.stringify([
      (await go('GET', own)).body,
      (await go('GET', '/connections')).body,
      (await go('GET', `${own}/log`)).body,
      (await go('GET', '/activity')).body,
      (await go('GET', `${own}/status`)).body,
    ])
    for (const { token } of secrets) expect(seen).not.toContain(token.slice(-43))
  })

  test('DP-18 secrets end after the days given, by default a year', async () => {
    const harness = createHarness()
    const { go, secret, own } = await connected(harness)
    const days = (at: string) =>
      Math.round((new Date(at).getTime() - harness.runtime.now().getTime()) / 86_400_000)
    expect(days(secret.expiresAt)).toBe(365)
    const made = await go('POST', `${own}/secrets`, { kind: 'token', expiresInDays: 2 })
    expect(days(made.body.secret.expiresAt)).toBe(2)
    for (const expiresInDays of [0, 1_096, 1.5, '7'])
      expect((await go('POST', `${own}/secrets`, { expiresInDays })).status).toBe(400)
    await harness.runtime.advance(2 * 86_400_000)
    const late = await harness.scim('GET', '/Users', undefined, made.body.secret.token)
    expect(late.status).toBe(401)
    await harness.written()
    const { entries } = (await (await harness.open()).go('GET', `${own}/log`)).body
    expect(entries[0]).toMatchObject({ outcome: 'expired_secret', secretId: made.body.secret.id })
  })

  test('DP-19 a rotated secret and the old one work together, then only the new one', async () => {
    const harness = createHarness()
    const { go, secret, send, own } = await connected(harness)
    const path = `${own}/secrets/${secret.id}/rotate`
    for (const overlapHours of [-1, 169, 1.5])
      expect((await go('POST', path, { overlapHours })).status).toBe(400)
    const rotated = await go('POST', path, { overlapHours: 1 })
    expect(rotated.status).toBe(201)
    expect(rotated.body.secret.token).toMatch(/^scim_[\w-]{10}_[\w-]{43}$/)
    expect(rotated.body.secret.token.slice(0, 15)).toBe(secret.token.slice(0, 15))
    const works = async (token: string) => (await send('GET', '/Users', undefined, token)).status
    expect([await works(secret.token), await works(rotated.body.secret.token)]).toEqual([200, 200])
    await harness.runtime.advance(3_600_000)
    const later = await harness.open()
    expect([await works(secret.token), await works(rotated.body.secret.token)]).toEqual([401, 200])
    expect((await later.go('POST', path, {})).status).toBe(409)
    const gone = await later.go('DELETE', `${own}/secrets/${rotated.body.secret.id}`)
    expect(gone.status).toBe(204)
    expect(await works(rotated.body.secret.token)).toBe(401)
  })

  test('DP-42 a paused connection answers 503, and a secret that ended stays 401', async () => {
    const harness = createHarness()
    const { go, secret, send, own } = await connected(harness)
    const short = (await go('POST', `${own}/secrets`, { kind: 'token' })).body.secret
    await go('DELETE', `${own}/secrets/${short.id}`)
    const paused = await go('PATCH', own, { paused: true, name: 'Ours' })
    expect(paused.body.connection).toMatchObject({ paused: true, state: 'paused', name: 'Ours' })
    const answer = await send('GET', '/Users')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3600'])
    expect(answer.body.detail).toBe('The connection is paused.')
    const wrong = `${secret.token.slice(0, -3)}${secret.token.endsWith('AAA') ? 'BBB' : 'AAA'}`
    expect((await send('GET', '/Users', undefined, wrong)).status).toBe(503)
    expect((await send('GET', '/Users', undefined, short.token)).status).toBe(401)
    await go('PATCH', own, { paused: false })
    expect((await send('GET', '/Users')).status).toBe(200)
    expect((await go('GET', own)).body.connection.state).toBe('received')
    const { entries } = (await go('GET', `${own}/log`)).body
    expect(entries.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'not_found',
      'revoked_secret',
      'paused',
      'paused',
    ])
    for (const body of [{ paused: 'yes' }, { name: '' }])
      expect((await go('PATCH', own, body)).status).toBe(400)
  })

  test('DP-43 removal wants the name, and deactivates those whom it wrote last', async () => {
    const harness = createHarness()
    const first = await connected(harness)
    const second = await connected(harness)
    const ada = await first.add('ada@corp.example')
    await first.add('bob@corp.example', { active: false })
    const cleo = await first.add('cleo@corp.example')
    const patch = { Operations: [{ op: 'replace', path: 'displayName', value: 'Cleo' }] }
    await second.send('PATCH', `/Users/${cleo}`, patch)
    const dan = await second.add('dan@corp.example')
    const { go, own, connection } = first
    expect((await go('GET', `${own}/consequences`)).body).toMatchObject({
      users: { active: 1, inactive: 1 },
      secrets: 1,
    })
    const refused = await go('DELETE', own, { confirm: 'no', users: 'deactivate' })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'confirm'])
    expect((await go('DELETE', own, { confirm: connection.name })).status).toBe(400)
    const gone = await go('DELETE', own, { confirm: connection.name, users: 'deactivate' })
    expect(gone.body).toEqual({ deactivated: 1 })
    const active = async (id: string) => (await harness.service.users.get('acme', id))?.active
    expect([await active(ada), await active(cleo), await active(dan)]).toEqual([false, true, true])
    expect((await first.send('GET', '/Users')).status).toBe(401)
    expect((await go('GET', own)).status).toBe(404)
    const keep = { confirm: second.connection.name, users: 'keep' }
    expect((await go('DELETE', second.own, keep)).body).toEqual({ deactivated: 0 })
    expect(await active(dan)).toBe(true)
  })

  test('DP-8 another tenant finds nothing of it, in any route', async () => {
    const harness = createHarness()
    const { own, secret, add, connection } = await connected(harness)
    await add('ada@corp.example')
    await harness.written()
    const [received] = (await (await harness.open()).go('GET', `${own}/received`)).body.received
    const { go } = await harness.open({ tenant: 'globex' })
    for (const [method, path, body] of [
      ['GET', own],
      ['PATCH', own, { name: 'mine' }],
      ['DELETE', own, { confirm: connection.name, users: 'deactivate' }],
      ['GET', `${own}/consequences`],
      ['POST', `${own}/secrets`, { kind: 'token' }],
      ['POST', `${own}/secrets/${secret.id}/rotate`, {}],
      ['DELETE', `${own}/secrets/${secret.id}`],
      ['GET', `${own}/status`],
      ['POST', `${own}/test`, {}],
      ['GET', `${own}/log`],
      ['GET', `${own}/received`],
      ['GET', `${own}/received/${received.requestId}`],
    ] as const)
      expect((await go(method, path, body)).status).toBe(404)
    for (const [path, list] of [
      ['/connections', 'connections'],
      ['/users', 'users'],
      ['/groups', 'groups'],
      ['/activity', 'activity'],
    ] as const)
      expect((await go('GET', `${path}?tenant=acme`)).body[list]).toEqual([])
    const theirs = await connected(harness, await harness.open({ tenant: 'globex' }))
    const mixed = `${theirs.own}/secrets/${secret.id}`
    expect((await go('DELETE', mixed)).status).toBe(404)
    expect((await go('POST', `${mixed}/rotate`, {})).status).toBe(404)
    expect((await theirs.send('GET', '/Users')).body.totalResults).toBe(0)
  })

  test('DP-8 who may only look changes nothing and sees no bodies', async () => {
    const harness = createHarness()
    const { own, secret, add } = await connected(harness)
    await add('ada@corp.example')
    const { go } = await harness.open({ permission: 'view' })
    for (const [method, path] of [
      ['POST', '/connections'],
      ['PATCH', own],
      ['DELETE', own],
      ['POST', `${own}/secrets`],
      ['POST', `${own}/secrets/${secret.id}/rotate`],
      ['DELETE', `${own}/secrets/${secret.id}`],
      ['POST', `${own}/test`],
      ['GET', `${own}/received`],
      ['GET', `${own}/received/x`],
    ] as const) {
      const answer = await go(method, path, method === 'GET' ? undefined : {})
      expect([answer.status, answer.body.error.code]).toEqual([403, 'forbidden'])
    }
    const { entries } = (await go('GET', `${own}/log`)).body
    expect(entries[0]).toMatchObject({ name: 'ada@corp.example', clientAddress: null })
    expect((await go('DELETE', '/session')).status).toBe(204)
  })

  test('DP-45 who did what is kept', async () => {
    const harness = createHarness()
    const { go, own, secret, connection } = await connected(harness)
    await go('PATCH', own, { paused: true })
    await go('POST', `${own}/secrets/${secret.id}/rotate`, {})
    const { activity } = (await go('GET', '/activity')).body
    const act = (action: string, target: string) => ({ actor: 'mira@corp.example', action, target })
    expect(activity).toMatchObject([
      act('secret.rotated', secret.id),
      act('connection.paused', connection.id),
      act('connection.created', connection.id),
    ])
    const page = (await go('GET', '/activity?limit=2')).body
    const rest = (await go('GET', `/activity?limit=2&after=${page.next}`)).body
    expect(rest.activity).toMatchObject([act('connection.created', connection.id)])
    expect(rest.next).toBeNull()
  })
})
