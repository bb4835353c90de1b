import { expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, list, PATCH, USER } from '../support.ts'

test('SC-60 Google: schemas first, then users; with deleteUser: remove a DELETE ends in 404', async () => {
  const scim = createScim({ deleteUser: 'remove' })
  const schemas = list((await scim.get('/Schemas')).body['Resources'])
  const user = schemas.find((schema) => Reflect.get(schema, 'id') === USER) ?? {}
  const flags = Object.fromEntries(
    list(Reflect.get(user, 'attributes')).map((attribute) => {
      const { name, mutability, returned, required } = attribute as Record<string, string>
      return [name, [mutability, returned, required]]
    }),
  )
  expect(flags).toMatchObject({
    userName: ['readWrite', 'default', true],
    groups: ['readOnly', 'default', false],
    password: ['writeOnly', 'never', false],
  })

  expect((await scim.get('/Users?filter=userName+eq+"ada@g.example"')).body['totalResults']).toBe(0)
  const created = await scim.post('/Users', {
    schemas: [USER, E],
    userName: 'ada@g.example',
    name: { givenName: 'Ada', familyName: 'L' },
    emails: [{ type: 'work', primary: true, value: 'ada@g.example' }],
    active: true,
    [E]: { department: 'x' },
  })
  const path = `/Users/${created.body.id}`
  const suspended = await scim.patch(path, {
    schemas: [PATCH],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  })
  expect(suspended.body['active']).toBe(false)
  const put = await scim.put(path, {
    schemas: [USER],
    id: created.body.id,
    userName: 'ada@g.example',
    active: true,
  })
  expect(put.body).toMatchObject({ active: true, schemas: [USER] })
  expect((await scim.delete(path)).status).toBe(204)
  expect((await scim.get(path)).status).toBe(404)
  expect((await scim.delete(path)).status).toBe(404)
})
