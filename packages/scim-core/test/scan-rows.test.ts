import { ALL_SCOPES, ScimConfigError } from '@x/scim-core'
import { createScanStore, type ScanUser } from '@x/scim-core/scan'
import { describe, expect, test } from 'vitest'
import { createArrayHost, type ArrayHost } from './scan-host.ts'
import { createScim, list } from './support.ts'

const TENANT = 'default'
const DAY = new Date('2030-01-02T00:00:00Z')

function setUp(users: readonly ScanUser[], more: Partial<ArrayHost> = {}) {
  const host = { ...createArrayHost({ honoursWant: true }), ...more }
  host.rowsOf(TENANT).users.push(...users)
  return { host, scim: createScim({ store: createScanStore(host) }) }
}

describe('SF-39 times that the host does not keep', () => {
  const rows = [{ id: '1', userName: 'a@corp.example', created: DAY }]

  test.each([
    ['filter=meta.lastModified gt "2020-01-01T00:00:00Z"', 'invalidFilter', 'lastModified'],
    ['filter=active eq true and not (meta.lastModified pr)', 'invalidFilter', 'lastModified'],
    ['sortBy=meta.lastModified', 'invalidValue', 'lastModified'],
  ])('%s is %s', async (query, scimType, time) => {
    const { scim } = setUp(rows)
    const detail = `This store keeps no meta.${time}.`
    expect(await scim.get(`/Users?${query}`)).toMatchObject({
      status: 400,
      body: { scimType, detail },
    })
    const kept = setUp(rows.map((row) => ({ ...row, lastModified: DAY }))).scim
    expect((await kept.get(`/Users?${query}`)).status).toBe(200)
  })

  test('a time that is kept can be filtered by, and groups follow the same rule', async () => {
    const { host, scim } = setUp(rows)
    expect(await scim.names('meta.created ge "2030-01-02T00:00:00Z"')).toEqual(['a@corp.example'])
    host.rowsOf(TENANT).groups.push({ id: 'g', displayName: 'Team' })
    const answer = await scim.get('/Groups?filter=meta.created pr')
    expect(answer.body['detail']).toBe('This store keeps no meta.created.')
  })
})

describe('SF-40 a store that forgets deleted users', () => {
  test('does not pretend to keep them', () => {
    const store = createScanStore(createArrayHost({ honoursWant: true }))
    expect(() => createScim({ store, deleteUser: 'tombstone' })).toThrow(
      expect.objectContaining({ option: 'deleteUser' }),
    )
  })

  test('a connection that asks for it gets 500, and the user stays as it was', async () => {
    const host = createArrayHost({ honoursWant: true })
    host.rowsOf(TENANT).users.push({ id: '1', userName: 'a@corp.example' })
    const settings = { deleteUser: 'tombstone' } as const
    const principal = {
      id: 'c',
      tenant: TENANT,
      scopes: ALL_SCOPES,
      kind: 'token',
      settings,
    } as const
    const scim = createScim({
      store: createScanStore(host),
      auth: { kind: 'bearer', authenticate: async () => principal },
    })
    expect((await scim.delete('/Users/1')).status).toBe(500)
    expect(scim.errors).toEqual([expect.any(ScimConfigError)])
    expect((await scim.get('/Users/1')).body['active']).toBe(true)
    expect(host.saves).toEqual([])
  })
})

describe('SF-41 rows without e-mails', () => {
  const named = (value: string) => [{ value, type: 'work', primary: true }]
  const rows = [{ id: '1', userName: 'a@corp.example', attributes: { title: 'T' } }]

  test('are shown and found by the userName, which is not saved', async () => {
    const { host, scim } = setUp(rows, { defaultEmail: 'userName' })
    expect((await scim.get('/Users/1')).body['emails']).toEqual(named('a@corp.example'))
    expect(await scim.names('emails[type eq "work"].value eq "A@corp.example"')).toEqual([
      'a@corp.example',
    ])
    await scim.patch('/Users/1', [{ op: 'replace', path: 'title', value: 'U' }])
    expect(host.rowsOf(TENANT).users[0]?.attributes).toEqual({ title: 'U' })
    await scim.patch('/Users/1', [{ op: 'replace', path: 'userName', value: 'b@corp.example' }])
    expect((await scim.get('/Users/1')).body['emails']).toEqual(named('b@corp.example'))
  })

  test('keep what a write sets', async () => {
    const { host, scim } = setUp(rows, { defaultEmail: 'userName' })
    const operations = [
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'c@d.example' },
    ]
    await scim.patch('/Users/1', operations)
    expect(host.rowsOf(TENANT).users[0]?.attributes?.['emails']).toEqual(named('c@d.example'))
    const { scim: plain } = setUp(rows)
    expect((await plain.get('/Users/1')).body).not.toHaveProperty('emails')
    expect(list((await plain.get('/Users')).body['Resources'])).toHaveLength(1)
  })
})
