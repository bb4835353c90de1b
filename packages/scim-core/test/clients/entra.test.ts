import { expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, GROUP, list, PATCH, USER } from '../support.ts'

const VENDOR_GROUP = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'

test('SC-60 Entra ID: the life cycle of a user', async () => {
  const scim = createScim()
  const probe = await scim.get('/Users?filter=userName eq "a5d3b1c2-4f0e-4b7a-9c2d-000000000000"')
  expect(probe.body).toMatchObject({ totalResults: 0, Resources: [] })

  const created = await scim.post('/Users', {
    schemas: [USER, E],
    externalId: 'ada',
    userName: 'ada@contoso.example',
    active: true,
    addresses: null,
    displayName: 'Ada Lovelace',
    emails: [{ type: 'work', value: 'ada@contoso.example', primary: true }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
    roles: [],
  })
  expect(created.status).toBe(201)
  const path = `/Users/${created.body.id}`
  const boss = await scim.user('boss@contoso.example', { displayName: 'Boss' })

  const found = await scim.get('/Users?filter=externalId eq "ada"&startIndex=1&count=1')
  expect(found.body).toMatchObject({
    totalResults: 1,
    Resources: [{ userName: 'ada@contoso.example' }],
  })

  const mixed = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [
      { op: 'Add', path: 'nickName', value: 'Countess' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada.l@contoso.example' },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 1' },
      { op: 'Replace', path: 'name.familyName', value: 'King' },
      { op: 'Add', path: `${E}:department`, value: 'Engines' },
      { op: 'Add', path: 'manager', value: boss },
      {
        op: 'Replace',
        value: {
          displayName: 'Ada King',
          [`${E}:costCenter`]: '7',
          'addresses[type eq "work"].country': 'GB',
        },
      },
    ],
  })
  expect(mixed.status).toBe(200)
  expect(mixed.body).toMatchObject({
    nickName: 'Countess',
    displayName: 'Ada King',
    name: { familyName: 'King', givenName: 'Ada' },
    emails: [{ type: 'work', value: 'ada.l@contoso.example', primary: true }],
    phoneNumbers: [{ type: 'mobile', value: '+44 1' }],
    addresses: [{ type: 'work', country: 'GB' }],
    [E]: { department: 'Engines', costCenter: '7', manager: { value: boss, displayName: 'Boss' } },
  })

  const off = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
  })
  expect([off.status, off.body['active']]).toEqual([200, false])
  const on = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [
      {
        op: 'Replace',
        path: 'active',
        value: ['True'],
      },
    ],
  })
  expect(on.body['active']).toBe(true)
  const lone = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'Replace', path: 'title', value: [{ $ref: null, value: 'Lead' }] }],
  })
  expect(lone.body['title']).toBe('Lead')
  const nobody = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [
      { op: 'Remove', path: 'manager' },
      { op: 'Remove', path: 'phoneNumbers[type eq "mobile"]' },
    ],
  })
  expect(nobody.body).not.toHaveProperty('phoneNumbers')
  expect(nobody.body[E]).toEqual({ department: 'Engines', costCenter: '7' })
  expect((await scim.patch(path, { schemas: [PATCH], Operations: [] })).status).toBe(200)
  expect((await scim.delete(path)).status).toBe(204)
})

test('SC-60 Entra ID: filters and values in its own spelling', async () => {
  const scim = createScim()
  const boss = await scim.user('boss@contoso.example')
  const id = await scim.user('ada@contoso.example', {
    active: true,
    emails: [{ type: 'work', value: 'ada@contoso.example', primary: true }],
  })
  const found = ['ada@contoso.example']
  expect(await scim.names('emails[type eq "work"].value eq "ADA@contoso.example"')).toEqual(found)
  expect(await scim.names('userName eq ada@contoso.example')).toEqual(found)
  expect(await scim.names('active eq "True" and emails pr')).toEqual(found)

  const patch = (...Operations: object[]) =>
    scim.patch(`/Users/${id}`, { schemas: [PATCH], Operations })
  const managed = await patch({ op: 'Replace', path: 'manager', value: [{ value: boss }] })
  expect(managed.body[E]).toMatchObject({ manager: { value: boss } })
  expect(await scim.names(`manager eq "${boss}"`)).toEqual(found)
  const alone = await patch({ op: 'Replace', path: 'manager', value: '' })
  expect(alone.body).not.toHaveProperty([E])
  const rolled = await patch({
    op: 'Add',
    path: 'roles[primary eq "True"].value',
    value: 'Engineer',
  })
  expect(rolled.body['roles']).toEqual([{ primary: true, value: 'Engineer' }])

  const group = await scim.group('Engineering')
  const joined = await scim.patch(`/Groups/${group}`, {
    schemas: [PATCH],
    Operations: [{ op: 'Add', path: 'members', value: [id] }],
  })
  expect([joined.status, await scim.members(group)]).toEqual([200, [id]])
})

test('SC-60 Entra ID: groups', async () => {
  const scim = createScim()
  const ids = [await scim.user('a@contoso.example'), await scim.user('b@contoso.example')]
  const created = await scim.post('/Groups', {
    schemas: [GROUP, VENDOR_GROUP],
    externalId: '8aa1',
    displayName: 'Engineering',
    meta: { resourceType: 'Group' },
  })
  expect([created.status, created.body['schemas']]).toEqual([201, [GROUP]])
  const path = `/Groups/${created.body.id}`

  const lookup = await scim.get(
    '/Groups?excludedAttributes=members&filter=displayName eq "Engineering"',
  )
  expect(lookup.body).toMatchObject({ totalResults: 1 })
  expect(list(lookup.body['Resources'])[0]).not.toHaveProperty('members')
  const byId = await scim.get(`${path}?excludedAttributes=members`)
  expect(byId.body).not.toHaveProperty('members')

  const value = ids.map((id) => ({ $ref: null, value: id }))
  await scim.patch(path, { schemas: [PATCH], Operations: [{ op: 'Add', path: 'members', value }] })
  expect(await scim.members(created.body.id)).toEqual(ids)
  const member = `id eq "${created.body.id}" and members[value eq "${ids[0]}"]`
  expect(
    (await scim.get(`/Groups?filter=${encodeURIComponent(member)}`)).body['totalResults'],
  ).toBe(1)
  await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: ids[0] }] }],
  })
  await scim.patch(path, {
    schemas: [PATCH],
    Operations: [
      { op: 'Remove', path: `members[value eq "${ids[1]}"]` },
      { op: 'Replace', path: 'displayName', value: 'Eng' },
    ],
  })
  const { body } = await scim.get(path)
  expect(body).toMatchObject({ displayName: 'Eng', members: [] })
  expect((await scim.delete(path)).status).toBe(204)
})
