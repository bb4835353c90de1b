import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Schedules that start jobs by cron. */
export const schedules: Migration = {
  id: '0012-schedules',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table flow_schedule (
    seq SEQUENCE, id TEXT not null, cron TEXT not null, time_zone TEXT not null, user_id TEXT,
    flow_id TEXT, request TEXT not null, missed TEXT not null, until INT, next_at INT, last_at INT,
    last_job_id TEXT,
    constraint flow_schedule__id unique (id))`,
      `create index flow_schedule_next_at on flow_schedule (next_at)`,
      `create index flow_schedule_user_id on flow_schedule (user_id)`,
      `create index flow_schedule_flow_id on flow_schedule (flow_id)`,
    ].map((statement) => translateTypes(dialect, statement)),
}
