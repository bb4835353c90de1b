import { expect, test } from 'vitest'
import { createScim, ENTERPRISE as E } from './support.ts'

const WORK = { value: 'w@x.example', type: 'work', primary: true }
const HOME = { value: 'h@x.example', type: 'home' }

test('SH-70 add with null keeps the value; replace with null removes it', async () => {
  const scim = createScim()
  const id = await scim.user('ada@corp.example', {
    name: { givenName: 'Ada', familyName: 'L' },
    emails: [WORK, HOME],
    [E]: { department: 'D', costCenter: 'C' },
  })
  const patch = async (...operations: object[]): Promise<Record<string, unknown>> =>
    (await scim.patch(`/Users/${id}`, operations)).body

  const added = await patch(
    { op: 'add', path: 'name.givenName', value: null },
    { op: 'add', path: 'name', value: null },
    { op: 'add', path: 'emails[type eq "work"]', value: { type: null } },
    { op: 'add', value: { name: { familyName: null }, [E]: { department: null } } },
  )
  expect(added['name']).toMatchObject({ givenName: 'Ada', familyName: 'L' })
  expect(added['emails']).toEqual([WORK, HOME])
  expect(added[E]).toMatchObject({ department: 'D' })
  const replaced = await patch(
    { op: 'replace', value: { name: { familyName: null }, [E]: { department: null } } },
    { op: 'replace', path: 'emails[type eq "work"].type', value: null },
  )
  expect(replaced['name']).not.toHaveProperty('familyName')
  expect(replaced[E]).not.toHaveProperty('department')
  expect(replaced['emails']).toEqual([{ value: 'w@x.example', primary: true }, HOME])
})
