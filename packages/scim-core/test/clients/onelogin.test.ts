import { expect, test } from 'vitest'
import { createScim, GROUP, PATCH, USER } from '../support.ts'

test('SC-60 OneLogin: + and stray characters in addresses, legacy URNs on PUT, capitalised operations', async () => {
  const scim = createScim()
  expect(
    (await scim.get('/Users?filter=userName+eq+%22ada%40one.example%22&')).body['totalResults'],
  ).toBe(0)
  const created = await scim.post('/Users?', {
    schemas: [USER],
    userName: 'ada@one.example',
    externalId: '42',
    name: { givenName: 'Ada', familyName: 'L', formatted: 'Ada L' },
    emails: [{ value: 'ada@one.example', type: 'work', primary: true }],
    phoneNumbers: [{ value: '', type: 'work' }],
    title: null,
  })
  expect(created.status).toBe(201)
  const { id } = created.body

  const put = await scim.put(`/Users/${id}?`, {
    schemas: ['urn:scim:schemas:core:1.0', 'urn:scim:schemas:extension:enterprise:1.0'],
    id,
    userName: 'ada@one.example',
    active: 'true',
    title: 'Lead',
  })
  expect(put.status).toBe(200)
  expect(put.body).toMatchObject({ schemas: [USER], title: 'Lead', active: true })
  expect(
    (await scim.get('/Users?filter=userName+eq+"ada@one.example"&')).body['totalResults'],
  ).toBe(1)

  const group = await scim.post('/Groups', { schemas: [GROUP], displayName: 'Role' })
  const path = `/Groups/${group.body.id}`
  const added = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'Add', path: 'members', value: [{ value: id }] }],
  })
  expect(added.body['members']).toMatchObject([{ value: id }])
  await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'Remove', path: `members[value eq "${id}"]` }],
  })
  expect(await scim.members(group.body.id)).toEqual([])
  const off = await scim.patch(`/Users/${id}`, {
    schemas: [PATCH],
    Operations: [{ op: 'Replace', path: 'active', value: 'false' }],
  })
  expect(off.body['active']).toBe(false)
})
