import type { MemberRow } from '@x/scim-core'

/** A membership joined with its user or group. */
export interface JoinedMember {
  readonly member_id: string
  readonly added_at: number
  readonly user_id: string | null
  readonly display: string | null
  readonly group_id: string | null
  readonly display_name: string | null
}

/** Null for a removed member or a tombstone. */
export function toMember(row: JoinedMember): MemberRow | null {
  if (row.user_id !== null) return { id: row.member_id, type: 'User', display: row.display }
  if (row.group_id === null) return null
  return { id: row.member_id, type: 'Group', display: row.display_name }
}
