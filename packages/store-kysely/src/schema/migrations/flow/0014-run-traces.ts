import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Traces of runs that were not jobs. Few are kept per owner, so that single traces and those of a
 * flow are found without separate indexes, each of which would slow down every run.
 */
export const runTraces: Migration = {
  id: '0014-run-traces',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table flow_run_trace (
    seq SEQUENCE, id TEXT not null, flow_id TEXT not null, owner_id TEXT not null,
    session_id TEXT not null, state TEXT not null, started_at INT not null, finished_at INT not null,
    input_tokens INT not null, output_tokens INT not null, error TEXT, details TEXT not null)`,
      `create index flow_run_trace_owner on flow_run_trace (owner_id, seq)`,
    ].map((statement) => translateTypes(dialect, statement)),
}
