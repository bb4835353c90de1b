import { fold } from '@x/scim-core'
import type {
  ScanChanges,
  ScanData,
  ScanGroup,
  ScanMember,
  ScanStoreOptions,
  ScanUser,
  ScanRequest,
} from '@x/scim-core/scan'

interface Rows {
  users: ScanUser[]
  groups: ScanGroup[]
  members: ScanMember[]
}

/** A host whose tables are three arrays for each tenant. */
export interface ArrayHost extends ScanStoreOptions<{ readonly name: 'transaction' }> {
  readonly rowsOf: (tenant: string) => Rows
  /** The wants, in order. */
  readonly wants: ScanRequest[]
  readonly saves: ScanChanges[]
}

export function createArrayHost({ honoursWant }: { readonly honoursWant: boolean }): ArrayHost {
  const tenants = new Map<string, Rows>()
  const wants: ScanRequest[] = []
  const saves: ScanChanges[] = []
  let last: Promise<unknown> = Promise.resolve()
  const rowsOf = (tenant: string): Rows => {
    const rows = tenants.get(tenant) ?? { users: [], groups: [], members: [] }
    tenants.set(tenant, rows)
    return rows
  }
  return {
    rowsOf,
    wants,
    saves,
    transaction(tenant, work) {
      const run = async () => {
        const { users, groups, members } = rowsOf(tenant)
        const before = { users: [...users], groups: [...groups], members: [...members] }
        try {
          return await work({ name: 'transaction' })
        } catch (error) {
          tenants.set(tenant, before)
          throw error
        }
      }
      const result = last.then(run)
      last = result.catch(() => undefined)
      return result
    },
    async load(tenant, _tx, want) {
      wants.push(want)
      return honoursWant ? chosen(rowsOf(tenant), want) : { ...rowsOf(tenant) }
    },
    async save(tenant, changes) {
      saves.push(changes)
      const rows = rowsOf(tenant)
      rows.users = written(rows.users, changes.users)
      rows.groups = written(rows.groups, changes.groups)
      const gone = new Set(changes.members.removed.map(keyOf))
      rows.members = [
        ...rows.members.filter((row) => !gone.has(keyOf(row))),
        ...changes.members.added,
      ]
    },
  }
}

function emailsOf(attributes: ScanUser['attributes']): string[] {
  const emails = (attributes?.['emails'] ?? []) as readonly { readonly value?: string }[]
  return emails.map(({ value = '' }) => value)
}

function chosen({ users, groups, members }: Rows, want: ScanRequest): ScanData {
  const alive = users.filter(({ deletedAt }) => deletedAt == null).toSorted(byCreation)
  const data: { -readonly [Key in keyof ScanData]: ScanData[Key] } = {
    users: [],
    groups: [],
    members: [],
  }
  const { users: u, groups: g, members: m } = want
  if (u === 'all') data.users = users
  else if (u !== 'none' && 'ids' in u) data.users = users.filter(({ id }) => u.ids.includes(id))
  else if (u !== 'none' && 'userNameKey' in u) {
    data.users = alive.filter(({ userName }) => fold(userName) === u.userNameKey)
  } else if (u !== 'none' && 'externalId' in u) {
    data.users = alive.filter(({ externalId }) => externalId === u.externalId)
  } else if (u !== 'none' && 'addressKeys' in u) {
    data.users = alive.filter(({ userName, attributes }) =>
      [userName, ...emailsOf(attributes)].some((text) => u.addressKeys.includes(fold(text))),
    )
  } else if (u !== 'none') {
    data.users = alive.slice(u.page.offset, u.page.offset + u.page.limit)
    data.totalUsers = alive.length
  }
  if (g === 'all') data.groups = groups
  else if (g !== 'none' && 'ids' in g) data.groups = groups.filter(({ id }) => g.ids.includes(id))
  else if (g !== 'none' && 'displayNameKey' in g) {
    data.groups = groups.filter(({ displayName }) => fold(displayName) === g.displayNameKey)
  } else if (g !== 'none' && 'externalId' in g) {
    data.groups = groups.filter(({ externalId }) => externalId === g.externalId)
  } else if (g !== 'none') {
    const { offset, limit } = g.page
    data.groups = groups.toSorted(byCreation).slice(offset, offset + limit)
    data.totalGroups = groups.length
  }
  if (m === 'all') data.members = members
  else if (m !== 'none' && 'groupIds' in m) {
    data.members = members.filter(({ groupId }) => m.groupIds.includes(groupId))
  } else if (m !== 'none') {
    data.members = members.filter(({ memberId }) => m.memberIds.includes(memberId))
  }
  return data
}

function byCreation(a: ScanUser | ScanGroup, b: ScanUser | ScanGroup): number {
  const gap = (a.created?.getTime() ?? 0) - (b.created?.getTime() ?? 0)
  return gap === 0 ? (a.id < b.id ? -1 : 1) : gap
}

function written<Row extends { readonly id: string }>(
  rows: readonly Row[],
  {
    inserted,
    updated,
    removed,
  }: {
    readonly inserted: readonly Row[]
    readonly updated: readonly { readonly before: Row; readonly after: Row }[]
    readonly removed: readonly Row[]
  },
): Row[] {
  const gone = new Set(removed.map(({ id }) => id))
  const after = new Map(updated.map((change) => [change.after.id, change.after]))
  return [
    ...rows.filter(({ id }) => !gone.has(id)).map((row) => after.get(row.id) ?? row),
    ...inserted,
  ]
}

function keyOf({ groupId, memberId }: ScanMember): string {
  return `${groupId}\n${memberId}`
}
