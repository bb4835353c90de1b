import assert from 'node:assert/strict'
import { isUniqueConflict } from '../store/errors.ts'
import { moment, OTHER_TENANT, TENANT, userRecord, type StoreSpec } from './fixture.ts'

const UNICODE = JSON.stringify({
  displayName: 'Zoë 🚀 "quoted" \\ Ω',
  title: '',
  name: { formatted: 'line\nbreak\ttab' },
  'urn:example:badge': { tags: [], level: 0, nested: { empty: {} } },
})

export const usersSpec: StoreSpec = ({ describe, it }, store) => {
  describe('users', () => {
    it('SC-82 insert stores every field; missing ones are null', async () => {
      const record = userRecord(1, { externalId: 'HR-1', active: null, data: UNICODE })
      await store().users.insert(TENANT, record)
      assert.deepEqual(await store().users.get(TENANT, record.id), record)
      assert.equal(await store().users.get(TENANT, 'nobody'), null)
      assert.equal(await store().users.get(TENANT, `' or 1=1 --${'x'.repeat(5_000)}`), null)
    })

    it('SC-82 times are kept to the millisecond', async () => {
      const record = userRecord(1, { created: moment(123), lastModified: moment(456_789) })
      await store().users.insert(TENANT, record)
      const read = await store().users.get(TENANT, record.id)
      assert.equal(read?.created.toISOString(), record.created.toISOString())
      assert.equal(read?.lastModified.toISOString(), record.lastModified.toISOString())
    })

    it('what is returned is a copy', async () => {
      const record = userRecord(1)
      await store().users.insert(TENANT, record)
      const read = await store().users.get(TENANT, record.id)
      read?.created.setTime(0)
      assert.deepEqual((await store().users.get(TENANT, record.id))?.created, record.created)
    })

    it('SC-83 a second user with the same key is a conflict, on insert and update', async () => {
      await store().users.insert(TENANT, userRecord(1, { userName: 'Ada@corp.example' }))
      await store().users.insert(TENANT, userRecord(2))
      const twin = userRecord(3, { userName: 'ADA@corp.example' })
      await assert.rejects(store().users.insert(TENANT, twin), isUserNameConflict)
      const renamed = {
        ...userRecord(2),
        userName: 'ada@CORP.example',
        userNameKey: 'ada@corp.example',
        version: 2,
      }
      await assert.rejects(store().users.update(TENANT, renamed, 1), isUserNameConflict)
      assert.equal((await store().users.get(TENANT, renamed.id))?.userName, userRecord(2).userName)
    })

    it('SC-85 update compares the version and writes all fields', async () => {
      const record = userRecord(1)
      await store().users.insert(TENANT, record)
      const next = {
        ...record,
        externalId: 'x',
        userName: 'new@corp.example',
        userNameKey: 'new@corp.example',
        active: false,
        data: UNICODE,
        lastModified: moment(99),
        version: 2,
      }
      assert.equal(await store().users.update(TENANT, next, 7), false)
      assert.deepEqual(await store().users.get(TENANT, record.id), record)
      assert.equal(await store().users.update(TENANT, next, 1), true)
      assert.deepEqual(await store().users.get(TENANT, record.id), next)
      assert.equal(await store().users.update(TENANT, userRecord(9), 1), false)
    })

    it('SC-28 a tombstone is not found, and its userName is free', async () => {
      const record = userRecord(1)
      await store().users.insert(TENANT, record)
      const dead = { ...record, active: false, version: 2, deletedAt: moment(5) }
      assert.equal(await store().users.update(TENANT, dead, 1), true)
      assert.equal(await store().users.get(TENANT, record.id), null)
      assert.equal((await store().users.briefs(TENANT, [record.id])).size, 0)
      const { total } = await store().users.list(TENANT, { limit: 10, withTotal: true })
      assert.equal(total, 0)
      await store().users.insert(TENANT, {
        ...userRecord(2),
        userName: record.userName,
        userNameKey: record.userNameKey,
      })
      assert.equal(await store().users.update(TENANT, dead, 2), false)
    })

    it('SC-28 remove deletes; a second time there is nothing to delete', async () => {
      const record = userRecord(1)
      await store().users.insert(TENANT, record)
      assert.equal(await store().users.remove(TENANT, record.id), true)
      assert.equal(await store().users.remove(TENANT, record.id), false)
      assert.equal(await store().users.get(TENANT, record.id), null)
      await store().users.insert(TENANT, record)
    })

    it('SC-21 briefs return the display data of existing users', async () => {
      const full = userRecord(1, { data: '{"displayName":"Ada L","name":{"formatted":"x"}}' })
      const parts = userRecord(2, { data: '{"name":{"givenName":"Alan","familyName":"Turing"}}' })
      const bare = userRecord(3)
      for (const record of [full, parts, bare]) await store().users.insert(TENANT, record)
      const briefs = await store().users.briefs(TENANT, [full.id, parts.id, bare.id, 'ghost'])
      assert.deepEqual(briefs.get(full.id), { id: full.id, display: 'Ada L' })
      assert.deepEqual(briefs.get(parts.id), { id: parts.id, display: 'Alan Turing' })
      assert.deepEqual(briefs.get(bare.id), { id: bare.id, display: null })
      assert.equal(briefs.size, 3)
      assert.equal((await store().users.briefs(TENANT, [])).size, 0)
    })

    it('SC-67 tenants do not see each other', async () => {
      const record = userRecord(1)
      await store().users.insert(TENANT, record)
      assert.equal(await store().users.get(OTHER_TENANT, record.id), null)
      assert.equal(await store().users.remove(OTHER_TENANT, record.id), false)
      assert.equal((await store().users.briefs(OTHER_TENANT, [record.id])).size, 0)
      const twin = { ...userRecord(2, { userName: record.userName }), tenant: OTHER_TENANT }
      await store().users.insert(OTHER_TENANT, twin)
      const { records, total } = await store().users.list(OTHER_TENANT, {
        limit: 10,
        withTotal: true,
      })
      assert.equal(total, 1)
      assert.deepEqual(records, [twin])
    })
  })
}

function isUserNameConflict(error: unknown): boolean {
  return isUniqueConflict(error) && error.constraint === 'user.userName'
}
