import type { GroupBrief } from './groups.ts'

/** One membership with what its reference shows. */
export interface MemberRow {
  readonly id: string
  readonly type: 'User' | 'Group'
  /** For a user its `userDisplay`, for a group its displayName. */
  readonly display: string | null
}

/**
 * Membership as a relation (tenant, group, member), unique (SC-58). A member is a user, or a group
 * where groups are nested; ids are unique over both.
 */
export interface MemberStore {
  /** The ids really added; those that were members already are left as they are. */
  add(tenant: string, groupId: string, memberIds: readonly string[], at: Date): Promise<string[]>
  /** The ids really removed. */
  remove(tenant: string, groupId: string, memberIds: readonly string[]): Promise<string[]>
  /** Removes all members of a group; how many there were. */
  clear(tenant: string, groupId: string): Promise<number>
  /** Removes a user (or nested group) from all groups; the ids of these groups. */
  removeUser(tenant: string, memberId: string): Promise<string[]>
  count(tenant: string, groupId: string): Promise<number>
  /** Those of `memberIds` that are members. */
  has(tenant: string, groupId: string, memberIds: readonly string[]): Promise<Set<string>>
  /** By time added, then id; `after` is the id of the last member of the page before. */
  list(
    tenant: string,
    groupId: string,
    page?: { readonly after?: string; readonly limit: number },
  ): AsyncIterable<MemberRow>
  /**
   * Optional: the same as `list`, up to 1,000 members at a time, for groups that are shown whole. It costs a
   * fraction of waiting for each member.
   */
  pages?(tenant: string, groupId: string): AsyncIterable<readonly MemberRow[]>
  /**
   * Optional: the members of several groups by group id, each list as `list` gives it, for pages of groups that
   * are shown whole; groups without members may be absent. Null: they are more than `limit` altogether.
   */
  ofGroups?(
    tenant: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly MemberRow[]> | null>
  /** The groups each of `memberIds` is a direct member of, by group id; members of none are absent. */
  groupsOf(tenant: string, memberIds: readonly string[]): Promise<Map<string, GroupBrief[]>>
}
