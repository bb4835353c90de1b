import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** The number of the latest claim of each job, below which nothing is written. */
export const jobFences: Migration = {
  id: '0007-job-fences',
  isExpansion: true,
  statements: (dialect) => [
    translateTypes(
      dialect,
      `create table flow_job_fence (
    job_id TEXT not null, fence INT not null,
    primary key (job_id)) CLUSTERED`,
    ),
  ],
}
