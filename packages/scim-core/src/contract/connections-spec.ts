import assert from 'node:assert/strict'
import { append } from '@x/wire'
import type {
  ClientRecord,
  ClientSecretRecord,
  Connection,
  ConnectionStore,
} from '../store/connections.ts'
import { moment, OTHER_TENANT, TENANT, type StoreSubject, type TestFunctions } from './fixture.ts'

/** Defines the tests of a connection store (section 8). */
export function defineConnectionStoreContract(
  t: TestFunctions,
  { name, create, destroy }: StoreSubject<ConnectionStore>,
): void {
  t.describe(`the contract of connections: ${name}`, () => {
    let store: ConnectionStore
    t.beforeEach(async () => {
      store = await create()
    })
    t.afterEach(() => destroy?.(store))

    t.it('SH-53 keeps every field, within its tenant', async () => {
      assert.equal(await store.insert(connection(1), 50), true)
      assert.deepEqual(await store.get(TENANT, connection(1).id), connection(1))
      assert.deepEqual(await store.byId(connection(1).id), connection(1))
      assert.equal(await store.get(OTHER_TENANT, connection(1).id), null)
      assert.equal(await store.byId('none'), null)
    })

    t.it('lists by created; a tenant has so many', async () => {
      await store.insert(connection(2), 2)
      await store.insert(connection(1), 2)
      assert.equal(await store.insert(connection(3), 2), false)
      assert.equal(await store.insert({ ...connection(4), tenant: OTHER_TENANT }, 2), true)
      assert.deepEqual(await store.list(TENANT), [connection(1), connection(2)])
    })

    t.it('pages through the connections of all tenants by id', async () => {
      if (store.page === undefined) return
      const made = [connection(1), { ...connection(2), tenant: OTHER_TENANT }, connection(3)]
      for (const each of made) await store.insert(each, 50)
      const found: Connection[] = []
      for (let after: string | undefined; ; after = found.at(-1)?.id) {
        const page = await store.page({ ...(after !== undefined && { after }), limit: 2 })
        append(found, page)
        if (page.length < 2) break
      }
      assert.deepEqual(
        found.map(({ id }) => id),
        made.map(({ id }) => id).toSorted(),
      )
    })

    t.it('SH-54 changes what is given', async () => {
      await store.insert(connection(1), 50)
      const { id } = connection(1)
      const lastError = { at: moment(5), status: 400, scimType: 'invalidValue', detail: 'ß' }
      const patch = { enabled: false, lastUsedAt: moment(9), lastError, settings: {} }
      assert.equal(await store.update(OTHER_TENANT, id, patch), false)
      assert.equal(await store.update(TENANT, id, patch), true)
      assert.deepEqual(await store.get(TENANT, id), { ...connection(1), ...patch })
    })

    t.it('SH-54 keeps the latest error, in whatever order they are written', async () => {
      await store.insert(connection(1), 50)
      const { id } = connection(1)
      const error = (n: number) => ({ at: moment(n), status: 400, scimType: null, detail: `${n}` })
      for (const n of [2, 10, 5]) {
        const patch = { name: `after ${n}`, lastError: error(n) }
        assert.equal(await store.update(TENANT, id, patch), true)
      }
      const record = await store.get(TENANT, id)
      assert.deepEqual(record, { ...connection(1), name: 'after 5', lastError: error(10) })
      const same = { ...error(10), detail: 'at the same time' }
      await store.update(TENANT, id, { lastError: same })
      assert.deepEqual((await store.get(TENANT, id))?.lastError, same)
      await store.update(TENANT, id, { lastError: null })
      assert.equal((await store.get(TENANT, id))?.lastError, null)
    })

    t.it('removes with its clients and their secrets', async () => {
      await store.insert(connection(1), 50)
      const { id } = connection(1)
      await store.insertClient(client(1))
      await store.insertSecret(secret(1))
      assert.deepEqual(await store.client(client(1).id), client(1))
      assert.equal(await store.remove(OTHER_TENANT, id), false)
      assert.equal(await store.remove(TENANT, id, moment(9)), true)
      assert.deepEqual((await store.removed?.(TENANT)) ?? [{ id, at: moment(9) }], [
        { id, at: moment(9) },
      ])
      assert.deepEqual((await store.removed?.(OTHER_TENANT)) ?? [], [])
      assert.equal(await store.remove(TENANT, id), false)
      assert.equal(await store.client(client(1).id), null)
      assert.deepEqual(await store.clients(id), [])
      assert.deepEqual(await store.secrets(client(1).id), [])
    })

    t.it('SH-48 lists, changes and revokes clients', async () => {
      await store.insert(connection(1), 50)
      const keys = { keys: [{ kty: 'EC', x: 'a' }] }
      const signing = { ...client(2), digest: null, jwks: keys, label: 'Entra ß' }
      const federation = { issuer: 'i', subject: 's', audience: 'a', jwksUri: 'https://k.example' }
      const federated = { ...client(1), digest: null, federation }
      await store.insertClient(signing)
      await store.insertClient(federated)
      assert.deepEqual(await store.clients(connection(1).id), [federated, signing])
      assert.deepEqual(await store.clients('none'), [])
      assert.equal(await store.updateClient('none', { revokedAt: moment(3) }), false)
      const patch = { revokedAt: moment(3), lastUsedAt: moment(4), digest: 'cd'.repeat(32) }
      assert.equal(await store.updateClient(signing.id, patch), true)
      assert.deepEqual(await store.client(signing.id), { ...signing, ...patch })
    })

    t.it('keeps the secrets of a client', async () => {
      await store.insert(connection(1), 50)
      await store.insertClient(client(1))
      for (const n of [2, 1]) await store.insertSecret(secret(n))
      assert.deepEqual(await store.secrets(client(1).id), [secret(1), secret(2)])
      const patch = { expiresAt: moment(5), revokedAt: moment(6), lastUsedAt: moment(7) }
      assert.equal(await store.updateSecret('none', patch), false)
      assert.equal(await store.updateSecret(secret(2).id, patch), true)
      assert.deepEqual(await store.secrets(client(1).id), [secret(1), { ...secret(2), ...patch }])
    })
  })
}

function connection(n: number): Connection {
  return {
    id: `60000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    tenant: TENANT,
    name: `Connection ${n}`,
    provider: 'entra',
    enabled: true,
    settings: { deleteUser: 'remove', quirks: { opCase: false } },
    created: moment(n),
    lastUsedAt: null,
    lastError: null,
  }
}

function client(n: number): ClientRecord {
  return {
    id: `70000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    tenant: TENANT,
    connectionId: connection(1).id,
    digest: 'ab'.repeat(32),
    jwks: null,
    federation: null,
    scopes: ['users:read'],
    label: null,
    created: moment(n),
    revokedAt: null,
    lastUsedAt: null,
  }
}

function secret(n: number): ClientSecretRecord {
  return {
    id: `80000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    clientId: client(1).id,
    digest: 'ef'.repeat(32),
    hint: 'Ab_9',
    created: moment(n),
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
  }
}
