import assert from 'node:assert/strict'
import { isUniqueConflict } from '../store/errors.ts'
import { groupRecord, moment, TENANT, userRecord, type StoreSpec } from './fixture.ts'

class Abandoned extends Error {}

export const transactionSpec: StoreSpec = ({ describe, it }, store) => {
  describe('transactions', () => {
    it('SC-29 commits all of it, and gives the result', async () => {
      const result = await store().transaction(TENANT, async (tx) => {
        await tx.users.insert(TENANT, userRecord(1))
        await tx.groups.insert(TENANT, groupRecord(1))
        assert.notEqual(await tx.users.get(TENANT, userRecord(1).id, { forUpdate: true }), null)
        return 'done'
      })
      assert.equal(result, 'done')
      assert.notEqual(await store().users.get(TENANT, userRecord(1).id), null)
      assert.notEqual(await store().groups.get(TENANT, groupRecord(1).id), null)
    })

    it('SC-29 an error rolls everything back and is rethrown unchanged', async () => {
      await store().users.insert(TENANT, userRecord(1))
      await store().groups.insert(TENANT, groupRecord(1))
      await store().members.add(TENANT, groupRecord(1).id, [userRecord(1).id], moment(1))
      const abandoned = new Abandoned('no')
      const attempt = store().transaction(TENANT, async (tx) => {
        await tx.users.insert(TENANT, userRecord(2))
        await tx.users.update(TENANT, userRecord(1, { active: false, version: 2 }), 1)
        await tx.members.clear(TENANT, groupRecord(1).id)
        await tx.groups.remove(TENANT, groupRecord(1).id)
        throw abandoned
      })
      await assert.rejects(attempt, (error) => error === abandoned)
      assert.equal(await store().users.get(TENANT, userRecord(2).id), null)
      assert.deepEqual(await store().users.get(TENANT, userRecord(1).id), userRecord(1))
      assert.equal(await store().members.count(TENANT, groupRecord(1).id), 1)
      assert.deepEqual(await store().groups.get(TENANT, groupRecord(1).id), groupRecord(1))
    })

    it('SC-83 a conflict inside rolls everything back', async () => {
      await store().users.insert(TENANT, userRecord(1))
      const attempt = store().transaction(TENANT, async (tx) => {
        await tx.users.insert(TENANT, userRecord(2))
        await tx.users.insert(TENANT, { ...userRecord(3), userNameKey: userRecord(1).userNameKey })
      })
      await assert.rejects(attempt, isUniqueConflict)
      assert.equal(await store().users.get(TENANT, userRecord(2).id), null)
    })
  })
}

export const concurrencySpec: StoreSpec = ({ describe, it }, store) => {
  describe('several callers at a time', () => {
    it('SC-26 of ten inserts of one userName one succeeds', async () => {
      const attempts = Array.from({ length: 10 }, (_, n) =>
        store().transaction(TENANT, (tx) =>
          tx.users.insert(TENANT, userRecord(n, { userName: 'same@corp.example' })),
        ),
      )
      const results = await Promise.allSettled(attempts)
      const failed = results.filter((result) => result.status === 'rejected')
      assert.equal(failed.length, 9)
      assert.ok(failed.every(({ reason }) => isUniqueConflict(reason)))
      const { total } = await store().users.list(TENANT, { limit: 10, withTotal: true })
      assert.equal(total, 1)
    })

    it('SC-59 no member added at the same time is lost', async () => {
      await store().groups.insert(TENANT, groupRecord(1))
      for (let n = 0; n < 30; n += 1) await store().users.insert(TENANT, userRecord(n))
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          store().transaction(TENANT, async (tx) => {
            const group = await tx.groups.get(TENANT, groupRecord(1).id, { forUpdate: true })
            assert.notEqual(group, null)
            await tx.members.add(TENANT, groupRecord(1).id, [userRecord(n).id], moment(n))
          }),
        ),
      )
      assert.equal(await store().members.count(TENANT, groupRecord(1).id), 30)
    })

    it('SC-85 with a locked read every counted update succeeds', async () => {
      await store().users.insert(TENANT, userRecord(1))
      const { id } = userRecord(1)
      await Promise.all(
        Array.from({ length: 10 }, () =>
          store().transaction(TENANT, async (tx) => {
            const user = await tx.users.get(TENANT, id, { forUpdate: true })
            assert.ok(user !== null)
            const next = { ...user, version: user.version + 1 }
            assert.equal(await tx.users.update(TENANT, next, user.version), true)
          }),
        ),
      )
      assert.equal((await store().users.get(TENANT, id))?.version, 11)
    })
  })
}
