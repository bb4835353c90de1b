import type { GroupBrief } from './groups.ts'
import type { UserRecord } from './users.ts'

const known = new WeakMap<UserRecord, readonly GroupBrief[]>()

/**
 * For stores that read the groups of users in one query with their records (`withGroups`): those of
 * this record object, by group id, are not asked for again.
 */
export function rememberGroups(record: UserRecord, groups: readonly GroupBrief[]): void {
  known.set(record, groups)
}

/** The groups that were read with a record; undefined: none were asked for. */
export function knownGroups(record: UserRecord): readonly GroupBrief[] | undefined {
  return known.get(record)
}
