import type { Migration } from '../../migrate.ts'

/**
 * Stores events in write order. In a table without rowids SQLite keeps only about 1 kB of a row in place
 * and repeats whole rows in its inner pages, which tripled the pages written per commit. PostgreSQL already
 * stores rows in this order.
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
