import { describe, expect, test } from 'vitest'
import { createHarness, USER, type Harness } from './support.ts'

async function connected(harness: Harness) {
  const { go } = await harness.open()
  const { connection, secret } = (await go('POST', '/connections', { provider: 'entra' })).body
  const send = (method: string, path: string, body?: unknown) =>
    harness.scim(method, path, body, secret.token)
  return { go, send, own: `/connections/${connection.id}` }
}

const outcomes = (entries: readonly { readonly outcome: string }[]) =>
  entries.map(({ outcome }) => outcome)

describe('what arrived', () => {
  test('DP-33 what was not stored is named with its reason', async () => {
    const { go, send, own } = await connected(createHarness())
    await send('POST', '/Users', {
      schemas: [USER],
      userName: 'ada@corp.example',
      shoeSize: '38',
      'urn:example:ext:1.0:User': { tag: 'b' },
      id: 'mine',
      password: 'hunter2',
      meta: { resourceType: 'x' },
      groups: [{ value: 'x' }],
      name: { givenName: 'Ada', nick: 'x' },
      [USER]: { userName: 'other@corp.example', hat: 1 },
    })
    const [{ requestId, userName, op }] = (await go('GET', `${own}/received`)).body.received
    expect([userName, op]).toEqual(['ada@corp.example', 'create'])
    const { body } = await go('GET', `${own}/received/${requestId}`)
    expect(body.ignored).toEqual(
      expect.arrayContaining([
        { path: 'shoeSize', reason: 'unknown_attribute', value: '38' },
        { path: 'urn:example:ext:1.0:User', reason: 'unknown_extension', value: { tag: 'b' } },
        { path: 'name.nick', reason: 'unknown_attribute', value: 'x' },
        { path: `${USER}:userName`, reason: 'given_twice', value: 'other@corp.example' },
        { path: `${USER}:hat`, reason: 'unknown_attribute', value: 1 },
      ]),
    )
    expect(body.ignored).toHaveLength(5)
    expect(body.raw).toMatchObject({ userName: 'ada@corp.example', password: '(not kept)' })
    expect(JSON.stringify(body)).not.toContain('hunter2')
    expect(body.stored).toMatchObject({ userName: 'ada@corp.example' })
    expect(body.host).toEqual(
      expect.arrayContaining([{ label: 'userName', value: 'ada@corp.example' }]),
    )
  })

  test('DP-34 passwords of PATCH are not kept either; what is gone is null', async () => {
    const { go, send, own } = await connected(createHarness())
    const made = await send('POST', '/Users', { schemas: [USER], userName: 'ada@corp.example' })
    const path = `/Users/${made.body.id}`
    for (const operation of [
      { op: 'replace', path: 'password', value: 'hunter2' },
      { op: 'replace', path: `${USER}:password`, value: 'hunter2' },
      { op: 'add', value: { Password: 'hunter2', title: 'x' } },
    ])
      await send('PATCH', path, { Operations: [operation] })
    const { received } = (await go('GET', `${own}/received`)).body
    expect(received).toHaveLength(4)
    const bodies = []
    for (const { requestId } of received)
      bodies.push((await go('GET', `${own}/received/${requestId}`)).body)
    expect(JSON.stringify(bodies)).not.toContain('hunter2')
    expect((await go('GET', `${own}/received/none`)).status).toBe(404)
  })

  test('DP-35 each request has its outcome', async () => {
    const harness = createHarness()
    const { go, send, own } = await connected(harness)
    const body = { schemas: [USER], userName: 'ada@corp.example' }
    await send('GET', '/ServiceProviderConfig')
    await send('GET', '/Users?filter=userName%20eq%20%22ada@corp.example%22')
    const { id } = (await send('POST', '/Users', body)).body
    await send('GET', '/Users?filter=userName%20eq%20%22ada@corp.example%22')
    await send('POST', '/Users', body)
    const patch = (value: object) =>
      send('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', value }] })
    await patch({ displayName: 'Ada' })
    await patch({ displayName: 'Ada' })
    await patch({ active: false })
    await patch({ active: true })
    await patch({ active: 'perhaps' })
    const group = (await send('POST', '/Groups', { displayName: 'Staff' })).body.id
    const member = { op: 'add', path: 'members', value: [{ value: id }] }
    await send('PATCH', `/Groups/${group}`, { Operations: [member] })
    await send('GET', '/Users/none')
    await send('DELETE', `/Groups/${group}`)
    await send('DELETE', `/Users/${id}`)
    await send('GET', '/v2/Users')
    const { entries } = (await go('GET', `${own}/log`)).body
    expect(outcomes(entries).toReversed()).toEqual([
      'discovery',
      'not_found',
      'created',
      'found',
      'conflict',
      'updated',
      'unchanged',
      'deactivated',
      'activated',
      'invalid',
      'created',
      'members_changed',
      'not_found',
      'deleted',
      'deactivated',
      'not_found',
    ])
    const [last] = entries
    expect(last).toMatchObject({ op: 'other', status: 404, clientAddress: '198.51.100.7' })
    const ofAda = (await go('GET', `${own}/log?search=ADA%40corp&outcome=created`)).body.entries
    expect(ofAda).toMatchObject([
      { name: 'ada@corp.example', resourceId: id, changed: expect.arrayContaining(['userName']) },
    ])
    expect((await go('GET', `${own}/log?outcome=x`)).status).toBe(400)
    const page = (await go('GET', `${own}/log?limit=5`)).body
    const next = (await go('GET', `${own}/log?limit=200&after=${page.next}`)).body
    expect([...page.entries, ...next.entries]).toEqual(entries)
    expect(next.next).toBeNull()
    const values = JSON.stringify(entries)
    expect(values).not.toContain('Bearer')
    expect(values).not.toContain('perhaps')
  })

  test('DP-15, DP-36 the state goes from waiting over received to connected', async () => {
    const harness = createHarness()
    const { go, send, own } = await connected(harness)
    const now = async (query = '') => (await go('GET', `${own}/status${query}`)).body
    expect(await now()).toMatchObject({
      state: 'waiting',
      requests: 0,
      lastRequest: null,
      firstUser: null,
      findings: [{ name: 'no_request', message: 'No request has arrived yet.' }],
    })
    expect((await now('?language=de')).findings[0].message).toBe(
      'Es ist noch keine Anfrage angekommen.',
    )
    await send('GET', '/Users')
    expect(await now()).toMatchObject({ state: 'received', requests: 1 })
    await send('POST', '/Users', { schemas: [USER], userName: 'ada@corp.example' })
    expect(await now()).toMatchObject({
      state: 'connected',
      firstUser: { userName: 'ada@corp.example' },
      lastRequest: { outcome: 'created' },
    })
    expect((await now()).findings[0]).toMatchObject({ name: 'first_user', level: 'ok' })
    for (const query of ['?wait=26', '?wait=x', '?since=-1'])
      expect((await go('GET', `${own}/status${query}`)).status).toBe(400)
  })

  test('DP-36 a request waits for news, at most four of a session', async () => {
    const harness = createHarness()
    const { go, send, own } = await connected(harness)
    const { cursor } = (await go('GET', `${own}/status`)).body
    const answered: { state?: string; error?: { code: string } }[] = []
    const wait = async (): Promise<void> => {
      answered.push((await go('GET', `${own}/status?since=${cursor}&wait=25`)).body)
    }
    const waiting = [wait(), wait(), wait(), wait(), wait()]
    await expect.poll(() => answered.length).toBe(1)
    expect(answered[0]?.error?.code).toBe('too_many_requests')
    await harness.runtime.advance(3_000)
    expect(answered).toHaveLength(1)
    await send('GET', '/Users')
    await harness.written()
    await Promise.all(waiting)
    expect(answered.slice(1).map(({ state }) => state)).toEqual(Array(4).fill('received'))
    const later = (await go('GET', `${own}/status`)).body.cursor
    let isOver = false
    const nothing = go('GET', `${own}/status?since=${later}&wait=2`).finally(() => {
      isOver = true
    })
    await expect
      .poll(async () => {
        await harness.runtime.advance(500)
        return isOver
      })
      .toBe(true)
    expect((await nothing).body.state).toBe('received')
  })

  test('DP-38 findings name what is wrong and what to do, in the language of the session', async () => {
    const harness = createHarness()
    const { send, own } = await connected(harness)
    const body = { schemas: [USER], userName: 'ada@corp.example', shoeSize: 1 }
    await send('POST', '/Users', body)
    await send('POST', '/Users', body)
    await send('POST', '/Users', { ...body, userName: 'no e-mail' })
    await send('GET', '/v2/Users')
    const { go } = await harness.open({ language: 'fr' })
    const { findings } = (await go('POST', `${own}/test`, {})).body
    const byName = new Map<string, { level: string; message: string; values: object }>(
      findings.map((one: { name: string }) => [one.name, one]),
    )
    expect([...byName.keys()].toSorted()).toEqual([
      'first_user',
      'invalid_user_name',
      'user_conflict',
      'values_ignored',
      'wrong_path',
    ])
    expect(byName.get('wrong_path')).toMatchObject({ values: { path: '/scim/v2/v2/Users' } })
    expect(byName.get('user_conflict')?.message).toContain('n’a pas pu être écrit')
    expect(byName.get('values_ignored')).toMatchObject({ values: { paths: 'shoeSize' } })
    expect(JSON.stringify(findings)).not.toMatch(/\{\w+\}/)
  })

  test('DP-37 the log is written in batches, and what is left when it is closed', async () => {
    const harness = createHarness()
    const { send } = await connected(harness)
    let batches = 0
    const append = harness.store.log.append.bind(harness.store.log)
    Object.assign(harness.store.log, {
      append(...given: Parameters<typeof append>) {
        batches += 1
        return append(...given)
      },
    })
    for (let n = 0; n < 30; n += 1) await send('GET', '/Users')
    expect(batches).toBe(0)
    await harness.runtime.advance(200)
    expect(batches).toBe(1)
    await send('GET', '/Users')
    await harness.log.close()
    expect(batches).toBe(2)
    await send('GET', '/Users')
    await harness.runtime.advance(1_000)
    expect(batches).toBe(2)
    expect(harness.errors).toEqual([])
  })

  test('DP-37 an error of the store is told, and requests are answered', async () => {
    const harness = createHarness()
    const { send } = await connected(harness)
    Object.assign(harness.store.log, { append: () => Promise.reject(new Error('no database')) })
    expect((await send('GET', '/Users')).status).toBe(200)
    await harness.runtime.advance(200)
    expect(harness.errors).toMatchObject([{ message: 'no database' }])
  })

  test('DP-39 a connection whose requests fail is failing', async () => {
    const harness = createHarness()
    const { go, send, own } = await connected(harness)
    for (let n = 0; n < 18; n += 1) await send('GET', '/Users/none')
    for (let n = 0; n < 2; n += 1) await send('POST', '/Users', { userName: 'no e-mail' })
    const { state, alarms } = (await go('GET', `${own}/status`)).body
    expect(state).toBe('failing')
    expect(alarms).toMatchObject([{ name: 'failing', values: { failed: 2, requests: 20 } }])
  })

  test('DP-44 users and groups, searched and in pages', async () => {
    const harness = createHarness()
    const { go, send } = await connected(harness)
    const ids = []
    for (const name of ['ada', 'bob', 'cleo']) {
      await harness.runtime.advance(1)
      ids.push(
        (
          await send('POST', '/Users', {
            schemas: [USER],
            userName: `${name}@corp.example`,
            displayName: `Dr. ${name} "x" \\`,
            active: name !== 'bob',
          })
        ).body.id,
      )
    }
    await send('POST', '/Groups', { displayName: 'Staff', members: [{ value: ids[0] }] })
    const names = async (query: string) => {
      const { users, total } = (await go('GET', `/users?${query}`)).body
      return [users.map(({ userName }: { userName: string }) => userName.split('@')[0]), total]
    }
    expect(await names('')).toEqual([['ada', 'bob', 'cleo'], 3])
    expect(await names('state=in')).toEqual([['ada', 'cleo'], 2])
    expect(await names('state=out')).toEqual([['bob'], 1])
    expect(await names('search=LEO')).toEqual([['cleo'], 1])
    expect(await names('search=%22x%22%20%5C')).toEqual([['ada', 'bob', 'cleo'], 3])
    expect(await names('search=nobody')).toEqual([[], 0])
    expect((await go('GET', '/users?state=x')).status).toBe(400)
    const page = (await go('GET', '/users?limit=2')).body
    const rest = (await go('GET', `/users?limit=2&after=${page.next}`)).body
    expect(rest.users).toMatchObject([{ userName: 'cleo@corp.example', state: 'active' }])
    expect(rest.next).toBeNull()
    expect(page.users[0]).toMatchObject({ groups: ['Staff'], since: expect.any(String) })
    expect((await go('GET', '/groups')).body).toMatchObject({
      groups: [{ displayName: 'Staff', members: 1, role: null }],
      total: 1,
      next: null,
    })
  })

  test('DP-26 providers have steps with the names of their console, in each language', async () => {
    const { go } = await connected(createHarness())
    const { providers } = (await go('GET', '/providers')).body
    const find = (id: string) => providers.find((one: { id: string }) => one.id === id)
    expect(providers.map(({ id }: { id: string }) => id)).toEqual([
      'entra',
      'okta',
      'google',
      'onelogin',
      'jumpcloud',
      'ping',
      'other',
    ])
    for (const [id, words] of [
      [
        'entra',
        ['Create your own application', 'Tenant URL', 'Secret token', 'Start provisioning'],
      ],
      ['okta', ['SCIM connector base URL', 'HTTP Header', 'Push Groups', 'Deactivate']],
      ['google', ['Web and mobile apps', 'Autoprovisioning', 'Endpoint URL']],
      ['onelogin', ['SCIM Base URL', 'SCIM Bearer Token', 'Rules']],
      ['jumpcloud', ['Identity Management', 'Token Key', 'Test User Email', 'User Groups']],
      ['ping', ['SCIM Outbound', 'userName Eq', 'New Rule']],
    ] as const)
      for (const word of words) expect(JSON.stringify(find(id))).toContain(word)
    expect(find('entra').cycleMinutes).toBe(40)
    const german = (await go('GET', '/providers?language=de')).body.providers
    expect(german[0].steps[0].title).toBe('Anwendung anlegen')
    expect(JSON.stringify(german)).not.toMatch(/\{\w+\}/)
  })
})
