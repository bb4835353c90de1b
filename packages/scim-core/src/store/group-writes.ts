import type { GroupRecord, GroupStore, GroupWrite } from './groups.ts'
import type { MemberStore } from './members.ts'
import type { ResourceStore } from './resources.ts'
import type { ScimStore } from './scim-store.ts'
import type { UserStore } from './users.ts'

/** Maximum ids per change, so that a hook never receives a whole large group. */
const CHUNK = 1_000

/** A transaction's store that reports changes of its groups. */
export interface ObservedStore {
  readonly store: ScimStore
  /** Reports the pending changes; called before the commit. */
  readonly flush: () => Promise<void>
}

/** Members added and removed since the last report. */
interface Pending {
  readonly tenant: string
  readonly groupId: string
  readonly added: Set<string>
  readonly removed: Set<string>
}

/**
 * Reports every write of groups and members of a transaction, in this order: `create`, then its
 * members; members, then `update` or `remove`; members that leave before their user is removed. Membership
 * changes are collected until then, so that those undone within the transaction are not reported.
 */
export function observeGroupWrites(
  tx: ScimStore,
  notify: (change: GroupWrite) => void | Promise<void>,
): ObservedStore {
  const pending = new Map<string, Pending>()
  const names = new Map<string, GroupRecord>()
  const keyOf = (tenant: string, groupId: string): string => `${tenant}\n${groupId}`

  const gather = (tenant: string, groupId: string): Pending => {
    const key = keyOf(tenant, groupId)
    const known = pending.get(key)
    if (known !== undefined) return known
    const fresh = { tenant, groupId, added: new Set<string>(), removed: new Set<string>() }
    pending.set(key, fresh)
    return fresh
  }
  const read = async (tenant: string, id: string): Promise<GroupRecord | null> =>
    names.get(keyOf(tenant, id)) ?? (await tx.groups.get(tenant, id))

  const report = async ({ tenant, groupId, added, removed }: Pending): Promise<void> => {
    const size = added.size + removed.size
    if (size === 0) return
    const displayName = (await read(tenant, groupId))?.displayName ?? ''
    if (size <= CHUNK) {
      const change = { tenant, groupId, displayName, added: [...added], removed: [...removed] }
      await notify({ kind: 'members', ...change })
      return
    }
    const ids = [...[...added].map((id) => ({ id, isNew: true })), ...[...removed].map(leaving)]
    for (let start = 0; start < ids.length; start += CHUNK) {
      const part = ids.slice(start, start + CHUNK)
      await notify({
        kind: 'members',
        tenant,
        groupId,
        displayName,
        added: part.filter(({ isNew }) => isNew).map(({ id }) => id),
        removed: part.filter(({ isNew }) => !isNew).map(({ id }) => id),
      })
    }
  }
  const flushOf = async (key: string): Promise<void> => {
    const change = pending.get(key)
    if (change === undefined) return
    pending.delete(key)
    await report(change)
  }
  const flush = async (): Promise<void> => {
    for (const key of pending.keys()) await flushOf(key)
  }

  const observedGroups = (): GroupStore => ({
    ...tx.groups,
    async get(tenant, id, options) {
      const record = await tx.groups.get(tenant, id, options)
      if (record !== null) names.set(keyOf(tenant, id), record)
      return record
    },
    async insert(tenant, record) {
      await tx.groups.insert(tenant, record)
      names.set(keyOf(tenant, record.id), record)
      await notify({ kind: 'create', before: null, after: record })
    },
    async update(tenant, record, expectedVersion) {
      const before = await read(tenant, record.id)
      if (!(await tx.groups.update(tenant, record, expectedVersion))) return false
      const key = keyOf(tenant, record.id)
      await flushOf(key)
      names.set(key, record)
      if (before !== null && differs(before, record)) {
        await notify({ kind: 'update', before, after: record })
      }
      return true
    },
    async remove(tenant, id) {
      const before = await read(tenant, id)
      if (!(await tx.groups.remove(tenant, id))) return false
      const key = keyOf(tenant, id)
      if (before !== null) names.set(key, before)
      await flushOf(key)
      names.delete(key)
      if (before !== null) await notify({ kind: 'remove', before, after: null })
      return true
    },
  })

  const observedMembers = (): MemberStore => ({
    ...tx.members,
    async add(tenant, groupId, memberIds, at) {
      const ids = await tx.members.add(tenant, groupId, memberIds, at)
      const { added, removed } = gather(tenant, groupId)
      for (const id of ids) if (!removed.delete(id)) added.add(id)
      return ids
    },
    async remove(tenant, groupId, memberIds) {
      const ids = await tx.members.remove(tenant, groupId, memberIds)
      const { added, removed } = gather(tenant, groupId)
      for (const id of ids) if (!added.delete(id)) removed.add(id)
      return ids
    },
    async clear(tenant, groupId) {
      await flushOf(keyOf(tenant, groupId))
      for (let total = 0; ;) {
        const ids: string[] = []
        const page = { limit: CHUNK }
        for await (const { id } of tx.members.list(tenant, groupId, page)) ids.push(id)
        // Members that are no longer listed are removed without a report.
        if (ids.length === 0) return total + (await tx.members.clear(tenant, groupId))
        const removed = new Set(await tx.members.remove(tenant, groupId, ids))
        total += removed.size
        await report({ tenant, groupId, added: new Set(), removed })
      }
    },
    async removeUser(tenant, memberId) {
      const left = await tx.members.removeUser(tenant, memberId)
      for (const groupId of left) {
        const { added, removed } = gather(tenant, groupId)
        if (!added.delete(memberId)) removed.add(memberId)
      }
      return left
    },
  })

  const observedUsers = (): UserStore => ({
    ...tx.users,
    async update(tenant, record, expectedVersion) {
      if (record.deletedAt !== null) await flush()
      return tx.users.update(tenant, record, expectedVersion)
    },
    async remove(tenant, id) {
      await flush()
      return tx.users.remove(tenant, id)
    },
  })

  let groups: GroupStore | undefined
  let members: MemberStore | undefined
  let users: UserStore | undefined
  // Its parts are created on first use: most transactions need only one or two.
  const store: ScimStore = {
    handle: tx.handle,
    ...(tx.writePending !== undefined && { writePending: async () => tx.writePending?.() }),
    ...(tx.newId !== undefined && { newId: tx.newId }),
    ...(tx.resources !== undefined && { resources: (type: string) => resourcesOf(tx, type) }),
    get groups() {
      return (groups ??= observedGroups())
    },
    get members() {
      return (members ??= observedMembers())
    },
    get users() {
      return (users ??= observedUsers())
    },
    async transaction(tenant, work) {
      await flush()
      try {
        return await tx.transaction(tenant, async () => {
          const result = await work(store)
          await flush()
          return result
        })
      } catch (error) {
        pending.clear()
        names.clear()
        throw error
      }
    },
  }
  if ('outbox' in tx) Object.defineProperty(store, 'outbox', { get: () => tx.outbox })
  return { store, flush }
}

/** Calls the method on its object, because it may use `this`. */
function resourcesOf(tx: ScimStore, type: string): ResourceStore {
  const store = tx.resources?.(type)
  if (store === undefined) throw new TypeError('The store has no resources')
  return store
}

function leaving(id: string): { id: string; isNew: boolean } {
  return { id, isNew: false }
}

/** Returns whether more than the members changed. */
function differs(before: GroupRecord, after: GroupRecord): boolean {
  return (
    before.displayName !== after.displayName ||
    before.externalId !== after.externalId ||
    before.data !== after.data
  )
}
