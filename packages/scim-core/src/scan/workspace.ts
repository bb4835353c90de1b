import { ScimConfigError } from '../base/errors.ts'
import { createTenantState, type TenantState } from '../memory/tenant.ts'
import { groupTest, memberTest, userTest } from './requested-rows.ts'
import { groupOfRow, rowOfGroup, rowOfUser, userOfRow, type DefaultEmail } from './rows.ts'
import type {
  ScanChanges,
  ScanData,
  ScanGroup,
  ScanMember,
  ScanUser,
  ScanRequest,
} from './types.ts'

/** A load returned more users than the store may hold. */
export class ScanLimitError extends Error {
  constructor(tenant: string, maxUsers: number) {
    super(
      `The tenant ${tenant} has more than ${maxUsers} users; let load honour want, or use a store with push-down.`,
    )
    this.name = 'ScanLimitError'
  }
}

/** @throws ScanLimitError */
export function assertCount(
  users: Iterable<ScanUser>,
  { tenant, maxUsers }: { readonly tenant: string; readonly maxUsers: number },
): void {
  if ([...users].length > maxUsers) throw new ScanLimitError(tenant, maxUsers)
}

/** The rows of one tenant loaded by a transaction, and its changes to them. */
export interface Workspace {
  readonly state: TenantState
  /** True until something is loaded or written, so that a page can be used as loaded. */
  readonly isFresh: () => boolean
  /** Loads the missing rows. */
  readonly need: (
    want: Partial<ScanRequest>,
  ) => Promise<Pick<ScanData, 'totalUsers' | 'totalGroups'>>
  /** Returns whether a loaded row lacks a time. */
  readonly lacks: (kind: 'users' | 'groups', time: RowTime) => boolean
  /** Call before a user or group is written. */
  readonly touch: (kind: 'users' | 'groups', id: string) => void
  readonly moved: (kind: 'added' | 'removed', member: ScanMember) => void
  /** The changes since the last call, which count as saved from now on; null if there are none. */
  readonly takeChanges: () => ScanChanges | null
}

export function createWorkspace(
  tenant: string,
  {
    load,
    maxUsers,
    needsVersion = false,
    defaultEmail,
  }: {
    readonly load: (want: ScanRequest) => Promise<ScanData>
    readonly maxUsers: number
    /** True if rows without a version cannot be written. */
    readonly needsVersion?: boolean
    readonly defaultEmail?: DefaultEmail
  },
): Workspace {
  const state = createTenantState()
  const users = new Map<string, ScanUser>()
  const groups = new Map<string, ScanGroup>()
  const members = new Map<string, ScanMember>()
  const touched = { users: new Set<string>(), groups: new Set<string>() }
  const net = { added: new Map<string, ScanMember>(), removed: new Map<string, ScanMember>() }
  const loaded = new Set<string>()
  const lacking = { users: createTimes(), groups: createTimes() }

  const keep = (data: ScanData, want: ScanRequest): void => {
    const [isUser, isGroup] = [userTest(want.users), groupTest(want.groups)]
    const isMember = memberTest(want.members)
    let count = 0
    for (const row of data.users) {
      count += 1
      if (count > maxUsers) throw new ScanLimitError(tenant, maxUsers)
      if (!isUser(row)) continue
      if (users.has(row.id) || touched.users.has(row.id)) continue
      users.set(row.id, row)
      lacking.users.look(row)
      const record = userOfRow(tenant, row, defaultEmail)
      if (record.deletedAt === null) state.users.put(record, [])
    }
    for (const row of data.groups) {
      if (!isGroup(row)) continue
      if (groups.has(row.id) || touched.groups.has(row.id)) continue
      groups.set(row.id, row)
      lacking.groups.look(row)
      state.groups.put(groupOfRow(tenant, row), [])
    }
    for (const row of data.members) {
      if (!isMember(row)) continue
      const key = keyOf(row)
      if (members.has(key) || net.added.has(key)) continue
      members.set(key, row)
      state.relation.add(row.groupId, row.memberId, row.addedAt?.getTime() ?? 0, [])
    }
  }
  const missing = <
    Part extends ScanRequest['users'] | ScanRequest['groups'] | ScanRequest['members'],
  >(
    name: string,
    part: Part | undefined,
  ): Part | 'none' => {
    if (part === undefined || part === 'none' || loaded.has(`${name} all`)) return 'none'
    const isPage = typeof part === 'object' && 'page' in part
    return !isPage && loaded.has(mark(name, part)) ? 'none' : part
  }

  return {
    state,
    isFresh: () => loaded.size + touched.users.size + touched.groups.size === 0,
    async need(want) {
      const wanted: ScanRequest = {
        users: missing('users', want.users),
        groups: missing('groups', want.groups),
        members: missing('members', want.members),
      }
      const parts = Object.entries(wanted).filter(([, part]) => part !== 'none')
      if (parts.length === 0) return {}
      const data = await load(wanted)
      keep(data, wanted)
      for (const [name, part] of parts) loaded.add(mark(name, part))
      return data
    },
    lacks: (kind, time) => lacking[kind].lacks(time),
    touch(kind, id) {
      const row = kind === 'users' ? users.get(id) : groups.get(id)
      if (needsVersion && row !== undefined && row.version === undefined) {
        throw new ScimConfigError('etag', 'The scan store keeps no version')
      }
      touched[kind].add(id)
    },
    moved(kind, member) {
      const key = keyOf(member)
      const other = kind === 'added' ? net.removed : net.added
      const before = other.get(key)
      other.delete(key)
      // A member that leaves and rejoins in one transaction gets a new time.
      if (kind === 'added' || before === undefined) net[kind].set(key, members.get(key) ?? member)
      if (kind === 'added') {
        net.added.set(key, member)
        if (before !== undefined) net.removed.set(key, before)
      }
    },
    takeChanges() {
      const changedUsers = difference(touched.users, users, {
        now(id) {
          const record = state.users.get(id) ?? state.tombstones.get(id)
          return record && rowOfUser(record, users.get(id))
        },
        complete: (row) => rowOfUser(userOfRow(tenant, row), row),
      })
      const changedGroups = difference(touched.groups, groups, {
        now(id) {
          const record = state.groups.get(id)
          return record && rowOfGroup(record)
        },
        complete: (row) => rowOfGroup(groupOfRow(tenant, row)),
      })
      const changed: ScanChanges = {
        users: changedUsers,
        groups: changedGroups,
        members: { added: [...net.added.values()], removed: [...net.removed.values()] },
      }
      const lists = [changed.users, changed.groups].flatMap((part) => [
        part.inserted.length,
        part.updated.length,
        part.removed.length,
      ])
      const moves = [changed.members.added.length, changed.members.removed.length]
      if (![...lists, ...moves].some((length) => length > 0)) return null
      keepSaved(users, changedUsers)
      keepSaved(groups, changedGroups)
      for (const member of changed.members.removed) members.delete(keyOf(member))
      for (const member of changed.members.added) members.set(keyOf(member), member)
      net.added.clear()
      net.removed.clear()
      return changed
    },
  }
}

/** The times of a row. */
export type RowTime = 'created' | 'lastModified'

/** Remembers which times loaded rows lack. */
function createTimes() {
  const absent = new Set<RowTime>()
  return {
    look(row: ScanUser | ScanGroup): void {
      if (row.created === undefined) absent.add('created')
      if (row.lastModified === undefined) absent.add('lastModified')
    },
    lacks: (time: RowTime): boolean => absent.has(time),
  }
}

/** Saved rows are those that later changes are compared with. */
function keepSaved<Row extends { readonly id: string }>(
  rows: Map<string, Row>,
  { inserted, updated, removed }: ReturnType<typeof difference<Row>>,
): void {
  for (const row of inserted) rows.set(row.id, row)
  for (const { after } of updated) rows.set(after.id, after)
  for (const { id } of removed) rows.delete(id)
}

function mark(name: string, part: unknown): string {
  return part === 'all' ? `${name} all` : `${name} ${JSON.stringify(part)}`
}

function keyOf({ groupId, memberId }: ScanMember): string {
  return `${groupId}\n${memberId}`
}

function difference<Row extends { readonly id: string }>(
  ids: ReadonlySet<string>,
  before: ReadonlyMap<string, Row>,
  {
    now,
    complete,
  }: {
    readonly now: (id: string) => Row | undefined
    /** Adds defaults to a loaded row. */
    readonly complete: (row: Row) => Row
  },
): { inserted: Row[]; updated: { before: Row; after: Row }[]; removed: Row[] } {
  const found = {
    inserted: [] as Row[],
    updated: [] as { before: Row; after: Row }[],
    removed: [] as Row[],
  }
  for (const id of ids) {
    const was = before.get(id)
    const is = now(id)
    if (was === undefined && is !== undefined) found.inserted.push(is)
    else if (was !== undefined && is === undefined) found.removed.push(was)
    else if (was !== undefined && is !== undefined) {
      const isSame = JSON.stringify(complete(was)) === JSON.stringify(is)
      if (!isSame) found.updated.push({ before: was, after: is })
    }
  }
  return found
}
