import assert from 'node:assert/strict'
import type { ScimStore } from '../store/scim-store.ts'
import {
  collect,
  groupRecord,
  moment,
  OTHER_TENANT,
  TENANT,
  userRecord,
  type StoreSpec,
} from './fixture.ts'

const GROUP = groupRecord(1).id
const OTHER_GROUP = groupRecord(2).id
const id = (n: number): string => userRecord(n).id

export const membersSpec: StoreSpec = ({ describe, it }, store) => {
  describe('members', () => {
    it('SC-58 add returns the ids that were new', async () => {
      await fill(store())
      assert.deepEqual(await store().members.add(TENANT, GROUP, [id(1), id(2)], moment(1)), [
        id(1),
        id(2),
      ])
      const again = await store().members.add(TENANT, GROUP, [id(2), id(3)], moment(2))
      assert.deepEqual(again, [id(3)])
      assert.deepEqual(await store().members.add(TENANT, GROUP, [], moment(2)), [])
      assert.equal(await store().members.count(TENANT, GROUP), 3)
      assert.equal(await store().members.count(TENANT, OTHER_GROUP), 0)
      const { countAll } = store().members
      if (countAll !== undefined) {
        assert.equal(await countAll(TENANT, 100), 3)
        assert.equal(await countAll(TENANT, 2), 2)
        assert.equal(await countAll(OTHER_TENANT, 100), 0)
      }
    })

    it('SH-64 pages, where a store offers them, hold what list gives', async () => {
      await fill(store())
      const { members } = store()
      await members.add(TENANT, GROUP, [id(2), id(1)], moment(1))
      await members.add(TENANT, GROUP, [id(3)], moment(2))
      const listed = await collect(members.list(TENANT, GROUP))
      assert.equal(listed.length, 3)
      const pages = members.pages?.(TENANT, GROUP)
      if (pages !== undefined) assert.deepEqual((await collect(pages)).flat(), listed)
    })

    it('SH-77 ofGroups, where a store offers it, holds what list gives of each group', async () => {
      await fill(store())
      const { members } = store()
      if (members.ofGroups === undefined) return
      await members.add(TENANT, GROUP, [id(2), OTHER_GROUP], moment(2))
      await members.add(TENANT, GROUP, [id(1)], moment(1))
      await members.add(TENANT, OTHER_GROUP, [id(3)], moment(1))
      await members.add(OTHER_TENANT, GROUP, [id(4)], moment(1))
      const groups = [OTHER_GROUP, 'nothing', GROUP]
      const found = await members.ofGroups(TENANT, groups, 4)
      for (const group of groups) {
        const listed = await collect(members.list(TENANT, group))
        assert.deepEqual(found?.get(group) ?? [], listed)
      }
      assert.equal(await members.ofGroups(TENANT, groups, 3), null)
    })

    it('SC-58 remove returns the ids that were members', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [id(1), id(2)], moment(1))
      assert.deepEqual(await store().members.remove(TENANT, GROUP, [id(2), id(3), 'ghost']), [
        id(2),
      ])
      assert.deepEqual(await store().members.remove(TENANT, GROUP, [id(2)]), [])
      assert.equal(await store().members.clear(TENANT, GROUP), 1)
      assert.equal(await store().members.clear(TENANT, GROUP), 0)
    })

    it('SC-21 the list is ordered by time added, then id, and has display names', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [id(3), id(2)], moment(2))
      await store().members.add(TENANT, GROUP, [id(4)], moment(1))
      const rows = await collect(store().members.list(TENANT, GROUP))
      assert.deepEqual(rows, [
        { id: id(4), type: 'User', display: null },
        { id: id(2), type: 'User', display: 'Name 2' },
        { id: id(3), type: 'User', display: 'Name 3' },
      ])
      const first = await collect(store().members.list(TENANT, GROUP, { limit: 2 }))
      assert.deepEqual(first, rows.slice(0, 2))
      const rest = await collect(store().members.list(TENANT, GROUP, { after: id(2), limit: 2 }))
      assert.deepEqual(rest, rows.slice(2))
      assert.deepEqual(await collect(store().members.list(TENANT, 'nothing')), [])
    })

    it('SC-21 display names are current', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [id(2)], moment(2))
      const renamed = userRecord(2, { data: '{"displayName":"New"}', version: 2 })
      await store().users.update(TENANT, renamed, 1)
      const [row] = await collect(store().members.list(TENANT, GROUP))
      assert.equal(row?.display, 'New')
    })

    it('a group can be a member', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [OTHER_GROUP, id(1)], moment(1))
      const rows = await collect(store().members.list(TENANT, GROUP))
      assert.deepEqual(
        rows.map(({ type, display }) => [type, display]),
        [
          ['User', 'Name 1'],
          ['Group', 'Group 2'],
        ],
      )
      const groups = await store().members.groupsOf(TENANT, [OTHER_GROUP])
      assert.deepEqual(groups.get(OTHER_GROUP), [{ id: GROUP, displayName: 'Group 1' }])
    })

    it('has returns which ids are members', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [id(1)], moment(1))
      assert.deepEqual(await store().members.has(TENANT, GROUP, [id(1), id(2)]), new Set([id(1)]))
      assert.deepEqual(await store().members.has(TENANT, OTHER_GROUP, [id(1)]), new Set())
    })

    it('groupsOf gives the groups of each, by id; removeUser ends them all', async () => {
      await fill(store())
      await store().members.add(TENANT, OTHER_GROUP, [id(1)], moment(1))
      await store().members.add(TENANT, GROUP, [id(1), id(2)], moment(2))
      const groups = await store().members.groupsOf(TENANT, [id(1), id(2), id(3)])
      assert.deepEqual(groups.get(id(1)), [
        { id: GROUP, displayName: 'Group 1' },
        { id: OTHER_GROUP, displayName: 'Group 2' },
      ])
      assert.equal(groups.get(id(3)), undefined)
      const left = await store().members.removeUser(TENANT, id(1))
      assert.deepEqual(left.toSorted(), [GROUP, OTHER_GROUP])
      assert.deepEqual(await store().members.removeUser(TENANT, id(1)), [])
      assert.equal(await store().members.count(TENANT, GROUP), 1)
    })

    it('SC-67 membership is per tenant', async () => {
      await fill(store())
      await store().members.add(TENANT, GROUP, [id(1)], moment(1))
      assert.equal(await store().members.count(OTHER_TENANT, GROUP), 0)
      assert.deepEqual(await collect(store().members.list(OTHER_TENANT, GROUP)), [])
      assert.deepEqual(await store().members.remove(OTHER_TENANT, GROUP, [id(1)]), [])
      assert.equal((await store().members.groupsOf(OTHER_TENANT, [id(1)])).size, 0)
      assert.equal(await store().members.count(TENANT, GROUP), 1)
    })

    it('SC-58 hundreds of ids in one call', async () => {
      const ids = Array.from({ length: 1_200 }, (_, n) => id(n))
      await store().transaction(TENANT, async (tx) => {
        await tx.groups.insert(TENANT, groupRecord(1))
        for (let n = 0; n < 1_200; n += 1) await tx.users.insert(TENANT, userRecord(n))
      })
      assert.equal((await store().users.briefs(TENANT, ids)).size, 1_200)
      assert.equal((await store().members.add(TENANT, GROUP, ids, moment(1))).length, 1_200)
      assert.equal((await store().members.has(TENANT, GROUP, ids)).size, 1_200)
      assert.equal((await store().members.groupsOf(TENANT, ids)).size, 1_200)
      assert.equal((await collect(store().members.list(TENANT, GROUP))).length, 1_200)
      assert.equal((await store().members.remove(TENANT, GROUP, ids)).length, 1_200)
    })
  })
}

async function fill(store: ScimStore): Promise<void> {
  for (const n of [1, 2]) await store.groups.insert(TENANT, groupRecord(n))
  for (const n of [1, 2, 3]) {
    await store.users.insert(TENANT, userRecord(n, { data: `{"displayName":"Name ${n}"}` }))
  }
  await store.users.insert(TENANT, userRecord(4))
}
