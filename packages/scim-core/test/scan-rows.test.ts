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

describe('HO-60 ids of the host', () => {
  const body = (userName: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
  })

  test('rows to insert get the ids that newId gives out', async () => {
    let next = 40
    const asked: string[] = []
    const newId = async (kind: string, tenant: string) => {
      asked.push(`${kind} ${tenant}`)
      return String((next += 1))
    }
    const host = { ...createArrayHost({ honoursWant: true }), newId, onGroupWrite: () => undefined }
    const scim = createScim({ store: createScanStore(host) })
    const made = await scim.post('/Users', body('a@corp.example'))
    expect([made.status, made.body['id']]).toEqual([201, '41'])
    expect((await scim.get('/Users/41')).body['userName']).toBe('a@corp.example')
    const group = await scim.post('/Groups', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Team',
      members: [{ value: '41' }],
    })
    expect([group.status, group.body['id']]).toEqual([201, '42'])
    expect(asked).toEqual(['user default', 'group default'])
    expect((await scim.get('/Groups/42')).body['members']).toMatchObject([{ value: '41' }])
  })

  test.each([
    ['1/2', 'newId must return 1 to 128 characters without /, got "1/2"'],
    ['', 'newId must return 1 to 128 characters without /, got ""'],
    [7, 'newId must return 1 to 128 characters without /, got 7'],
    ['taken', 'newId returned the id of another user: taken'],
  ])('%j is an error of the host', async (id, message) => {
    const reported: unknown[] = []
    const host = { ...createArrayHost({ honoursWant: true }), newId: async () => id as string }
    host.rowsOf(TENANT).users.push({ id: 'taken', userName: 'b@corp.example' })
    const onError = (error: unknown): void => void reported.push(error)
    const scim = createScim({ store: createScanStore(host), onError })
    expect((await scim.post('/Users', body('a@corp.example'))).status).toBe(500)
    expect(reported.map((error) => (error as Error).message)).toEqual([message])
    expect(host.rowsOf(TENANT).users).toHaveLength(1)
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
