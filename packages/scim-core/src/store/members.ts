import type { GroupBrief } from './groups.ts'

/** A membership with the data shown in its reference. */
export interface MemberRow {
  readonly id: string
  readonly type: 'User' | 'Group'
  /** For a user its `userDisplay`, for a group its displayName. */
  readonly display: string | null
}

/**
 * Memberships as a unique relation (tenant, group, member). A member is a user, or a group if
 * nesting is enabled; ids are unique over both.
 */
export interface MemberStore {
  /** Returns the ids actually added; existing members are unchanged. */
  add(tenant: string, groupId: string, memberIds: readonly string[], at: Date): Promise<string[]>
  /** Returns the ids actually removed. */
  remove(tenant: string, groupId: string, memberIds: readonly string[]): Promise<string[]>
  /** Removes all members of a group; returns their number. */
  clear(tenant: string, groupId: string): Promise<number>
  /** Removes a user (or nested group) from all groups; returns the ids of these groups. */
  removeUser(tenant: string, memberId: string): Promise<string[]>
  /** `upTo`: the store may stop there. */
  count(tenant: string, groupId: string, upTo?: number): Promise<number>
  /**
   * Optional: the memberships of all groups, counted up to `limit`. Without it, filters over members are
   * evaluated whatever they cost.
   */
  readonly countAll?: (tenant: string, limit: number) => Promise<number>
  /** Those of `memberIds` that are members. */
  has(tenant: string, groupId: string, memberIds: readonly string[]): Promise<Set<string>>
  /** By time added, then id; `after` is the id of the previous page's last member. */
  list(
    tenant: string,
    groupId: string,
    page?: { readonly after?: string; readonly limit: number },
  ): AsyncIterable<MemberRow>
  /**
   * Optional: like `list`, up to 1,000 members at a time, for groups that are shown as a whole. Much
   * cheaper than awaiting each member.
   */
  pages?(tenant: string, groupId: string): AsyncIterable<readonly MemberRow[]>
  /**
   * Optional: the members of several groups by group id, in the order of `list`, for pages of groups that
   * are shown as a whole; groups without members may be absent. Null if there are more than `limit` in
   * total.
   */
  ofGroups?(
    tenant: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<ReadonlyMap<string, readonly MemberRow[]> | null>
  /** The groups each of `memberIds` is a direct member of, by group id; ids without groups are absent. */
  groupsOf(tenant: string, memberIds: readonly string[]): Promise<Map<string, GroupBrief[]>>
}
