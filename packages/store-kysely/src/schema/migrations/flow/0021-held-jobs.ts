import type { Migration } from '../../migrate.ts'

/**
 * A heartbeat changes no indexed column, so that PostgreSQL updates the row in its page, which has room left.
 * Finished jobs are found by lane, those that a repeated request may ask for in an index of their own.
 */
export const heldJobs: Migration = {
  id: '0021-held-jobs',
  isExpansion: true,
  statements: (dialect) => [
    ...STATEMENTS,
    ...(dialect === 'postgres'
      ? TABLES.map((table) => `alter table ${table} set (${STORAGE})`)
      : []),
  ],
}

const STATEMENTS: readonly string[] = [
  `drop index flow_job_running`,
  // Turns count the running jobs of a user.
  `drop index flow_job_running_user`,
  `create index flow_job_held on flow_job (worker) where state = 'running'`,
  `drop index flow_job_finished`,
  `create index flow_job_ended on flow_job (lane, finished_at, seq)
    where finished_at is not null and substr(id, 1, 5) <> 'once-'`,
  `create index flow_job_ended_once on flow_job (lane, finished_at, seq)
    where finished_at is not null and substr(id, 1, 5) = 'once-'`,
  `insert into flow_job_lane (lane, waiting)
    select distinct lane, 0 from flow_job where lane not in (select lane from flow_job_lane)`,
]

const TABLES = ['flow_job', 'flow_job_turn', 'flow_job_lane']

/** Room in each page, and a vacuum after few changes: the rows of these tables change all the time. */
const STORAGE = `fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200`
