import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** The processes that share the jobs. */
export const processes: Migration = {
  id: '0018-processes',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(
      dialect,
      `create table flow_process (
        name TEXT not null, seen_at INT not null, record TEXT not null, primary key (name)) CLUSTERED`,
    ),
  ],
}
