import type { OnUserWrite, UserChange, UserRecord, UserStore } from '../store/users.ts'
import { removeOwned } from './cascade.ts'
import { compareText, copy, copyOrNull, patched, sliceRows } from '@x/wire'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of users; `written` is called on every write. */
export function createUsers(
  tables: MemoryTables,
  written: (change: UserChange) => ReturnType<OnUserWrite<never>>,
): UserStore {
  const { users } = tables
  return {
    get: async (id) => copyOrNull(users.get(id)),
    findByUsername: async (username) => copyOrNull(users.find('user.username', username)),
    findSuperuser: async () => copyOrNull(users.filter((user) => user.isSuperuser)[0]),
    list: async (range) => sliceRows(users.filter(() => true).toSorted(byCreation), range),
    countActiveSuperusers: async () =>
      users.filter((user) => user.isSuperuser && user.isActive).length,
    async insert(record) {
      users.insert(copy(record))
      await written({ kind: 'create', before: null, after: copy(record) })
    },
    async update(id, patch) {
      const before = users.get(id)
      if (before === undefined) return null
      const after = patched(before, patch)
      users.replace(after)
      await written({ kind: kindOf(before, after), before: copy(before), after: copy(after) })
      return copy(after)
    },
    async remove(id) {
      const before = users.get(id)
      const flowIds = removeOwned(tables, id)
      if (before === undefined) return false
      users.delete(id)
      await written({ kind: 'remove', before: copy(before), after: null, flowIds })
      return true
    },
  }
}

function byCreation(a: UserRecord, b: UserRecord): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || compareText(a.id, b.id)
}

function kindOf(before: UserRecord, after: UserRecord): UserChange['kind'] {
  if (before.isActive === after.isActive) return 'update'
  return after.isActive ? 'reactivate' : 'deactivate'
}
