import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** What the result of a finished job has besides its log, for processes that did not run it. */
export const jobResults: Migration = {
  id: '0015-job-results',
  isExpansion: true,
  statements: (dialect) => [translateTypes(dialect, `alter table flow_job add column result TEXT`)],
}
