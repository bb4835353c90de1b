import assert from 'node:assert/strict'
import type { TokenRecord, TokenStore } from '../store/tokens.ts'
import { moment, OTHER_TENANT, TENANT, type StoreSubject, type TestFunctions } from './fixture.ts'

/** Defines the tests of a token store. */
export function defineTokenStoreContract(
  t: TestFunctions,
  { name, create, destroy }: StoreSubject<TokenStore>,
): void {
  t.describe(`the contract of tokens: ${name}`, () => {
    let store: TokenStore
    t.beforeEach(async () => {
      store = await create()
    })
    t.afterEach(() => destroy?.(store))

    t.it('SC-69 keeps every field, found by id and by digest', async () => {
      const full: TokenRecord = {
        ...token(1),
        label: 'Entra ß',
        notBefore: moment(1),
        expiresAt: moment(2),
        connectionId: 'c-1',
      }
      await store.insert(full)
      await store.insert(token(2))
      assert.deepEqual(await store.get(full.id), full)
      assert.deepEqual(await store.byDigest(full.digest), full)
      assert.deepEqual(await store.get(token(2).id), token(2))
      assert.equal(await store.get('none'), null)
      assert.equal(await store.byDigest('none'), null)
    })

    t.it('SH-51 changes what is given', async () => {
      await store.insert(token(1))
      const patch = { expiresAt: moment(8), revokedAt: moment(9), lastUsedAt: moment(7) }
      assert.equal(await store.update('none', patch), false)
      assert.equal(await store.update(token(1).id, patch), true)
      assert.deepEqual(await store.get(token(1).id), { ...token(1), ...patch })
    })

    t.it('SC-67 lists those of a tenant by created', async () => {
      for (const n of [3, 1, 2]) await store.insert(token(n))
      await store.insert({ ...token(4), tenant: OTHER_TENANT })
      const ids = (await store.list(TENANT)).map(({ id }) => id)
      assert.deepEqual(ids, [token(1).id, token(2).id, token(3).id])
    })
  })
}

function token(n: number): TokenRecord {
  return {
    id: `80000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    tenant: TENANT,
    digest: String(n).padStart(64, '0'),
    scopes: ['users:read', 'groups:write'],
    label: null,
    created: moment(n),
    notBefore: null,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  }
}
