import assert from 'node:assert/strict'
import type { DeliveryResult, EndpointRecord, OutboxRow, OutboxStore } from '../store/outbox.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { moment, OTHER_TENANT, TENANT, type StoreSubject, type TestFunctions } from './fixture.ts'

/** A store with an outbox. */
export type OutboxSubject = StoreSubject<ScimStore & { readonly outbox: OutboxStore }>

const KINDS = ['webhook'] as const
const LATER = moment(1_000_000)

class Abandoned extends Error {}

/** Defines the tests of an outbox: order, leases, replay. */
export function defineOutboxStoreContract(t: TestFunctions, subject: OutboxSubject): void {
  const { name, create, destroy } = subject
  const { describe, it } = t
  describe(`the contract of outboxes: ${name}`, () => {
    let store: Awaited<ReturnType<typeof create>>
    t.beforeEach(async () => {
      store = await create()
    })
    t.afterEach(() => destroy?.(store))
    const append = (...rows: readonly OutboxRow[]): Promise<void> =>
      store.transaction(TENANT, async ({ outbox }) => outbox?.append(rows))
    const ids = async (after?: string): Promise<{ ids: string[]; next: string }> => {
      const { events, next } = await store.outbox.read(TENANT, after === undefined ? {} : { after })
      return { ids: events.map(({ id }) => id), next }
    }
    const insert = (fields: Partial<EndpointRecord> = {}, limit = 20): Promise<boolean> =>
      store.outbox.endpoints.insert({ ...endpoint(1), ...fields }, limit)
    const collect = (limits: { limit?: number; maxWaiting?: number } = {}): Promise<number> =>
      store.outbox.deliveries.collect(KINDS, {
        now: LATER,
        limit: 500,
        maxWaiting: 1_000,
        ...limits,
      })
    const claim = async (options: { now?: Date; limit?: number } = {}): Promise<string[]> => {
      const { now = LATER, limit = 100 } = options
      const until = new Date(now.getTime() + 30_000)
      const claimed = await store.outbox.deliveries.claim(endpoint(1).id, { now, until, limit })
      return claimed.map(({ event }) => event.id)
    }
    const lease = new Date(LATER.getTime() + 30_000)
    const settle = (results: readonly DeliveryResult[], now = LATER): Promise<number> =>
      store.outbox.deliveries.settle(endpoint(1).id, results, { now, lease })

    it('SH-20 keeps every field of a row, in the order of the commits', async () => {
      await append(row(1), row(2, { actor: 'idp', data: '{"after":{"userName":"ä\\u0000"}}' }))
      const { events } = await store.outbox.read(TENANT)
      const { setId: _set, op: _op, ...second } = row(2, { actor: 'idp' })
      assert.deepEqual(events.at(1), { ...second, data: { after: { userName: 'ä\0' } } })
      assert.deepEqual((await ids()).ids, [row(1).id, row(2).id])
      assert.deepEqual((await store.outbox.read(OTHER_TENANT)).events, [])
    })

    it('SH-18 a transaction that is rolled back leaves no row', async () => {
      const attempt = store.transaction(TENANT, async ({ outbox }) => {
        await outbox?.append([row(1)])
        throw new Abandoned()
      })
      await assert.rejects(attempt, Abandoned)
      assert.deepEqual((await ids()).ids, [])
    })

    it('SH-21 next is a cursor, also on an empty page; pages hold each event once', async () => {
      const start = await ids()
      await append(row(1), row(2))
      await append(row(3))
      const first = await store.outbox.read(TENANT, { after: start.next, limit: 2 })
      assert.equal(first.events.length, 2)
      const second = await ids(first.next)
      assert.deepEqual(second.ids, [row(3).id])
      const end = await ids(second.next)
      assert.deepEqual(end.ids, [])
      await append(row(4))
      assert.deepEqual((await ids(end.next)).ids, [row(4).id])
      const typed = await store.outbox.read(TENANT, { types: ['group.created'] })
      assert.deepEqual(typed.events, [])
      await assert.rejects(store.outbox.read(TENANT, { after: 'no cursor' }), TypeError)
    })

    it('SH-30 a set holds the rows of one request and resource', async () => {
      await append(row(1), row(2, { setId: row(1).id, type: 'user.deactivated' }), row(3))
      const { resourceId } = row(1)
      const set = await store.outbox.set(TENANT, resourceId, row(1).id)
      assert.deepEqual(
        set.map(({ id }) => id),
        [row(1).id],
      )
      await append(row(4, { setId: row(1).id, resourceId }))
      await append(row(5, { resourceId }))
      assert.equal((await store.outbox.set(TENANT, resourceId, row(1).id)).length, 2)
    })

    it('endpoints are kept, changed and removed within their tenant', async () => {
      assert.equal(await insert(), true)
      const record = endpoint(1)
      const { endpoints } = store.outbox
      assert.deepEqual(await endpoints.get(TENANT, record.id), record)
      assert.equal(await endpoints.get(OTHER_TENANT, record.id), null)
      assert.deepEqual(await endpoints.byId(record.id), record)
      assert.deepEqual(await endpoints.list(TENANT, KINDS), [record])
      assert.deepEqual(await endpoints.list(TENANT, ['push', 'poll']), [])
      const patch = { events: ['user.created'], description: 'x' }
      assert.equal(await endpoints.update(OTHER_TENANT, record.id, patch), false)
      assert.equal(await endpoints.update(TENANT, record.id, patch), true)
      assert.deepEqual(await endpoints.get(TENANT, record.id), { ...record, ...patch })
      assert.equal(await endpoints.remove(OTHER_TENANT, record.id), false)
      assert.equal(await endpoints.remove(TENANT, record.id), true)
      assert.equal(await endpoints.get(TENANT, record.id), null)
    })

    it('a tenant has a limited number of endpoints of a kind', async () => {
      assert.equal(await insert({}, 1), true)
      assert.equal(await insert(endpoint(2), 1), false)
      assert.equal(await insert({ ...endpoint(2), kind: 'push' }, 1), true)
      assert.equal(await insert({ ...endpoint(3), kind: 'poll' }, 1), false)
      assert.equal(await insert({ ...endpoint(4), tenant: OTHER_TENANT }, 1), true)
    })

    it('SH-28 an endpoint gets events committed after its creation, of the names it wants', async () => {
      await append(row(1))
      await insert({ events: ['user.updated'] })
      await append(row(2), row(3, { type: 'user.deleted' }), row(4, { tenant: OTHER_TENANT }))
      await collect()
      assert.equal(await collect(), 0)
      assert.deepEqual(await claim(), [row(2).id])
    })

    it('SH-24 only the earliest event of a resource is given out until it is settled', async () => {
      await insert()
      const { resourceId } = row(1)
      await append(row(1), row(2, { resourceId }), row(3))
      await collect({ limit: 2 })
      await collect({ limit: 2 })
      assert.deepEqual(await claim(), [row(1).id, row(3).id])
      await append(row(4, { resourceId }))
      await collect()
      const due = await store.outbox.deliveries.due(KINDS, LATER)
      assert.deepEqual(due, [])
      await settle([result(1, 'waiting', new Date(LATER.getTime() + 5_000))])
      assert.deepEqual(await claim(), [])
      const soon = new Date(LATER.getTime() + 6_000)
      assert.deepEqual(await claim({ now: soon }), [row(1).id])
      const held = new Date(soon.getTime() + 30_000)
      await store.outbox.deliveries.settle(endpoint(1).id, [result(1, 'failed')], {
        now: soon,
        lease: held,
      })
      assert.deepEqual(await claim({ now: soon }), [row(2).id])
    })

    it('SH-25 a lease excludes others until it ends; afterwards its holder cannot write', async () => {
      await insert()
      await append(row(1), row(2))
      await collect()
      assert.deepEqual(await claim({ limit: 1 }), [row(1).id])
      assert.deepEqual(await claim(), [row(2).id])
      const over = new Date(lease.getTime() + 1)
      assert.deepEqual(await claim({ now: over }), [row(1).id, row(2).id])
      assert.equal(await settle([result(1, 'delivered')], over), 0)
      await store.outbox.deliveries.release(
        endpoint(1).id,
        [row(2).id],
        new Date(over.getTime() + 30_000),
      )
      assert.deepEqual(await claim({ now: over }), [row(2).id])
    })

    it('SH-25 concurrent claims share the deliveries', async () => {
      await insert()
      await append(...Array.from({ length: 40 }, (_, n) => row(n)))
      await Promise.all([collect(), collect()])
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 10 })))
      const all = claims.flat()
      assert.equal(new Set(all).size, all.length)
      const rest = await claim()
      assert.equal(new Set([...all, ...rest]).size, 40)
    })

    it('deliveries are listed with their outcome, page by page', async () => {
      await insert()
      await append(row(1), row(2))
      await collect()
      await claim()
      const failed = { ...result(1, 'failed'), lastStatus: 500, lastError: 'HTTP 500' }
      assert.equal(await settle([failed]), 1)
      const { deliveries } = store.outbox
      const first = await deliveries.list(TENANT, { limit: 1 })
      assert.deepEqual(first.deliveries, [
        {
          endpointId: endpoint(1).id,
          eventId: row(1).id,
          type: 'user.updated',
          state: 'failed',
          attempts: 1,
          nextAt: null,
          lastAt: LATER,
          lastStatus: 500,
          lastError: 'HTTP 500',
        },
      ])
      assert.ok(first.next !== null)
      const second = await deliveries.list(TENANT, { after: first.next })
      assert.deepEqual(
        second.deliveries.map(({ eventId, state }) => [eventId, state]),
        [[row(2).id, 'waiting']],
      )
      assert.equal(second.next, null)
      assert.deepEqual((await deliveries.list(OTHER_TENANT, {})).deliveries, [])
      const waiting = await deliveries.list(TENANT, { state: 'waiting' })
      assert.equal(waiting.deliveries.length, 1)
      await assert.rejects(deliveries.list(TENANT, { after: 'no cursor' }), TypeError)
    })

    it('pages of waiting deliveries go on where the last one ended, whatever happened since', async () => {
      await insert()
      await append(...Array.from({ length: 6 }, (_, n) => row(n)))
      await collect()
      const { deliveries } = store.outbox
      const page = (after?: string | null) =>
        deliveries.list(TENANT, { state: 'waiting', limit: 2, ...(after && { after }) })
      const idsOf = (answer: Awaited<ReturnType<typeof deliveries.list>>): string[] =>
        answer.deliveries.map(({ eventId }) => eventId)
      const first = await page()
      assert.deepEqual(idsOf(first), [row(0).id, row(1).id])
      await claim()
      await settle([result(1, 'delivered')])
      const second = await page(first.next)
      assert.deepEqual(idsOf(second), [row(2).id, row(3).id])
      const third = await page(second.next)
      assert.deepEqual([idsOf(third), third.next], [[row(4).id, row(5).id], null])
    })

    it('SH-28 replay makes failed or older events wait again, up to a limit', async () => {
      await append(row(1))
      await insert()
      await append(row(2), row(3))
      await collect()
      await claim()
      await settle([result(2, 'failed'), result(3, 'delivered')])
      const { deliveries } = store.outbox
      const options = { now: LATER, limit: 10 }
      const endpointId = endpoint(1).id
      assert.equal(await deliveries.replay(OTHER_TENANT, { endpointId, failed: true }, options), 0)
      assert.equal(await deliveries.replay(TENANT, { endpointId, failed: true }, options), 1)
      assert.deepEqual(await claim(), [row(2).id])
      assert.equal(
        await deliveries.replay(TENANT, { endpointId, from: moment(0) }, { now: LATER, limit: 1 }),
        null,
      )
      assert.equal(await deliveries.replay(TENANT, { endpointId, from: moment(0) }, options), 2)
      assert.deepEqual(await claim(), [row(1).id, row(3).id])
      const eventIds = [row(1).id]
      assert.equal(await deliveries.replay(TENANT, { endpointId, eventIds }, options), 0)
    })

    it('a disabled endpoint drops waiting deliveries and gets new events once it is enabled', async () => {
      await insert()
      await append(row(1))
      await collect()
      const { endpoints, deliveries } = store.outbox
      const { id } = endpoint(1)
      await endpoints.update(TENANT, id, { enabled: false, disabledReason: '410 Gone' })
      const [one] = (await deliveries.list(TENANT, {})).deliveries
      assert.equal(one?.state, 'failed')
      await append(row(2))
      assert.equal(await collect(), 0)
      await endpoints.update(TENANT, id, { enabled: true, disabledReason: null })
      await append(row(3))
      await collect()
      assert.deepEqual(await claim(), [row(3).id])
    })

    it('an endpoint with too many waiting deliveries is disabled', async () => {
      await insert()
      await append(row(1), row(2), row(3))
      await collect({ maxWaiting: 2 })
      const record = await store.outbox.endpoints.get(TENANT, endpoint(1).id)
      assert.equal(record?.enabled, false)
      assert.equal(record.disabledReason, 'too many waiting')
    })

    it('SH-20 prune deletes rows that no delivery waits for', async () => {
      await append(row(1))
      await insert()
      await append(row(2), row(3))
      const { outbox } = store
      assert.equal(await outbox.prune(new Date(LATER.getTime() + 1)), 1)
      await collect()
      await claim()
      await settle([result(2, 'delivered')])
      assert.equal(await outbox.prune(LATER), 0)
      assert.equal(await outbox.prune(new Date(LATER.getTime() + 1)), 1)
      assert.deepEqual((await ids()).ids, [row(3).id])
    })
  })
}

function row(n: number, fields: Partial<OutboxRow> = {}): OutboxRow {
  const id = `40000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  return {
    id,
    tenant: TENANT,
    type: 'user.updated',
    resourceType: 'User',
    resourceId: `r${n}`,
    at: moment(n).toISOString(),
    requestId: `q${n}`,
    actor: null,
    setId: id,
    op: 'patch',
    data: '{}',
    ...fields,
  }
}

function endpoint(n: number): EndpointRecord {
  return {
    id: `50000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    tenant: TENANT,
    kind: 'webhook',
    url: 'https://receiver.example/hook',
    audience: null,
    events: null,
    description: null,
    secrets: 'sealed',
    enabled: true,
    disabledReason: null,
    created: moment(n),
  }
}

function result(
  n: number,
  state: DeliveryResult['state'],
  nextAt: Date | null = null,
): DeliveryResult {
  return { eventId: row(n).id, state, attempts: 1, nextAt, lastStatus: null, lastError: null }
}
