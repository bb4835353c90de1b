import { fold, groupNameKey } from '../base/fold.ts'
import { addressesOf } from './requested-rows.ts'
import type { ScanData, ScanGroup, ScanMember, ScanUser, ScanRequest } from './types.ts'

/** All rows of a tenant, indexed by the fields of a `ScanRequest`. */
interface IndexedTenant {
  readonly stamp: string | number
  readonly select: (wanted: ScanRequest) => ScanData
}

/** Maximum number of cached tenants; least recently used ones are evicted. */
const MAX_TENANTS = 20

/** Loads rows within a transaction. */
export type LoadRows = (wanted: ScanRequest) => Promise<ScanData>

const EVERYTHING: ScanRequest = { users: 'all', groups: 'all', members: 'all' }

/**
 * Caches the last full load of each tenant and uses it while the host's stamp is unchanged. The
 * cache is bounded by the number of tenants and the size of a load.
 */
export function createSnapshotLoader(
  check: (rows: ScanData, tenant: string) => void,
): (tenant: string, stamp: () => Promise<string | number>, load: LoadRows) => LoadRows {
  const tenants = new Map<string, IndexedTenant>()
  return (tenant, stamp, load) => {
    let current: Promise<IndexedTenant> | undefined
    const known = async (): Promise<IndexedTenant> => {
      const now = await stamp()
      const before = tenants.get(tenant)
      const found =
        before?.stamp === now
          ? before
          : indexed(now, await load(EVERYTHING), (rows) => check(rows, tenant))
      tenants.delete(tenant)
      tenants.set(tenant, found)
      const [oldest] = tenants.keys()
      if (tenants.size > MAX_TENANTS && oldest !== undefined) tenants.delete(oldest)
      return found
    }
    return async (wanted) => {
      current ??= known()
      return (await current).select(wanted)
    }
  }
}

function indexed(
  stamp: string | number,
  data: ScanData,
  check: (rows: ScanData) => void,
): IndexedTenant {
  const users = [...data.users]
  const groups = [...data.groups]
  const members = [...data.members]
  check({ users, groups, members })
  const userIndex = createIndex(users, ({ userName }) => fold(userName))
  const groupIndex = createIndex(groups, ({ displayName }) => groupNameKey(displayName))
  const byGroup = grouped(members, ({ groupId }) => groupId)
  const byMember = grouped(members, ({ memberId }) => memberId)
  let byAddress: ReadonlyMap<string, readonly { readonly user: ScanUser }[]> | undefined
  return {
    stamp,
    select(wanted) {
      const { rows, total } =
        typeof wanted.users === 'object' && 'addressKeys' in wanted.users
          ? { rows: ofAddresses(wanted.users.addressKeys), total: undefined }
          : userIndex(nameOf(wanted.users, 'userNameKey'))
      const found = groupIndex(nameOf(wanted.groups, 'displayNameKey'))
      return {
        users: rows,
        groups: found.rows,
        members: chosenMembers(wanted.members),
        ...(total !== undefined && { totalUsers: total }),
        ...(found.total !== undefined && { totalGroups: found.total }),
      }
    },
  }

  function ofAddresses(keys: readonly string[]): readonly ScanUser[] {
    byAddress ??= grouped(
      users.flatMap((user) => addressesOf(user).map((text) => ({ key: fold(text), user }))),
      ({ key }) => key,
    )
    return keys.flatMap((key) => byAddress?.get(key)?.map(({ user }) => user) ?? [])
  }

  function chosenMembers(wanted: ScanRequest['members']): Iterable<ScanMember> {
    if (wanted === 'all') return members
    if (wanted === 'none') return []
    const [ids, map] =
      'groupIds' in wanted ? [wanted.groupIds, byGroup] : [wanted.memberIds, byMember]
    return ids.flatMap((id) => map.get(id) ?? [])
  }
}

/** The requested users or groups, in a common form. */
type RowRequest =
  | 'all'
  | 'none'
  | { readonly ids: readonly string[] }
  | { readonly name: string }
  | { readonly externalId: string }
  | { readonly page: { readonly offset: number; readonly limit: number } }

function nameOf(
  wanted: Exclude<ScanRequest['users'], { readonly addressKeys: unknown }> | ScanRequest['groups'],
  key: 'userNameKey' | 'displayNameKey',
): RowRequest {
  if (typeof wanted === 'string' || 'ids' in wanted || 'externalId' in wanted || 'page' in wanted) {
    return wanted
  }
  return { name: String(Reflect.get(wanted, key)) }
}

function createIndex<Row extends ScanUser | ScanGroup>(
  rows: readonly Row[],
  nameKey: (row: Row) => string,
): (wanted: RowRequest) => { readonly rows: readonly Row[]; readonly total?: number } {
  const alive = rows.filter((row) => !('deletedAt' in row) || row.deletedAt == null)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byName = grouped(alive, nameKey)
  const byExternalId = grouped(alive, ({ externalId }) => externalId ?? undefined)
  let sorted: readonly Row[] | undefined
  return (wanted) => {
    if (wanted === 'all') return { rows }
    if (wanted === 'none') return { rows: [] }
    if ('ids' in wanted) {
      return { rows: wanted.ids.map((id) => byId.get(id)).filter((row) => row !== undefined) }
    }
    if ('name' in wanted) return { rows: byName.get(wanted.name) ?? [] }
    if ('externalId' in wanted) return { rows: byExternalId.get(wanted.externalId) ?? [] }
    const { offset, limit } = wanted.page
    sorted ??= alive.toSorted(byCreation)
    return { rows: sorted.slice(offset, offset + limit), total: sorted.length }
  }
}

function grouped<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | undefined,
): ReadonlyMap<string, readonly Row[]> {
  const map = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key === undefined) continue
    const known = map.get(key)
    if (known === undefined) map.set(key, [row])
    else known.push(row)
  }
  return map
}

function byCreation(a: ScanUser | ScanGroup, b: ScanUser | ScanGroup): number {
  const gap = (a.created?.getTime() ?? 0) - (b.created?.getTime() ?? 0)
  return gap === 0 ? (a.id < b.id ? -1 : 1) : gap
}
