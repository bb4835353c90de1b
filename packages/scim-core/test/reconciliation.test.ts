import { createScimService } from '@x/scim-core'
import { createScimConnections } from '@x/scim-core/connections'
import {
  createMemoryConnectionStore,
  createMemoryScimStore,
  createMemoryTokenStore,
} from '@x/scim-core/memory'
import { createReconciliation, type ReconciliationOptions } from '@x/scim-core/reconcile'
import { createScimClient, createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { BASE } from './support.ts'

const HOUR_MS = 3_600_000
const tenant = 'default'

async function setUp(more: Partial<ReconciliationOptions> = {}) {
  const runtime = createTestRuntime()
  const store = createMemoryScimStore()
  const connections = createScimConnections({
    store: createMemoryConnectionStore(),
    tokens: createMemoryTokenStore(),
    runtime,
  })
  const service = createScimService({ store, baseUrl: BASE, auth: connections.auth(), runtime })
  const reconciliation = createReconciliation({ store, connections, runtime, ...more })
  const connect = async (settings: object = {}, expiresAt?: Date) => {
    const { connection, token, tokenId } = await connections.create({
      tenant,
      name: 'Directory',
      provider: 'other',
      settings,
      ...(expiresAt !== undefined && { expiresAt }),
    })
    return { id: connection.id, tokenId, ...createScimClient(service.handle, { token }) }
  }
  const user = async (client: Awaited<ReturnType<typeof connect>>, name: string) =>
    (await client.post('/Users', { userName: `${name}@corp.example` })).body.id
  const reasons = async () => {
    const { rows } = await reconciliation.report(tenant)
    return rows.map(({ id, reasons: found }) => [id, ...found.map(({ reason }) => reason)])
  }
  const since = async () =>
    (await reconciliation.report(tenant)).rows[0]?.reasons.map((found) => found.since)
  return { runtime, store, service, connections, reconciliation, connect, user, reasons, since }
}

describe('SF-62 SF-63 who is active, why, and since when', () => {
  test('a user of a living connection has no reason; one made in-process has never been confirmed', async () => {
    const { connect, user, reasons, service, runtime } = await setUp()
    const client = await connect()
    await user(client, 'ada')
    const { id } = await service.users.create(tenant, { userName: 'bob@corp.example' })
    expect(await reasons()).toEqual([[id, 'never-confirmed']])
    await runtime.advance(1_000)
    await client.get(`/Users?filter=${encodeURIComponent('userName eq "bob@corp.example"')}`)
    expect(await reasons()).toEqual([])
  })

  test('times are coarse to the hour, but another writer is known at once', async () => {
    const { connect, user, store, runtime } = await setUp()
    const [a, b] = [await connect(), await connect()]
    const id = await user(a, 'ada')
    const known = async () => (await store.activity.get(tenant, [id])).get(id)
    const begun = runtime.now()
    await runtime.advance(HOUR_MS - 1)
    await a.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'x' }])
    expect(await known()).toMatchObject({ lastWrittenAt: begun, source: `connection:${a.id}` })
    await b.get(`/Users/${id}`)
    expect(await known()).toMatchObject({ lastSeenAt: begun })
    await b.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'y' }])
    expect(await known()).toMatchObject({
      lastWrittenAt: runtime.now(),
      source: `connection:${b.id}`,
    })
  })

  test('a refused deactivation stays until a write is accepted', async () => {
    const { connect, user, reasons, since, runtime, reconciliation } = await setUp()
    const client = await connect()
    const id = await user(client, 'ada')
    await runtime.advance(5_000)
    const first = runtime.now()
    for (let n = 0; n < 2; n += 1) {
      await client.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: 'maybe' }])
      await runtime.advance(5_000)
    }
    expect(await reasons()).toEqual([[id, 'refused-write']])
    expect(await since()).toEqual([first])
    const [row] = (await reconciliation.report(tenant)).rows
    expect(row?.reasons[0]?.detail).toBe('400 invalidValue active must be a boolean.')
    await client.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: 'False' }])
    expect(await reasons()).toEqual([])
  })

  test('J5 SF-61 a token expires, the report names its users since then, and rotation empties it', async () => {
    const { connect, connections, user, reasons, since, runtime } = await setUp()
    const end = new Date(runtime.now().getTime() + 10 * HOUR_MS)
    const client = await connect({ silenceAfter: 0 }, end)
    const id = await user(client, 'ada')
    await runtime.advance(11 * HOUR_MS)
    expect(await reasons()).toEqual([[id, 'credential-expired']])
    expect(await since()).toEqual([end])
    await connections.issueToken(tenant, client.id)
    expect(await reasons()).toEqual([])
    await connections.remove(tenant, client.id)
    expect(await reasons()).toEqual([[id, 'connection-gone']])
    expect(await since()).toEqual([runtime.now()])
  })

  test('a silent connection, from its last request on', async () => {
    const { connect, user, reasons, since, runtime } = await setUp()
    const client = await connect({ silenceAfter: 7_200 })
    const id = await user(client, 'ada')
    const last = runtime.now()
    await runtime.advance(2 * HOUR_MS - 1)
    expect(await reasons()).toEqual([])
    await runtime.advance(1)
    expect(await reasons()).toEqual([[id, 'connection-silent']])
    expect(await since()).toEqual([last])
  })

  test('accounts of the host, and what was refused because of them', async () => {
    const account = { id: 'a1', userName: 'root', active: true, created: new Date(0) }
    const { store, reconciliation } = await setUp({
      unmanaged: async () => [{ ...account, isSuperuser: true }],
    })
    const refusal = { at: new Date(9), status: 409, scimType: 'uniqueness', detail: 'in use' }
    const note = { userId: 'create root', at: new Date(9), source: null } as const
    await store.activity.record(tenant, [{ ...note, kind: 'refused', refusal }])
    const { rows } = await reconciliation.report(tenant)
    expect(rows).toMatchObject([
      {
        id: 'a1',
        reasons: [
          { reason: 'unmanaged', since: new Date(0), detail: 'superuser' },
          { reason: 'refused-create', since: new Date(9), detail: 'in use' },
        ],
      },
    ])
  })

  test('pages, filters and counts', async () => {
    const { service, reconciliation } = await setUp()
    const ids: string[] = []
    for (let n = 0; n < 5; n += 1) {
      const made = { userName: `u${n}@corp.example`, active: n > 0 }
      ids.push((await service.users.create(tenant, made)).id)
    }
    const sorted = ids.toSorted()
    const first = await reconciliation.report(tenant, { limit: 2 })
    expect(first).toMatchObject({ total: 5, counts: { 'never-confirmed': 5 }, next: sorted[1] })
    const second = await reconciliation.report(tenant, { limit: 3, after: first.next ?? '' })
    expect(second.rows.map(({ id }) => id)).toEqual(sorted.slice(2))
    expect(second.next).toBeNull()
    expect((await reconciliation.report(tenant, { active: false })).total).toBe(1)
    expect((await reconciliation.report(tenant, { reasons: ['not-listed'] })).total).toBe(0)
    await expect(reconciliation.report(tenant, { limit: 1_001 })).rejects.toThrow(TypeError)
  })
})

describe('SF-63 SF-64 whom a list has missed', () => {
  test('is remembered since the first list, and forgotten by one that names the user', async () => {
    const { connect, user, reasons, since, runtime, reconciliation } = await setUp()
    const client = await connect({ silenceAfter: 0 })
    const ids: string[] = []
    for (let n = 0; n < 11; n += 1) ids.push(await user(client, `u${n}`))
    const listed = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ userName: `u${n}@corp.example` }))
    await runtime.advance(1_000)
    const first = runtime.now()
    await reconciliation.compare(tenant, listed(10))
    await runtime.advance(1_000)
    await reconciliation.compare(tenant, listed(10))
    expect(await reasons()).toEqual([[ids[10], 'not-listed']])
    expect(await since()).toEqual([first])
    const few = await reconciliation.compare(tenant, listed(2))
    expect([few.suspicious, few.notListed.count]).toEqual([true, 9])
    expect(await reasons()).toHaveLength(1)
    await reconciliation.compare(tenant, listed(2), { force: true })
    expect(await reasons()).toHaveLength(9)
    await reconciliation.compare(tenant, listed(11))
    expect(await reasons()).toEqual([])
    const takenAt = new Date(runtime.now().getTime() - 1)
    await user(client, 'late')
    const later = await reconciliation.compare(tenant, listed(11), { takenAt })
    expect(later.notListed.count).toBe(0)
    expect(await reasons()).toEqual([])
  })
})
