import { expect, test } from 'vitest'
import { BASE, createScim } from './support.ts'

test('SH-72 meta.resourceType and meta.version are compared exactly', async () => {
  const scim = createScim({ etag: true })
  await scim.user('ada@corp.example')
  expect(await scim.names('meta.resourceType eq "User"')).toEqual(['ada@corp.example'])
  expect(await scim.names('meta.resourceType eq "user"')).toEqual([])
  expect(await scim.names(String.raw`meta.version eq "W/\"1\""`)).toEqual(['ada@corp.example'])
  expect(await scim.names(String.raw`meta.version eq "w/\"1\""`)).toEqual([])
})

test('SH-72 members.$ref of a nested group compares with the address of groups', async () => {
  const scim = createScim({ nestedGroups: true })
  const user = await scim.user('ada@corp.example')
  const inner = await scim.group('Inner', [user])
  const outer = await scim.group('Outer', [inner])
  const found = async (ref: string): Promise<unknown> => {
    const filter = encodeURIComponent(`members.$ref eq "${ref}"`)
    const { body } = await scim.get(`/Groups?filter=${filter}&attributes=id`)
    return (body['Resources'] as { id: string }[]).map(({ id }) => id)
  }
  expect(await found(`${BASE}/Groups/${inner}`)).toEqual([outer])
  expect(await found(`${BASE}/Users/${user}`)).toEqual([inner])
  expect(await found(`${BASE}/Users/${inner}`)).toEqual([])
})

test('SH-72 a manager attribute of another extension is stored as sent', async () => {
  const urn = 'urn:example:staff'
  const scim = createScim({
    extensions: [
      {
        urn,
        name: 'Staff',
        description: 'Of the host.',
        resourceType: 'User',
        required: false,
        attributes: [
          {
            name: 'manager',
            type: 'complex',
            subAttributes: [{ name: 'value' }, { name: 'displayName' }],
          },
        ],
      },
    ],
  })
  const manager = { value: 'somebody else', displayName: 'Grace' }
  const id = await scim.user('ada@corp.example', { [urn]: { manager } })
  expect((await scim.get(`/Users/${id}`)).body[urn]).toEqual({ manager })
})
