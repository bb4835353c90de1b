import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Jobs of visitors, of webhooks and of users wait in separate lanes. */
export const jobLanes: Migration = {
  id: '0006-job-lanes',
  statements: (dialect) => [
    translateTypes(dialect, `alter table flow_job add column lane TEXT not null default ''`),
  ],
}
