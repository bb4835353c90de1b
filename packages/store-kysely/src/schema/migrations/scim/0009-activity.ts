import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Who of the users is still named by a directory, since when, and what was refused. */
export const activity: Migration = {
  id: '0009-activity',
  isExpansion: true,
  statements: (dialect) => STATEMENTS.map((statement) => translateTypes(dialect, statement)),
}

const STATEMENTS: readonly string[] = [
  `create table scim_activity (
      tenant TEXT not null,
      user_id TEXT not null,
      seen_at INT,
      written_at INT,
      source TEXT,
      refusal TEXT,
      refused_since INT,
      missed_since INT,
      primary key (tenant, user_id)
    ) CLUSTERED`,
]
