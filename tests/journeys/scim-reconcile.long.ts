import { expect, test } from 'vitest'
import { startService } from './service.ts'

const TOKEN = 'a-static-token-of-the-directory'
const RECONCILE = '/api/v1/scim/reconcile'

interface Report {
  readonly total: number
  readonly counts: Record<string, number>
  readonly rows: readonly {
    readonly id: string
    readonly userName: string
    readonly reasons: readonly { readonly reason: string; readonly since: string }[]
  }[]
}

test('SF-63 SF-64 the report of a server, and an account that is linked by hand', async () => {
  const { service, end } = await startService({
    SCIM_ENABLED: 'true',
    SCIM_TOKEN: TOKEN,
    SERVICE_NEW_USER_IS_ACTIVE: 'true',
  })
  const scim = (method: string, path: string, body?: object) =>
    service.call(method, `/api/v1/scim/v2${path}`, {
      key: null,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body !== undefined && { body }),
    })
  const report = async (query = '') =>
    (await service.call('GET', `${RECONCILE}${query}`)).json() as Report
  const reasonsOf = async (userName: string) => {
    const { rows } = await report()
    return rows.find((row) => row.userName === userName)?.reasons.map(({ reason }) => reason)
  }
  try {
    for (const userName of ['=1+1@corp.example', 'bob@corp.example'])
      expect((await scim('POST', '/Users', { userName })).status).toBe(201)
    const local = { username: 'carol@corp.example', password: 'correct horse battery' }
    const made = await service.call('POST', '/api/v1/users/', { body: local })
    const account = (made.json() as { id: string }).id
    const refused = await scim('POST', '/Users', { userName: local.username })
    expect([refused.status, (refused.json() as { detail: string }).detail]).toEqual([
      409,
      expect.stringContaining('SCIM_ADOPT_USERS') as string,
    ])
    await expect.poll(() => reasonsOf(local.username)).toEqual(['unmanaged', 'refused-create'])
    const compared = await service.call('POST', RECONCILE, {
      body: 'userName\nbob@corp.example\n',
      headers: { 'content-type': 'text/csv' },
    })
    expect(compared.json()).toMatchObject({ suspicious: false, notListed: { count: 1 } })
    await expect.poll(() => reasonsOf('=1+1@corp.example')).toEqual(['not-listed'])
    expect((await report('?reason=not-listed')).total).toBe(1)
    const page = await report('?startIndex=2&count=1')
    expect([page.rows.length, page.total]).toEqual([1, (await report()).total])
    for (const query of ['?reason=x', '?active=1', '?count=0', '?count=1001', '?startIndex=0'])
      expect((await service.call('GET', `${RECONCILE}${query}`)).status).toBe(400)
    const csv = await service.call('GET', `${RECONCILE}?reason=not-listed`, {
      headers: { accept: 'text/csv' },
    })
    expect(csv.headers.get('content-type')).toContain('text/csv')
    const [head, row] = csv.text.split('\r\n')
    expect(head).toBe(
      'id,userName,externalId,active,reasons,since,lastSeenAt,lastWrittenAt,connectionId',
    )
    expect(row).toContain(",'=1+1@corp.example,")

    const link = (body: object) => service.call('POST', `${RECONCILE}/link`, { body })
    const linked = await link({ account, userName: 'carol@corp.example' })
    expect([linked.status, (linked.json() as { id: string }).id]).toEqual([201, account])
    await expect.poll(() => service.output()).toContain('"adopted":"manual"')
    expect(await reasonsOf(local.username)).toEqual(['never-confirmed'])
    const superuser = (await report('?reason=unmanaged')).rows[0]
    expect((await link({ account, userName: 'carol@corp.example' })).status).toBe(409)
    expect((await link({ account: superuser?.id, userName: 'x@corp.example' })).status).toBe(409)
    expect((await link({ account: 'nobody', userName: 'x@corp.example' })).status).toBe(404)
    expect((await link({ account })).status).toBe(400)
    expect((await scim('GET', `/Users/${account}`)).status).toBe(200)
    const stranger = await service.call('GET', RECONCILE, { key: null })
    expect(stranger.status).toBe(401)
    await service.restart({ environment: { SCIM_RECONCILE: 'false' } })
    expect((await service.call('GET', RECONCILE)).status).toBe(404)
  } finally {
    await end()
  }
})
