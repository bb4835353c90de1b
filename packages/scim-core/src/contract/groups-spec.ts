import assert from 'node:assert/strict'
import { isUniqueConflict } from '../store/errors.ts'
import {
  groupFilter,
  groupRecord,
  moment,
  OTHER_TENANT,
  TENANT,
  type StoreSpec,
} from './fixture.ts'

export const groupsSpec: StoreSpec = ({ describe, it }, store) => {
  describe('groups', () => {
    it('SC-82 insert stores every field; missing ones are null', async () => {
      const record = groupRecord(1, { externalId: 'G-1', data: '{"urn:example:x":{"a":"ß"}}' })
      await store().groups.insert(TENANT, record)
      assert.deepEqual(await store().groups.get(TENANT, record.id), record)
      assert.equal(await store().groups.get(TENANT, 'nothing'), null)
      assert.equal(await store().groups.get(OTHER_TENANT, record.id), null)
    })

    it('SC-83 names are unique only where the unique key is set', async () => {
      await store().groups.insert(TENANT, groupRecord(1, { displayName: 'Core' }))
      const twin = groupRecord(2, { displayName: 'CORE' })
      await assert.rejects(store().groups.insert(TENANT, twin), isNameConflict)
      await store().groups.insert(TENANT, { ...twin, uniqueKey: null })
      await store().groups.insert(TENANT, groupRecord(3, { displayName: 'Core', uniqueKey: null }))
      await store().groups.insert(OTHER_TENANT, {
        ...groupRecord(4, { displayName: 'core' }),
        tenant: OTHER_TENANT,
      })
      const { total } = await store().groups.list(TENANT, {
        filter: groupFilter('displayName eq "core"'),
        limit: 10,
        withTotal: true,
      })
      assert.equal(total, 3)
    })

    it('SC-85 update compares the version; a taken name is a conflict', async () => {
      await store().groups.insert(TENANT, groupRecord(1))
      await store().groups.insert(TENANT, groupRecord(2))
      const next = groupRecord(1, { displayName: 'Renamed', lastModified: moment(50), version: 2 })
      assert.equal(await store().groups.update(TENANT, next, 3), false)
      assert.equal(await store().groups.update(TENANT, next, 1), true)
      assert.deepEqual(await store().groups.get(TENANT, next.id), next)
      const clash = groupRecord(2, { displayName: 'RENAMED', version: 2 })
      await assert.rejects(store().groups.update(TENANT, clash, 1), isNameConflict)
    })

    it('remove deletes once; briefs name those that exist', async () => {
      await store().groups.insert(TENANT, groupRecord(1))
      await store().groups.insert(TENANT, groupRecord(2))
      const ids = [groupRecord(1).id, groupRecord(2).id]
      assert.equal(await store().groups.remove(TENANT, groupRecord(1).id), true)
      assert.equal(await store().groups.remove(TENANT, groupRecord(1).id), false)
      const briefs = await store().groups.briefs(TENANT, ids)
      assert.deepEqual([...briefs.values()], [{ id: groupRecord(2).id, displayName: 'Group 2' }])
    })
  })
}

function isNameConflict(error: unknown): boolean {
  return isUniqueConflict(error) && error.constraint === 'group.displayName'
}
