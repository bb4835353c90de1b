import type { Migration } from '../migrate.ts'
import { translateTypes } from './types.ts'

/** Rate limit buckets. They are worthless after a crash, so the PostgreSQL table is unlogged. */
export const rateBuckets: Migration = {
  id: '0001-buckets',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create ${dialect === 'postgres' ? 'unlogged ' : ''}table rate_bucket (
    key TEXT primary key, full_at REAL not null) CLUSTERED`,
      `create index rate_bucket_full_at on rate_bucket (full_at)`,
    ].map((statement) => translateTypes(dialect, statement)),
}
