import { expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, GROUP, list, PATCH, problem, USER } from '../support.ts'

test('SC-60 Okta: the life cycle of a user', async () => {
  const scim = createScim()
  const path = '/Users?filter=userName%20eq%20%22ada%40okta.example%22&startIndex=1&count=100'
  expect((await scim.get(path)).body).toMatchObject({
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  })

  const body = {
    schemas: [USER],
    userName: 'ada@okta.example',
    name: { givenName: 'Ada', familyName: 'L' },
    emails: [{ primary: true, value: 'ada@okta.example', type: 'work' }],
    displayName: 'Ada L',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await scim.post('/Users', body)
  expect(created.status).toBe(201)
  expect(created.body).not.toHaveProperty('password')
  expect((await scim.post('/Users', body)).body).toMatchObject(problem(409, 'uniqueness'))
  expect(list((await scim.get(path)).body['Resources'])).toEqual([created.body])

  const user = `/Users/${created.body.id}`
  const read = await scim.get(user)
  const updated = await scim.put(user, {
    ...read.body,
    name: { givenName: 'Ada', familyName: 'King' },
    groups: [],
  })
  expect(updated.body).toMatchObject({ name: { familyName: 'King' }, active: true })

  const off = await scim.patch(user, {
    schemas: [PATCH],
    Operations: [{ op: 'replace', value: { active: false } }],
  })
  expect([off.status, off.body['active']]).toEqual([200, false])
  const on = await scim.put(user, { ...(await scim.get(user)).body, active: true })
  expect(on.body['active']).toBe(true)
  const named = await scim.patch(user, {
    schemas: [PATCH],
    Operations: [
      {
        op: 'replace',
        value: {
          id: created.body.id,
          schemas: [USER],
          'name.middleName': 'B',
          [`${E}:division`]: 'D',
        },
      },
    ],
  })
  expect(named.body).toMatchObject({
    name: { familyName: 'King', middleName: 'B' },
    [E]: { division: 'D' },
  })
  expect(scim.events.filter((name) => /activated/.test(name))).toEqual([
    'user.deactivated',
    'user.activated',
  ])
})

test('SC-60 Okta: group push', async () => {
  const scim = createScim()
  const ids = [await scim.user('a@okta.example'), await scim.user('b@okta.example')]
  expect((await scim.get('/Groups?startIndex=1&count=100')).body['totalResults']).toBe(0)
  const created = await scim.post('/Groups', { schemas: [GROUP], displayName: 'Push', members: [] })
  const { id } = created.body
  const patch = (...Operations: object[]) =>
    scim.patch(`/Groups/${id}`, { schemas: [PATCH], Operations })
  const members = (some: string[]): object[] => some.map((value) => ({ value, display: 'whoever' }))

  expect(
    (await patch({ op: 'replace', value: { id, displayName: 'Pushed' } })).body['displayName'],
  ).toBe('Pushed')
  await patch({ op: 'replace', path: 'members', value: members(ids) })
  expect(await scim.members(id)).toEqual(ids)
  await patch(
    { op: 'remove', path: `members[value eq "${ids[0]}"]` },
    { op: 'add', path: 'members', value: members([ids[1] ?? '']) },
  )
  expect(await scim.members(id)).toEqual([ids[1]])
  await patch({ op: 'replace', path: 'members', value: [] })
  expect(await scim.members(id)).toEqual([])
  await patch({ op: 'replace', value: { members: members(ids) } })
  expect(await scim.members(id)).toEqual(ids)
  const put = await scim.put(`/Groups/${id}`, {
    schemas: [GROUP],
    id,
    displayName: 'Put',
    members: members([ids[0] ?? '']),
  })
  expect(put.body).toMatchObject({ displayName: 'Put', members: [{ value: ids[0] }] })
  expect((await scim.delete(`/Groups/${id}`)).status).toBe(204)
  expect((await scim.get(`/Groups/${id}`)).status).toBe(404)
})
