import assert from 'node:assert/strict'
import type { StoreSubject, TestFunctions } from '@x/scim-core/testing'
import type { LogEntry, LogOutcome } from '../log/log-entry.ts'
import type {
  LinkRecord,
  LogBatch,
  LogRecord,
  PortalStore,
  SessionRecord,
} from '../store/portal-store.ts'

const TENANT = 'acme'
const OTHER = 'globex'
const START = Date.UTC(2031, 4, 1, 9)
const moment = (offset: number): Date => new Date(START + offset)

/**
 * Defines the tests of a portal store for any runner with describe, it, beforeEach and afterEach.
 * Assertions use `node:assert/strict`.
 */
export function definePortalStoreContract(
  t: TestFunctions,
  { name, create, destroy }: StoreSubject<PortalStore>,
): void {
  t.describe(`the contract of portal stores: ${name}`, () => {
    let store: PortalStore
    const names = async (tenant: string): Promise<string[]> =>
      (await store.domains.list(tenant)).map(({ domain }) => domain)
    t.beforeEach(async () => {
      store = await create()
    })
    t.afterEach(() => destroy?.(store))

    t.it('DP-3 keeps links of a tenant, newest first', async () => {
      await store.links.insert(link(1))
      await store.links.insert(link(2))
      await store.links.insert({ ...link(3), tenant: OTHER })
      assert.deepEqual(await store.links.list(TENANT), [link(2), link(1)])
      assert.deepEqual(await store.links.byDigest(link(1).digest), link(1))
      assert.equal(await store.links.byDigest('none'), null)
    })

    t.it('DP-5 lets one of many redeem a link', async () => {
      await store.links.insert(link(1))
      const { digest } = link(1)
      const tries = Array.from(
        { length: 8 },
        async () => await store.links.redeem(digest, moment(9)),
      )
      assert.equal((await Promise.all(tries)).filter(Boolean).length, 1)
      assert.deepEqual((await store.links.byDigest(digest))?.usedAt, moment(9))
      await store.links.insert({ ...link(2), expiresAt: moment(5) })
      assert.equal(await store.links.redeem(link(2).digest, moment(5)), false)
    })

    t.it('DP-6 revokes a link with its sessions, within its tenant', async () => {
      await store.links.insert(link(1))
      await store.sessions.insert(session(1))
      assert.equal(await store.links.revoke(OTHER, link(1).id, moment(3)), false)
      assert.deepEqual(await store.sessions.byDigest(session(1).digest), session(1))
      assert.equal(await store.links.revoke(TENANT, link(1).id, moment(3)), true)
      assert.equal(await store.sessions.byDigest(session(1).digest), null)
      assert.equal(await store.links.redeem(link(1).digest, moment(4)), false)
      assert.deepEqual((await store.links.byDigest(link(1).digest))?.revokedAt, moment(3))
    })

    t.it('DP-6 ends sessions, one or all of a tenant', async () => {
      for (const n of [1, 2, 3]) await store.sessions.insert(session(n))
      await store.sessions.insert({ ...session(4), tenant: OTHER })
      await store.sessions.seen(TENANT, session(1).id, moment(70))
      await store.sessions.seen(OTHER, session(2).id, moment(70))
      assert.deepEqual((await store.sessions.byDigest(session(1).digest))?.seenAt, moment(70))
      assert.deepEqual(await store.sessions.byDigest(session(2).digest), session(2))
      await store.sessions.end(OTHER, session(1).id)
      await store.sessions.end(TENANT, session(2).id)
      assert.equal(await store.sessions.byDigest(session(2).digest), null)
      await store.sessions.endAll(TENANT)
      assert.equal(await store.sessions.byDigest(session(1).digest), null)
      assert.notEqual(await store.sessions.byDigest(session(4).digest), null)
    })

    t.it('DP-35 lists entries of a connection, searched and in pages', async () => {
      await store.log.append(batch([entry(1), entry(2, 'conflict'), entry(3)]))
      await store.log.append(batch([{ ...entry(4), connectionId: 'other' }]))
      const ids = async (query: object): Promise<string[]> => {
        const found = await store.log.list(TENANT, 'c', { limit: 10, ...query })
        return found.map(({ requestId }) => requestId)
      }
      assert.deepEqual(await ids({}), ['r3', 'r2', 'r1'])
      assert.deepEqual(await ids({ outcome: 'conflict' }), ['r2'])
      assert.deepEqual(await ids({ search: 'ada%' }), [])
      assert.deepEqual(await ids({ search: 'user2@' }), ['r2'])
      assert.deepEqual(await ids({ op: 'delete' }), [])
      const [first] = await store.log.list(TENANT, 'c', { limit: 1 })
      assert.deepEqual(await ids({ before: first?.seq }), ['r2', 'r1'])
      assert.deepEqual(first?.entry, entry(3).entry)
      assert.deepEqual(await store.log.list(OTHER, 'c', { limit: 10 }), [])
    })

    t.it('DP-34 keeps the last 20 received writes of a connection', async () => {
      const received = Array.from({ length: 25 }, (_, n) => ({
        tenant: TENANT,
        connectionId: 'c',
        requestId: `r${n}`,
        at: moment(n),
        userId: 'u',
        userName: 'ada@corp.example',
        op: 'create',
        body: { userName: 'ada@corp.example', nested: ['ß\0'] },
        ignored: [{ path: 'shoeSize', reason: 'unknown_attribute' }],
      }))
      await store.log.append({ ...batch([]), received })
      const found = await store.log.received(TENANT, 'c')
      assert.equal(found.length, 20)
      assert.deepEqual(found[0], received[24])
      assert.deepEqual(await store.log.received(OTHER, 'c'), [])
    })

    t.it('DP-36 counts requests, also of writers at once', async () => {
      const firstUser = { id: 'u', userName: 'ada', at: moment(2) }
      const change = { tenant: TENANT, connectionId: 'c', requests: 2, lastRequestAt: moment(1) }
      const facts = [{ ...change, firstUser: null }]
      await Promise.all([1, 2, 3].map(async () => await store.log.append({ ...batch([]), facts })))
      await store.log.append({ ...batch([]), facts: [{ ...change, firstUser }] })
      const later = { ...firstUser, id: 'v' }
      await store.log.append({
        ...batch([]),
        facts: [{ ...change, lastRequestAt: null, firstUser: later }],
      })
      const found = await store.log.facts(TENANT, 'c')
      assert.deepEqual(found, { cursor: 5, requests: 10, lastRequestAt: moment(1), firstUser })
      assert.equal((await store.log.facts(OTHER, 'c')).requests, 0)
    })

    t.it('DP-43 knows whom a connection wrote last, until it is forgotten', async () => {
      const writer = (userId: string, connectionId: string | null) => ({
        tenant: TENANT,
        userId,
        connectionId,
        at: moment(1),
      })
      await store.log.append({
        ...batch([entry(1)]),
        writers: [writer('a', 'c'), writer('b', 'c'), writer('d', 'c'), writer('b', null)],
      })
      assert.deepEqual(await store.log.written(TENANT, 'c', { limit: 9 }), ['a', 'd'])
      assert.deepEqual(await store.log.written(TENANT, 'c', { after: 'a', limit: 9 }), ['d'])
      await store.log.forget(OTHER, 'c')
      assert.equal((await store.log.list(TENANT, 'c', { limit: 9 })).length, 1)
      await store.log.forget(TENANT, 'c')
      assert.deepEqual(await store.log.written(TENANT, 'c', { limit: 9 }), [])
      assert.deepEqual(await store.log.list(TENANT, 'c', { limit: 9 }), [])
    })

    t.it('DP-12 keeps who did what, newest first', async () => {
      const acts = [1, 2, 3].map((n) => ({
        tenant: TENANT,
        at: moment(n),
        actor: 'mira',
        action: `act${n}`,
        target: n === 1 ? null : 't',
      }))
      for (const act of acts) await store.activity.append(act)
      await store.activity.append({
        tenant: OTHER,
        at: moment(1),
        actor: 'x',
        action: 'y',
        target: null,
      })
      const found = await store.activity.list(TENANT, { limit: 2 })
      assert.deepEqual(
        found.map(({ action }) => action),
        ['act3', 'act2'],
      )
      const rest = await store.activity.list(TENANT, { limit: 2, before: found[1]?.seq })
      assert.deepEqual(
        rest.map(({ action, target }) => [action, target]),
        [['act1', null]],
      )
    })

    t.it('DP-50 keeps domains of a tenant with their value, up to a limit', async () => {
      const input = (domain: string, tenant = TENANT) => ({
        tenant,
        domain,
        value: `v-${domain}`,
        at: moment(1),
      })
      const added = await store.domains.add(input('b.example'), 2)
      assert.deepEqual([added?.state, added?.value], ['pending', 'v-b.example'])
      await store.domains.add(input('a.example'), 2)
      assert.equal(await store.domains.add(input('c.example'), 2), null)
      const again = await store.domains.add({ ...input('b.example'), value: 'other' }, 2)
      assert.deepEqual(again, added)
      await store.domains.remove(TENANT, 'b.example')
      assert.deepEqual(await names(TENANT), ['a.example'])
      const back = await store.domains.add({ ...input('b.example'), value: 'other' }, 2)
      assert.equal(back?.value, 'v-b.example')
      assert.deepEqual(await names(TENANT), ['a.example', 'b.example'])
      assert.deepEqual(await names(OTHER), [])
      assert.equal(await store.domains.get(OTHER, 'a.example'), null)
    })

    t.it('DP-51 lets one of many tenants hold a domain', async () => {
      const tenants = ['t1', 't2', 't3', 't4']
      const domain = 'corp.example'
      for (const tenant of tenants)
        await store.domains.add({ tenant, domain, value: 'v', at: moment(1) }, 9)
      const held = await Promise.all(
        tenants.map(async (tenant) => await store.domains.hold(tenant, domain, moment(2))),
      )
      assert.equal(held.filter(Boolean).length, 1)
      const holder = tenants[held.indexOf(true)] ?? ''
      assert.equal(await store.domains.holder(domain), holder)
      assert.equal(await store.domains.holder('other.example'), null)
      const due = await store.domains.due(moment(3), 9)
      assert.deepEqual(
        due.map(({ tenant, verifiedAt }) => [tenant, verifiedAt]),
        [[holder, moment(2)]],
      )
      const failed = { at: moment(5), failures: 1, failedSince: moment(5) }
      await store.domains.checked(holder, domain, failed)
      assert.deepEqual(await store.domains.due(moment(4), 9), [])
      assert.deepEqual((await store.domains.get(holder, domain))?.failedSince, moment(5))
      await store.domains.lapse(holder, domain)
      assert.equal((await store.domains.get(holder, domain))?.state, 'lapsed')
      assert.equal(await store.domains.holder(domain), null)
      const next = tenants.find((tenant) => tenant !== holder) ?? ''
      assert.equal(await store.domains.hold(next, domain, moment(6)), true)
    })

    t.it('DP-40 keeps rules and roles of a tenant, all or nothing', async () => {
      const { roles } = store
      const rules = [{ groupId: 'g', role: 'admin' }]
      const saved = { rules, default: null, applying: { after: 'u\0' } }
      await roles.within(undefined, async (part) => {
        assert.equal(await part.settings(TENANT, 'replace'), null)
        await part.save(TENANT, saved)
        await part.tell(TENANT, new Map([['u', ['admin', 'billing']]]))
        assert.deepEqual(await part.settings(TENANT, 'update'), saved)
        assert.equal(await part.settings(OTHER, 'read'), null)
        const people = await part.people(TENANT, ['u', 'nobody'])
        assert.deepEqual(people.get('u'), { isActive: false, told: ['admin', 'billing'] })
        assert.deepEqual(people.get('nobody'), { isActive: false, told: [] })
      })
      assert.deepEqual((await roles.told(TENANT, ['u', 'v'])).get('u'), ['admin', 'billing'])
      assert.deepEqual((await roles.told(OTHER, ['u'])).get('u') ?? [], [])
      assert.deepEqual(await roles.applying(9), [TENANT])
      await roles.within(undefined, async (part) => {
        await part.save(TENANT, { ...saved, applying: null })
        await part.tell(TENANT, new Map([['u', []]]))
      })
      assert.deepEqual(await roles.applying(9), [])
      assert.deepEqual((await roles.told(TENANT, ['u'])).get('u') ?? [], [])
    })

    t.it('DP-35 trims what is old and what is too much', async () => {
      await store.links.insert({ ...link(1), expiresAt: moment(2) })
      await store.links.insert({ ...link(2), expiresAt: moment(20) })
      await store.log.append(batch([1, 2, 3, 4, 5].map((n) => entry(n))))
      const at = moment(2)
      await store.trim({ ended: moment(10), log: at, entries: 3, received: at, activity: at })
      const found = await store.log.list(TENANT, 'c', { limit: 9 })
      assert.deepEqual(
        found.map(({ requestId }) => requestId),
        ['r5', 'r4', 'r3'],
      )
      assert.deepEqual(await store.links.list(TENANT), [{ ...link(2), expiresAt: moment(20) }])
    })
  })
}

function link(n: number): LinkRecord {
  return {
    id: `l${n}`,
    tenant: TENANT,
    digest: `${n}`.repeat(64),
    tenantName: n === 1 ? null : 'Acme \0',
    actor: 'mira@corp.example',
    permission: 'manage',
    language: 'de',
    returnUrl: null,
    created: moment(n),
    expiresAt: moment(1_000),
    usedAt: null,
    revokedAt: null,
  }
}

function session(n: number): SessionRecord {
  const { usedAt: _used, revokedAt: _revoked, ...shared } = link(n)
  return { ...shared, id: `s${n}`, linkId: 'l1', seenAt: moment(n) }
}

function entry(n: number, outcome: LogOutcome = 'created'): LogRecord {
  const at = moment(n)
  const requestId = `r${n}`
  const log: LogEntry = {
    requestId,
    at: at.toISOString(),
    op: 'create',
    resourceType: 'User',
    resourceId: null,
    name: `user${n}@corp.example`,
    status: 201,
    outcome,
    scimType: null,
    detail: null,
    changed: ['userName'],
    ignored: [],
    members: null,
    durationMs: 1,
    secretId: null,
    clientAddress: null,
    count: 1,
  }
  const search = `user${n}@corp.example\n\n${requestId}`
  const { op } = log
  return { tenant: TENANT, connectionId: 'c', at, requestId, outcome, op, search, entry: log }
}

const batch = (log: readonly LogRecord[]): LogBatch => ({
  log,
  received: [],
  writers: [],
  facts: [],
})
