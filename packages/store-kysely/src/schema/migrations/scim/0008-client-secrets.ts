import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Secrets of clients that expire, identities of workloads, and values that all processes share. */
export const clientSecrets: Migration = {
  id: '0008-client-secrets',
  isExpansion: true,
  statements: (dialect) => STATEMENTS.map((statement) => translateTypes(dialect, statement)),
}

const STATEMENTS: readonly string[] = [
  'alter table scim_client add column federation TEXT',
  'alter table scim_client add column label TEXT',
  'alter table scim_client add column last_used_at INT',
  `create table scim_client_secret (
      id TEXT primary key,
      client_id TEXT not null,
      digest TEXT not null,
      hint TEXT not null,
      created INT not null,
      expires_at INT,
      revoked_at INT,
      last_used_at INT
    )`,
  'create index scim_client_secret_client on scim_client_secret (client_id)',
  `create table scim_kept (
      name TEXT primary key,
      value TEXT not null,
      changed INT not null
    )`,
]
