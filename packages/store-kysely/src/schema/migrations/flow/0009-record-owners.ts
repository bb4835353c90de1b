import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** The owner whose limit a record counts towards: records of visitors displace only each other. */
export const recordOwners: Migration = {
  id: '0009-record-owners',
  isExpansion: true,
  statements: (dialect) =>
    [
      `alter table flow_vertex_build add column owner_id TEXT`,
      `update flow_vertex_build set owner_id =
    (select user_id from flow_flow where flow_flow.id = flow_vertex_build.flow_id)`,
      `create index flow_vertex_build_owner on flow_vertex_build (owner_id, seq)`,
      `alter table flow_transaction add column owner_id TEXT`,
      `update flow_transaction set owner_id =
    (select user_id from flow_flow where flow_flow.id = flow_transaction.flow_id)`,
      `create index flow_transaction_public on flow_transaction (seq) where owner_id is null`,
    ].map((statement) => translateTypes(dialect, statement)),
}
