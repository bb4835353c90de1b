import { expect, test } from 'vitest'
import { createScim, GROUP, list, PATCH, USER } from '../support.ts'

test('SC-60 authentik: configuration first, whole objects, then one PATCH with many operations', async () => {
  const scim = createScim()
  const config = await scim.get('/ServiceProviderConfig')
  expect(config.body).toMatchObject({
    patch: { supported: true },
    filter: { supported: true },
    bulk: { supported: false },
  })

  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const created = await scim.post('/Users', {
      schemas: [USER],
      userName: `${name}@auth.example`,
      externalId: name,
      name: { formatted: name, givenName: name, familyName: ' ' },
      displayName: name,
      active: true,
      emails: [{ value: `${name}@auth.example`, type: 'other', primary: true }],
      photos: [{ value: 'https://auth.example/p.png', type: 'photo' }],
    })
    expect(created.status).toBe(201)
    ids.push(created.body.id)
    const put = await scim.put(`/Users/${created.body.id}`, {
      ...created.body,
      id: created.body.id,
      displayName: `${name}!`,
    })
    expect(put.body['displayName']).toBe(`${name}!`)
  }

  const group = await scim.post('/Groups', {
    schemas: [GROUP],
    externalId: 'g',
    displayName: 'Staff',
    members: null,
  })
  expect(group.body).toMatchObject({ members: [] })
  const path = `/Groups/${group.body.id}`
  const read = await scim.get(path)
  expect(list(read.body['members'])).toEqual([])

  const whole = { schemas: [GROUP], id: group.body.id, externalId: 'g2', displayName: 'Staff 2' }
  const replaced = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'replace', path: null, value: whole }],
  })
  expect(replaced.status).toBe(200)
  expect(replaced.body).toMatchObject({
    id: group.body.id,
    externalId: 'g2',
    displayName: 'Staff 2',
    members: [],
  })

  const operations = [
    ...ids.map((value) => ({ op: 'add', path: 'members', value: [{ value }] })),
    { op: 'remove', path: 'members', value: [{ value: ids[0] }] },
  ]
  const patched = await scim.patch(path, { schemas: [PATCH], Operations: operations })
  expect(patched.body['members']).toMatchObject([{ value: ids[1] }, { value: ids[2] }])
  expect(
    scim.payloads.findLast(({ name }) => name === 'group.members.changed')?.event,
  ).toMatchObject({ addedCount: 2, removedCount: 0 })
  expect((await scim.delete(path)).status).toBe(204)
})
