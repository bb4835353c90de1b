import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** The session of each job and the tokens that its models used. */
export const jobTraces: Migration = {
  id: '0013-job-traces',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(dialect, `alter table flow_job add column session_id TEXT`),
    translateTypes(dialect, `alter table flow_job add column usage TEXT`),
  ],
}
