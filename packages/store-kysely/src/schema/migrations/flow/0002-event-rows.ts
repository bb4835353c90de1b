import type { Migration } from '../../migrate.ts'

/**
 * Events are stored in the order of their writes. In a table without row ids, SQLite keeps about 1 kB
 * of a row in place and the rest on a separate page, and such a table repeats whole rows above its
 * leaves: each commit of builds wrote three times as many pages. PostgreSQL has this order already.
 */
export const eventRows: Migration = {
  id: '0002-event-rows',
  statements: (dialect) => (dialect === 'sqlite' ? STATEMENTS : []),
}

const STATEMENTS: readonly string[] = [
  `create table flow_job_event_row (
    job_id text not null, seq integer not null, event text not null, data text not null,
    constraint flow_job_event__seq unique (job_id, seq))`,
  `insert into flow_job_event_row (job_id, seq, event, data)
    select job_id, seq, event, data from flow_job_event order by job_id, seq`,
  `drop table flow_job_event`,
  `alter table flow_job_event_row rename to flow_job_event`,
]
