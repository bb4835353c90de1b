import { fold, matchAccount, type AccountCandidate, type UserRecord } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import type { ScimAuditEntry } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim } from './support.ts'

const record = (more: Partial<UserRecord> = {}): UserRecord => ({
  tenant: 'default',
  id: 'new',
  externalId: 'e1',
  userName: 'Ada@corp.example',
  userNameKey: fold('Ada@corp.example'),
  active: true,
  data: '{"emails":[{"value":"MAIL@corp.example","primary":true},{"value":"more@corp.example"}]}',
  created: new Date(0),
  lastModified: new Date(0),
  version: 1,
  deletedAt: null,
  ...more,
})
const email = (value: string, verified = true) => ({ emails: [{ value, verified }] })
const one = (id: string, more: Partial<AccountCandidate> = {}): AccountCandidate => ({
  id,
  userName: `${id}@else.example`,
  ...more,
})
const ALL = { by: ['userName', 'email', 'externalId'] } as const

describe('SF-27 the account that a new user takes over', () => {
  const named = one('named', { userName: 'ADA@corp.example' })
  test.each([
    ['nobody', [one('a')], undefined, null],
    [
      'by externalId first',
      [named, one('x', { externalId: 'e1' })],
      undefined,
      { id: 'x', by: 'externalId' },
    ],
    ['by userName', [named], undefined, { id: 'named', by: 'userName' }],
    ['two of one name', [named, { ...named, id: 'b' }], undefined, { refuse: 'ambiguous' }],
    ['a privileged one', [{ ...named, privileged: true }], undefined, { refuse: 'privileged' }],
    ['a managed one', [{ ...named, managed: true }], undefined, null],
    ['by e-mail only if asked', [one('m', email('mail@corp.example'))], undefined, null],
    ['by e-mail', [one('m', email('mail@corp.example'))], ALL, { id: 'm', by: 'email' }],
    [
      'an unverified address',
      [one('m', email('mail@corp.example', false))],
      ALL,
      { refuse: 'unverified' },
    ],
    ['a further address', [one('m', email('more@corp.example'))], ALL, null],
    [
      'the name beats the address',
      [one('m', email('mail@corp.example')), named],
      ALL,
      { id: 'named', by: 'userName' },
    ],
  ] as const)('%s', (_name, candidates, options, answer) => {
    expect(matchAccount(record(), candidates, options)).toEqual(answer)
  })

  test('nothing matches nothing', () => {
    const empty = record({ externalId: null, data: '{}' })
    const other = one('a', { externalId: null, emails: [{ value: '', verified: true }] })
    expect(matchAccount(empty, [other], ALL)).toBeNull()
  })

  test('its answer is what adopt returns: the id, or 409 with a reason', async () => {
    const store = createMemoryScimStore()
    const entries: ScimAuditEntry[] = []
    const adopting = (candidates: readonly AccountCandidate[]) =>
      createScim({
        audit: (entry) => void entries.push(entry),
        store: {
          ...store,
          transaction: (tenant, work, options) =>
            store.transaction(
              tenant,
              (tx) =>
                work({
                  ...tx,
                  users: {
                    ...tx.users,
                    adopt: async (_tenant, made) => matchAccount(made, candidates),
                  },
                }),
              options,
            ),
        },
      })
    const userName = 'ada@corp.example'
    const refused = await adopting([{ ...named, privileged: true }]).post('/Users', { userName })
    expect(refused.body).toMatchObject({ status: '409', scimType: 'uniqueness' })
    const taken = await adopting([named]).post('/Users', { userName })
    expect([taken.status, taken.body.id]).toEqual([201, 'named'])
    expect(entries.map(({ adopted, conflict }) => adopted ?? conflict)).toEqual([
      'unmanaged',
      'userName',
    ])
  })
})
