import type { Migration } from '../migrate.ts'
import { translateTypes } from './types.ts'

/** The records of the directory portal. */
export const portalTables: Migration = {
  id: '0001-initial',
  isExpansion: true,
  statements: (dialect) =>
    [...TABLES, ...INDEXES].map((statement) => translateTypes(dialect, statement)),
}

/** Rules that give roles, and the roles that people were told to have. */
export const portalRoles: Migration = {
  id: '0002-roles',
  isExpansion: true,
  statements: (dialect) =>
    [
      `create table portal_role (
        tenant TEXT not null primary key, rules TEXT not null, default_role TEXT, applying TEXT)
        CLUSTERED`,
      `create table portal_person_role (
        tenant TEXT not null, user_id TEXT not null, roles TEXT not null,
        primary key (tenant, user_id)) CLUSTERED`,
    ].map((statement) => translateTypes(dialect, statement)),
}

const TABLES: readonly string[] = [
  `create table portal_link (
      id TEXT not null primary key, tenant TEXT not null, digest TEXT not null,
      tenant_name TEXT, actor TEXT not null, permission TEXT not null, language TEXT,
      return_url TEXT, created INT not null, expires_at INT not null, used_at INT, revoked_at INT,
      constraint portal_link__digest unique (digest)) CLUSTERED`,
  `create table portal_session (
      id TEXT not null primary key, tenant TEXT not null, digest TEXT not null,
      link_id TEXT not null, tenant_name TEXT, actor TEXT not null, permission TEXT not null,
      language TEXT, return_url TEXT, created INT not null, expires_at INT not null,
      seen_at INT not null,
      constraint portal_session__digest unique (digest)) CLUSTERED`,
  `create table portal_log (
      seq SEQUENCE, tenant TEXT not null, connection_id TEXT not null, at INT not null,
      request_id TEXT not null, outcome TEXT not null, op TEXT not null, search TEXT not null,
      entry TEXT not null)`,
  `create table portal_received (
      seq SEQUENCE, tenant TEXT not null, connection_id TEXT not null, at INT not null,
      request_id TEXT not null, user_id TEXT, user_name TEXT, op TEXT not null,
      body TEXT not null, ignored TEXT not null)`,
  `create table portal_writer (
      tenant TEXT not null, user_id TEXT not null, connection_id TEXT, at INT not null,
      primary key (tenant, user_id)) CLUSTERED`,
  `create table portal_facts (
      tenant TEXT not null, connection_id TEXT not null, cursor INT not null,
      requests INT not null, last_request_at INT, first_user TEXT,
      primary key (tenant, connection_id)) CLUSTERED`,
  `create table portal_activity (
      seq SEQUENCE, tenant TEXT not null, at INT not null, actor TEXT not null,
      action TEXT not null, target TEXT)`,
  `create table portal_domain (
      tenant TEXT not null, domain TEXT not null, value TEXT not null, state TEXT not null,
      verified_at INT, checked_at INT, failures INT not null, failed_since INT,
      removed INT not null,
      primary key (tenant, domain)) CLUSTERED`,
  `create table portal_domain_holder (
      domain TEXT not null primary key, tenant TEXT not null) CLUSTERED`,
]

const INDEXES: readonly string[] = [
  'create index portal_link_tenant on portal_link (tenant, created)',
  'create index portal_session_tenant on portal_session (tenant)',
  'create index portal_session_link on portal_session (link_id)',
  'create index portal_log_connection on portal_log (tenant, connection_id, seq)',
  'create index portal_log_at on portal_log (at)',
  'create index portal_received_connection on portal_received (tenant, connection_id, seq)',
  'create index portal_received_at on portal_received (at)',
  'create index portal_writer_connection on portal_writer (tenant, connection_id, user_id)',
  'create index portal_domain_checked on portal_domain (state, checked_at)',
  'create index portal_activity_tenant on portal_activity (tenant, seq)',
]
