import type { DialectKind } from '../../../engine/engine.ts'
import type { Migration } from '../../migrate.ts'

/** White space at the ends of a group's name no longer distinguishes it; of twins the older takes the key. */
export const groupNames: Migration = {
  id: '0007-group-names',
  isExpansion: true,
  statements: (dialect) => {
    const name = trimmed(dialect, 'display_name_key')
    const other = trimmed(dialect, 'g.unique_key')
    const key = trimmed(dialect, 'unique_key')
    return [
      `update scim_group set display_name_key = ${name} where display_name_key <> ${name}`,
      `update scim_group set unique_key = ${key} where unique_key <> ${key} and not exists (
        select 1 from scim_group g where g.tenant = scim_group.tenant and ${other} = ${trimmed(dialect, 'scim_group.unique_key')}
          and g.seq <> scim_group.seq and (g.seq < scim_group.seq or g.unique_key = ${other}))`,
    ]
  },
}

function trimmed(dialect: DialectKind, column: string): string {
  return dialect === 'postgres'
    ? `btrim(${column}, E' \\t\\n\\r\\u000b\\f')`
    : `trim(${column}, char(9, 10, 11, 12, 13, 32))`
}
