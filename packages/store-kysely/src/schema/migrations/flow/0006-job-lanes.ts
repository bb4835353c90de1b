import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Jobs of strangers and of webhooks wait apart from those of users. */
export const jobLanes: Migration = {
  id: '0006-job-lanes',
  statements: (dialect) => [
    translateTypes(dialect, `alter table flow_job add column lane TEXT not null default ''`),
  ],
}
