import type { GroupBrief, GroupRecord } from '../store/groups.ts'
import type { MemberRow } from '../store/members.ts'
import type { UserRecord } from '../store/users.ts'
import { isObject } from '@x/wire'
import { recordData, recordDisplay } from '../base/document.ts'
import { fold } from '../base/fold.ts'
import { createRelation, type Relation } from './relation.ts'
import { createTable, type Table } from './table.ts'

/** The data of one tenant. */
export interface TenantState {
  readonly users: Table<UserRecord>
  /** Records kept after their deletion, by id; only the host reads them. */
  readonly tombstones: Map<string, UserRecord>
  readonly groups: Table<GroupRecord>
  readonly relation: Relation
}

export function createTenantState(): TenantState {
  return {
    users: createTable<UserRecord>({
      constraint: 'user.userName',
      uniqueKey: ({ userNameKey }) => userNameKey,
      nameKey: ({ userNameKey }) => userNameKey,
      addressKeys: emailKeys,
    }),
    tombstones: new Map(),
    groups: createTable<GroupRecord>({
      constraint: 'group.displayName',
      uniqueKey: ({ uniqueKey }) => uniqueKey,
      nameKey: ({ displayNameKey }) => displayNameKey,
    }),
    relation: createRelation(),
  }
}

/** The folded e-mail addresses of a user, by which every new user is compared with all others. */
function emailKeys(record: UserRecord): string[] {
  const { emails } = recordData(record)
  if (!Array.isArray(emails)) return []
  return emails.flatMap((email: unknown) => {
    const value = isObject(email) ? email['value'] : undefined
    return typeof value === 'string' ? [fold(value)] : []
  })
}

/** The row of a membership; undefined if the member does not exist. */
export function memberRow({ users, groups }: TenantState, id: string): MemberRow | undefined {
  const user = users.get(id)
  if (user !== undefined) return { id, type: 'User', display: recordDisplay(user) }
  const group = groups.get(id)
  return group && { id, type: 'Group', display: group.displayName }
}

/** The members of a group, by time added, then id. */
export function memberRows(state: TenantState, groupId: string): MemberRow[] {
  return state.relation
    .ordered(groupId)
    .map((id) => memberRow(state, id))
    .filter((row) => row !== undefined)
}

/** The groups of a member, by id. */
export function groupBriefs({ groups, relation }: TenantState, memberId: string): GroupBrief[] {
  return [...relation.groupsOf(memberId)]
    .toSorted()
    .map((id) => groups.get(id))
    .filter((group) => group !== undefined)
    .map(({ id, displayName }) => ({ id, displayName }))
}
