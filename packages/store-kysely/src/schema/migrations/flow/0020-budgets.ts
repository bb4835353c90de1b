import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Counters of budgets, and what calls under way hold of them. */
export const budgets: Migration = {
  id: '0020-budgets',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table flow_budget (
    key TEXT primary key, used INT not null, most INT not null, ends_at INT not null) CLUSTERED`,
      `create index flow_budget_end on flow_budget (ends_at)`,
      `create table flow_budget_hold (
    id TEXT not null, key TEXT not null, amount INT not null, at INT not null,
    primary key (id, key)) CLUSTERED`,
      `create index flow_budget_hold_key on flow_budget_hold (key, at)`,
    ].map((statement) => translateTypes(dialect, statement)),
}
