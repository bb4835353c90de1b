import type { ScimAuditEntry } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, list, USER, type Harness } from './support.ts'

const NAME = 'ada@corp.example'
const CUSTOM = 'urn:ietf:params:scim:schemas:extension:custom:2.0:User'

async function withUser(more: object = {}) {
  const entries: ScimAuditEntry[] = []
  const scim = createScim({ audit: (entry) => void entries.push(entry) })
  const id = await scim.user(NAME, more)
  const path = `/Users/${id}`
  const patch = (...operations: object[]) => scim.patch(path, operations)
  const shown = async () => (await scim.get(path)).body
  return { scim, id, path, patch, shown, entries }
}

describe('SF-1 a name never refuses, a value may', () => {
  const unknown = { shoe: 1, name: { shoe: 1 }, emails: [{ shoe: 1, value: 'e@corp.example' }] }
  const custom = { [CUSTOM]: { shoe: 1 }, [E]: { shoe: 1 }, [`${E}:shoe`]: 1 }
  const body = { ...unknown, ...custom, userName: 'b@corp.example' }

  test('in bodies and paths', async () => {
    const { scim, path, patch } = await withUser()
    expect((await scim.post('/Users', body)).status).toBe(201)
    expect((await scim.put(path, { ...body, userName: NAME, emails: [] })).status).toBe(200)
    expect((await patch({ op: 'add', value: { ...unknown, ...custom } })).status).toBe(200)
    expect((await patch({ op: 'remove', path: CUSTOM })).status).toBe(200)
    expect((await scim.post('/Groups', { displayName: 'g', shoe: 1 })).status).toBe(201)
    expect((await scim.post('/Users', { ...body, userName: 7 })).status).toBe(400)
  })

  test('filters and orders refuse them, and so do bodies where the host says so', async () => {
    const { scim } = await withUser()
    const filter = await scim.get('/Users?filter=shoe%20eq%201')
    expect(filter.body['scimType']).toBe('invalidFilter')
    expect((await scim.get('/Users?sortBy=shoe')).status).toBe(400)
    const strict = createScim({ unknownAttributes: 'reject' })
    expect((await strict.post('/Users', body)).status).toBe(400)
    const id = await strict.user(NAME)
    const operations = [{ op: 'add', path: `${CUSTOM}:shoe`, value: 1 }]
    expect((await strict.patch(`/Users/${id}`, operations)).status).toBe(400)
  })

  test('what names a quirk is a switch', async () => {
    const plain = createScim({ quirks: 'none' })
    const id = await plain.user(NAME, { schemas: [USER] })
    const patch = async (operation: object) => {
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
      return (await plain.patch(`/Users/${id}`, { schemas, Operations: [operation] })).status
    }
    expect(await patch({ op: 'replace', path: 'active', value: false })).toBe(200)
    expect(await patch({ op: 'Replace', path: 'active', value: false })).toBe(400)
    expect(await patch({ op: 'replace', path: 'active', value: 'False' })).toBe(400)
    expect(await patch({ op: 'add', path: `${CUSTOM}:shoe`, value: 1 })).toBe(400)
    expect(await patch({ op: 'add', path: `${E}.department`, value: 'D' })).toBe(400)
    expect(await patch({ op: 'add', path: 'roles', value: ['A'] })).toBe(400)
  })
})

describe('SF-4 a deactivation applies whatever else the request names', () => {
  test.each([
    { op: 'Add', path: `${CUSTOM}:tag`, value: 'b' },
    { op: 'Replace', path: `${CUSTOM}:tags[type eq "a"].value`, value: 'b' },
    { op: 'Remove', path: CUSTOM },
    { op: 'Add', path: `${E}:shoeSize`, value: 43 },
    { op: 'Add', path: 'tag', value: 'b' },
    { op: 'Add', path: 'emails[type eq "work"].foo', value: 'b' },
    { op: 'Replace', path: 'schemas', value: [USER] },
    { op: 'Add', value: { [CUSTOM]: { tag: 'b' }, nothing: 1 } },
  ])('%j', async (other) => {
    const forms = [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'replace', value: { active: false } },
      { op: 'replace', value: '{"active":"false"}' },
      { op: 'replace', path: `${USER}:active`, value: ['False'] },
      { op: 'replace', path: 'active', value: { value: 'False' } },
      { op: 'replace', path: 'active', value: [{ value: false }] },
      { op: 'replace', path: USER, value: { active: false } },
    ]
    for (const form of forms) {
      const { patch, shown } = await withUser()
      expect((await patch(other, form)).status).toBe(200)
      expect(await shown()).toMatchObject({ active: false })
    }
  })

  test('an unknown bare name alone stays invalidPath, an unknown URN changes nothing', async () => {
    const { patch, shown } = await withUser()
    const before = await shown()
    expect((await patch({ op: 'add', path: 'tag', value: 'x' })).body['scimType']).toBe(
      'invalidPath',
    )
    expect((await patch({ op: 'add', path: `${CUSTOM}:tag`, value: 'x' })).status).toBe(200)
    expect(await shown()).toEqual(before)
  })

  test('a readOnly attribute may be set to the value that it has', async () => {
    const { id, patch } = await withUser()
    expect((await patch({ op: 'replace', path: 'id', value: id })).status).toBe(200)
    expect((await patch({ op: 'replace', path: 'groups', value: [] })).status).toBe(200)
    expect((await patch({ op: 'replace', path: 'id', value: 'x' })).body['scimType']).toBe(
      'mutability',
    )
  })
})

test('SF-2 the audit entry names what was ignored and adjusted, without values', async () => {
  const { patch, entries } = await withUser({ costCentre: 'secret', externalId: 7 })
  expect(entries[0]).toMatchObject({ ignored: ['costCentre'], adjusted: ['externalId'] })
  const operations = Array.from({ length: 25 }, (_, index) => ({
    op: 'add',
    path: `${CUSTOM}:tag${index}`,
    value: 'secret',
  }))
  await patch(...operations)
  expect(entries[1]?.ignored).toHaveLength(20)
  expect(entries[1]?.ignoredCount).toBe(25)
  const [filtered, name] = [
    'emails[type eq "secret"].foo',
    'phoneNumbers[value eq "secret"].foo.bar',
  ]
  await patch({ op: 'add', value: { [filtered]: 1, [name]: 1 } })
  expect(entries[2]?.ignored).toEqual(['emails[...].foo', 'phoneNumbers[...]'])
  expect(JSON.stringify(entries)).not.toContain('secret')
})

test('SF-2 what a body sends in vain is named in its order, once', async () => {
  const { entries } = await withUser({
    first: 1,
    [E]: { tag: 1, department: 'D' },
    emails: [
      { value: 'w@corp.example', tag: 1 },
      { value: 'v@corp.example', tag: 2 },
    ],
    [CUSTOM]: { tag: 1 },
    name: { givenName: 'A', tag: 1 },
    last: 1,
  })
  const [extension, mails] = [`${E}:tag`, 'emails.tag']
  expect(entries[0]?.ignored).toEqual(['first', extension, mails, CUSTOM, 'name.tag', 'last'])
})

test('SF-2 what members have besides their id is named too', async () => {
  const { scim, id, entries } = await withUser()
  const members = [{ value: id, Display: 'd', $ref: 'r', type: 'User', team: 'x' }]
  await scim.post('/Groups', { displayName: 'g', members })
  expect(entries[1]?.ignored).toEqual(['members.team'])
})

test.each([
  [{ phoneNumbers: [{ value: true }] }, 'phoneNumbers.value must be a string.'],
  [{ [E]: { manager: { value: true } } }, `${E}:manager.value must be a string.`],
  [{ name: { givenName: {} } }, 'name.givenName must be a string.'],
])('SF-3 %j names the attribute by its full path', async (more, detail) => {
  const { body } = await createScim().post('/Users', { userName: NAME, ...more })
  expect(body).toMatchObject({ status: '400', scimType: 'invalidValue', detail })
})

test('SF-5 SF-7 a dot after a URN, older URNs and bare names in paths and filters', async () => {
  const { scim, patch, shown } = await withUser({ employeeNumber: 7 })
  await patch(
    { op: 'Add', path: `${E}.department`, value: 'Sales' },
    { op: 'Add', path: `${USER}.title`, value: 'T' },
    { op: 'Add', path: 'urn:scim:schemas:extension:enterprise:1.0:division', value: 'D' },
    { op: 'Add', value: { [`${E}.costCenter`]: 'C', organization: 'O' } },
  )
  expect(await shown()).toMatchObject({
    title: 'T',
    [E]: {
      employeeNumber: '7',
      department: 'Sales',
      division: 'D',
      costCenter: 'C',
      organization: 'O',
    },
  })
  expect(await scim.names(`${E}.department eq "sales"`)).toEqual([NAME])
})

describe('SF-6 the core URN as an object', () => {
  test('what stands at the top counts', async () => {
    const { patch, shown } = await withUser({ title: 'top', [USER]: { title: 'x', nickName: 'n' } })
    expect(await shown()).toMatchObject({ title: 'top', nickName: 'n' })
    await patch({ op: 'replace', value: { [USER]: { title: 'y' } } })
    expect(await shown()).toMatchObject({ title: 'y', nickName: 'n' })
    expect((await patch({ op: 'remove', path: USER })).body['scimType']).toBe('noTarget')
    expect((await patch({ op: 'add', path: USER, value: 'x' })).body['scimType']).toBe(
      'invalidValue',
    )
  })

  test('a path of the URN and a colon deactivates as the URN does', async () => {
    const { patch, shown } = await withUser()
    await patch({ op: 'replace', path: `${USER}:`, value: { active: false } })
    expect(await shown()).toMatchObject({ active: false })
  })
})

test.each([
  ['roles', ['A', 7, '', null, { value: 'B' }], [{ value: 'A' }, { value: '7' }, { value: 'B' }]],
  ['entitlements', [{ value: 'A', displayName: 'a' }], [{ value: 'A', display: 'a' }]],
  ['phoneNumbers', ['1'], [{ value: '1' }]],
  ['x509Certificates', ['AAAA'], [{ value: 'AAAA' }]],
])('SF-8 SF-10 %s: %j', async (name, sent, kept) => {
  const posted = await withUser({ [name]: sent })
  expect((await posted.shown())[name]).toEqual(kept)
  const patched = await withUser()
  await patched.patch({ op: 'add', path: name, value: sent })
  expect((await patched.shown())[name]).toEqual(kept)
  await patched.patch({ op: 'remove', path: name, value: sent })
  expect(await patched.shown()).not.toHaveProperty(name)
})

test('SF-9 roles of Entra as JSON text are joined with what is there', async () => {
  const admin = { primary: false, type: 'WindowsAzureActiveDirectoryRole', value: 'Admin' }
  const { patch, shown } = await withUser({ roles: [{ ...admin, display: 'Admin' }] })
  const text = (value: string) => ({
    value: JSON.stringify({ id: '1', value, displayName: value }),
  })
  for (const op of ['Add', 'add']) {
    await patch({ op, path: 'roles', value: [text('Admin'), text('Auditor')] })
    expect((await shown())['roles']).toEqual([
      { ...admin, display: 'Admin' },
      { value: 'Auditor', display: 'Auditor' },
    ])
  }
  await patch({ op: 'replace', path: 'roles', value: [{ value: '{"a":1}' }] })
  expect((await shown())['roles']).toEqual([{ value: '{"a":1}' }])
})

test.each([
  [{ value: '{"id":"1","value":"Admin","displayName":"Administrator"}' }],
  [{ value: 'Admin', display: 'Another', primary: 'True' }],
  [{ value: 'Admin', type: 'app' }],
  ['Admin'],
])('SF-9 a role that is taken away is found by its value: %j', async (sent) => {
  const { patch, shown } = await withUser({ roles: [{ value: 'Admin', type: 'app' }, 'Auditor'] })
  await patch({ op: 'Remove', path: 'roles', value: [{ value: 'Admin', type: 'other' }] })
  expect((await shown())['roles']).toHaveLength(2)
  await patch({ op: 'Remove', path: 'roles', value: [sent] })
  expect((await shown())['roles']).toEqual([{ value: 'Auditor' }])
})

test.each([
  [701984, '701984'],
  [7.5, '7.5'],
  [0.0000001, '0.0000001'],
  [-0.00000015, '-0.00000015'],
])('SF-10 the number %d is the text %s', async (number, text) => {
  expect((await (await withUser({ title: number })).shown())['title']).toBe(text)
})

test('SF-10 a number that is not exact is refused', async () => {
  const { body } = await createScim().post('/Users', { userName: NAME, externalId: 2 ** 53 })
  expect(body['detail']).toBe(
    'externalId is a number too large to keep exactly; send it as a string.',
  )
})

test.each([[[]], [null], [''], [USER]])('SF-11 schemas: %j', async (schemas) => {
  const { scim, path } = await withUser()
  expect((await scim.post('/Users', { schemas, userName: 'b@corp.example' })).status).toBe(201)
  const Operations = [{ op: 'replace', path: 'title', value: 'N' }]
  expect((await scim.patch(path, { schemas, Operations })).status).toBe(200)
})

async function group(scim: Harness) {
  const ids = [await scim.user('m1@corp.example'), await scim.user('m2@corp.example')]
  return { ids, path: `/Groups/${await scim.group('g', ids)}` }
}

test('SF-12 nested lists of members, with and without path', async () => {
  const scim = createScim()
  const { ids, path } = await group(scim)
  const members = ids.map((value) => ({ value }))
  const idsNow = async () => list((await scim.get(path)).body['members']).length
  await scim.patch(path, [{ op: 'remove', path: 'members', value: { members: [members[0]] } }])
  expect(await idsNow()).toBe(1)
  await scim.patch(path, [{ op: 'add', path: 'members', value: { members } }])
  expect(await idsNow()).toBe(2)
  await scim.patch(path, [{ op: 'remove', value: { members } }])
  expect(await idsNow()).toBe(0)
  const refused = await scim.patch(path, [{ op: 'remove', value: { displayName: 'g' } }])
  expect(refused.body['scimType']).toBe('noTarget')
})

test('SF-13 repeated slashes count as one', async () => {
  const { scim, id } = await withUser()
  for (const path of [`//Users//${id}`, `/Users///${id}/`]) {
    expect((await scim.get(path)).body).toMatchObject({ id })
  }
  expect((await scim.send('DELETE', '/Users//')).status).toBe(405)
})

test('SF-14 empty parameters count as absent, an empty filter does not', async () => {
  const { scim } = await withUser()
  const { status } = await scim.get('/Users?startIndex=&count=&sortOrder=&sortBy=')
  expect(status).toBe(200)
  expect((await scim.get('/Users?filter=')).body['scimType']).toBe('invalidFilter')
  const spaced = '/Users?filter=meta.created%20gt%20%222001-01-01T00:00:00+00:00%22'
  expect((await scim.get(spaced)).body).toMatchObject({ totalResults: 1 })
})

describe('SF-16 SF-17 elements that lose their value', () => {
  const emails = [{ value: 'w@corp.example', type: 'work', primary: true }]

  test.each([
    { op: 'Remove', path: 'emails[type eq "work"].value' },
    { op: 'replace', path: 'emails[type eq "work"].value', value: '' },
    { op: 'replace', path: 'emails[type eq "work"].value', value: null },
    { op: 'replace', path: 'emails', value: [{ type: 'work' }] },
  ])('%j', async (operation) => {
    const { scim, patch, shown } = await withUser({ emails })
    await patch(operation)
    expect(await shown()).not.toHaveProperty('emails')
    expect(await scim.names('emails pr')).toEqual([])
  })

  test('an element that is emptied and filled in one request stays', async () => {
    const { patch, shown } = await withUser({ emails })
    await patch(
      { op: 'remove', path: 'emails[type eq "work"].value' },
      { op: 'add', path: 'emails[type eq "work"].value', value: 'n@corp.example' },
    )
    expect((await shown())['emails']).toEqual([{ ...emails[0], value: 'n@corp.example' }])
  })

  test.each(['emails.value', 'phoneNumbers.value', 'roles.value'])('add %s', async (path) => {
    const { patch, shown } = await withUser()
    await patch({ op: 'Add', path, value: 'x' })
    expect((await shown())[path.split('.')[0] ?? '']).toEqual([{ value: 'x' }])
  })
})

test.each([[[]], [{}], [''], [null], [{ value: '' }], [{ value: null }]])(
  'SF-18 manager %j unassigns, and so do empty objects',
  async (empty) => {
    const { patch, shown } = await withUser({ manager: 'm', name: { givenName: 'A' } })
    expect(await shown()).toMatchObject({ [E]: { manager: { value: 'm' } } })
    await patch({ op: 'replace', path: `${E}:manager`, value: empty })
    expect(await shown()).not.toHaveProperty([E])
    if (typeof empty === 'object' && empty !== null && 'value' in empty) return
    await patch({ op: 'replace', value: { name: empty } })
    expect(await shown()).not.toHaveProperty('name')
  },
)

test('SF-18 a manager by its $ref, and a blank reference', async () => {
  const { shown } = await withUser({
    profileUrl: ' ',
    manager: { $ref: 'https://host.example/Users/m1' },
  })
  expect(await shown()).toMatchObject({ [E]: { manager: { value: 'm1' } } })
  expect(await shown()).not.toHaveProperty('profileUrl')
})

test('SF-19 one address in two types keeps one primary', async () => {
  const two = (other: string) => [
    { value: 'a@x.example', type: 'work', primary: true },
    { value: other, type: 'home', primary: true },
  ]
  const { shown, patch } = await withUser({ emails: two('A@X.example') })
  expect(list((await shown())['emails'])).toMatchObject([{ primary: true }, { primary: false }])
  const refused = await patch({ op: 'replace', path: 'emails', value: two('b@x.example') })
  expect(refused.body['scimType']).toBe('invalidValue')
})

test.each([
  ['/Schemas/user', USER],
  ['/Schemas/Users', USER],
  ['/Schemas/EnterpriseUser', E],
  ['/ResourceTypes/Groups', 'Group'],
])('SF-20 %s', async (path, id) => {
  expect((await createScim().get(path)).body).toMatchObject({ id })
})

test('SF-47 JSON as text', async () => {
  const { scim, path, patch, shown } = await withUser()
  await patch({ op: 'replace', value: '{"title":"T"}' })
  expect(await shown()).toMatchObject({ title: 'T' })
  expect((await scim.patch(path, [{ op: 'replace', value: 'T' }])).body['scimType']).toBe(
    'invalidValue',
  )
})

test('SF-48 white space at the ends does not distinguish names of groups', async () => {
  const scim = createScim()
  await scim.group('Sales ')
  expect((await scim.post('/Groups', { displayName: ' sales' })).status).toBe(409)
  expect((await scim.post('/Groups', { displayName: ' \t' })).body['scimType']).toBe('invalidValue')
  const found = await scim.get('/Groups?filter=displayName%20eq%20%22%20SALES%22')
  expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'Sales ' }] })
})

test('SF-8 a string behind a filter in a path is the value of the element', async () => {
  const { patch, shown } = await withUser()
  await patch({ op: 'add', path: 'phoneNumbers[type eq "mobile"]', value: '123' })
  expect(await shown()).toMatchObject({ phoneNumbers: [{ type: 'mobile', value: '123' }] })
})

test('SF-18 a member is named by $ref, and removed by its value', async () => {
  const { scim, id } = await withUser()
  const path = `/Groups/${await scim.group('g')}`
  const value = [{ $ref: `https://scim.example/v2/Users/${id}` }]
  await scim.patch(path, [{ op: 'add', path: 'members', value }])
  expect((await scim.get(path)).body).toMatchObject({ members: [{ value: id }] })
  await scim.patch(path, [{ op: 'remove', path: `members[value eq "${id}"].value` }])
  expect((await scim.get(path)).body).toMatchObject({ members: [] })
  const elsewhere = [
    { op: 'add', path: 'members', value: [{ $ref: 'https://a.example/Devices/1' }] },
  ]
  expect((await scim.patch(path, elsewhere)).status).toBe(400)
})

test('SF-47 a compressed body is refused as such', async () => {
  const scim = createScim()
  const sent = await scim.post('/Users', { userName: NAME }, { 'content-encoding': 'gzip' })
  expect(sent.status).toBe(415)
})
