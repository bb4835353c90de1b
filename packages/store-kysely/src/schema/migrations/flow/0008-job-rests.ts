import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** When a job was suspended and when it resumes without an answer; its crashes. */
export const jobRests: Migration = {
  id: '0008-job-rests',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(dialect, `alter table flow_job add column crashes INT not null default 0`),
    translateTypes(dialect, `alter table flow_job add column asked_at INT`),
    translateTypes(dialect, `alter table flow_job add column wake_at INT`),
    `update flow_job set asked_at = started_at where state = 'suspended'`,
    `create index flow_job_asking on flow_job (asked_at, id) where state = 'suspended'`,
    `create index flow_job_waking on flow_job (wake_at)
      where state = 'suspended' and wake_at is not null`,
  ],
}
