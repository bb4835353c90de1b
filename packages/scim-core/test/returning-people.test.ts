import type { ScimAuditEntry, ScimOptions } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, list } from './support.ts'

const NAME = 'ada@corp.example'
const DELETED = `0123456789abcdef0123456789abcdef${NAME}`

function withAudit(options: Partial<ScimOptions> = {}) {
  const entries: ScimAuditEntry[] = []
  return { entries, scim: createScim({ ...options, audit: (entry) => void entries.push(entry) }) }
}

describe('SF-24 an address in use refuses a new user', () => {
  const email = (value: string, more: object = {}) => [{ value, ...more }]

  test.each([
    [{ userName: 'new@corp.example', emails: email('ADA@corp.example') }, 'email'],
    [{ userName: 'new@corp.example', emails: email('p@corp.example', { primary: true }) }, 'email'],
    [{ userName: 'P@corp.example' }, 'email'],
    [{ userName: 'ADA@corp.example' }, 'userName'],
  ])('%j', async (user, conflict) => {
    for (const active of [true, false]) {
      const { scim, entries } = withAudit()
      await scim.user(NAME, { active, emails: email('p@corp.example') })
      expect((await scim.post('/Users', user)).body).toMatchObject({ scimType: 'uniqueness' })
      expect(entries.at(-1)).toMatchObject({ status: 409, conflict })
    }
  })

  test('further addresses are shared, and one of many at once is created', async () => {
    const scim = createScim()
    const shared = [{ value: 'own@corp.example', primary: true }, { value: 'team@corp.example' }]
    await scim.user(NAME, { emails: shared })
    await scim.user('b@corp.example', { emails: [{ ...shared[1] }] })
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        scim.post('/Users', {
          userName: `n${index}@corp.example`,
          emails: [{ value: 'one@corp.example', primary: true }],
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })
})

describe('SF-28 a person who comes back', () => {
  test.each([
    ['same', 'e1', 'e1', 201],
    ['same', 'e1', 'e2', 409],
    ['same', undefined, undefined, 409],
    ['name', undefined, undefined, 201],
    ['name', 'e1', undefined, 409],
    ['never', 'e1', 'e1', 409],
  ] as const)('%s: %s, then %s is %i', async (recreate, first, second, status) => {
    const { scim, entries } = withAudit({ recreate })
    const externalId = (value?: string) => (value === undefined ? {} : { externalId: value })
    const id = await scim.user(NAME, { title: 'T', ...externalId(first) })
    const groupId = await scim.group('g', [id])
    await scim.send('DELETE', `/Users/${id}`)
    scim.events.length = 0
    const again = await scim.post('/Users', { userName: NAME, ...externalId(second) })
    expect(again.status).toBe(status)
    if (status === 409) return
    expect(again.body).toMatchObject({ id, active: true })
    expect(again.body).not.toHaveProperty('title')
    expect(await scim.members(groupId)).toEqual([])
    expect(scim.events.slice(0, 3)).toEqual([
      'user.updated',
      'user.activated',
      'group.members.changed',
    ])
    expect(entries.at(-2)).toMatchObject({ op: 'create', adopted: 'recreated' })
  })

  test('externalId: the person is found under another userName', async () => {
    const scim = createScim({ recreate: 'externalId' })
    const id = await scim.user(NAME, { externalId: 'e1', active: false })
    const again = await scim.post('/Users', { userName: 'new@corp.example', externalId: 'e1' })
    expect(again.body).toMatchObject({ id, userName: 'new@corp.example', active: true })
  })
})

test('SF-49 a person deleted in Entra frees the name and its addresses', async () => {
  const scim = createScim()
  const emails = [{ value: 'mail@corp.example', primary: true }]
  const id = await scim.user(NAME, { externalId: 'e1', emails })
  const longName = `0123456789abcdef0123456789abcdef${'l'.repeat(64)}@corp.example`
  for (const userName of [longName, DELETED]) {
    const operations = [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'Replace', path: 'userName', value: userName },
    ]
    expect((await scim.patch(`/Users/${id}`, operations)).status).toBe(200)
  }
  const next = await scim.user(NAME, { externalId: 'e2', emails })
  expect(next).not.toBe(id)
  const back = [{ op: 'Replace', path: 'userName', value: NAME }]
  expect((await scim.patch(`/Users/${id}`, back)).body['scimType']).toBe('uniqueness')
  expect(list((await scim.get('/Users')).body['Resources'])).toHaveLength(2)
})
