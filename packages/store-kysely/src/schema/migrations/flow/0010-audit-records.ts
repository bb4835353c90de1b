import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Audit records. */
export const auditRecords: Migration = {
  id: '0010-audit-records',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table flow_audit (
    seq SEQUENCE, id TEXT not null, at INT not null, action TEXT not null, outcome TEXT not null,
    actor_id TEXT, via TEXT, target_type TEXT, target_id TEXT, request_id TEXT,
    client_address TEXT, details TEXT not null,
    constraint flow_audit__id unique (id))`,
      `create index flow_audit_at on flow_audit (at)`,
      `create index flow_audit_actor on flow_audit (actor_id, seq)`,
      `create index flow_audit_target on flow_audit (target_id, seq)`,
    ].map((statement) => translateTypes(dialect, statement)),
}
