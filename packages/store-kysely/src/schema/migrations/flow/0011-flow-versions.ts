import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Versions of flows. Graphs are stored once per hash; a flow stores the last number it has assigned. A job
 * stores the version that it runs.
 */
export const flowVersions: Migration = {
  id: '0011-flow-versions',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table flow_version (
    seq SEQUENCE, id TEXT not null, flow_id TEXT not null, user_id TEXT not null,
    number INT not null, description TEXT, data_hash TEXT, created_at INT not null,
    constraint flow_version__id unique (id),
    constraint flow_version__number unique (flow_id, number))`,
      `create table flow_version_data (
    flow_id TEXT not null, hash TEXT not null, data TEXT not null,
    primary key (flow_id, hash))`,
      `alter table flow_flow add column version_count INT not null default 0`,
      `alter table flow_job add column flow_version INT`,
    ].map((statement) => translateTypes(dialect, statement)),
}
