import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Events out, endpoints and deliveries, connections and clients, and
 * resources of a host's own types.
 */
export const hosts: Migration = {
  id: '0003-hosts',
  isExpansion: true,
  statements: (dialect) => [
    ...TABLES.map((table) => translateTypes(dialect, table)),
    translateTypes(dialect, 'alter table scim_token add column connection_id TEXT'),
    ...INDEXES,
  ],
}

const TABLES: readonly string[] = [
  `create table scim_event (
      seq SEQUENCE,
      id TEXT not null, tenant TEXT not null, type TEXT not null,
      resource_type TEXT not null, resource_id TEXT not null, at INT not null,
      request_id TEXT not null, actor TEXT, set_id TEXT not null, op TEXT not null,
      data TEXT not null, xid INT not null,
      constraint scim_event__id unique (id))`,
  `create table scim_endpoint (
      id TEXT not null primary key, tenant TEXT not null, kind TEXT not null,
      url TEXT, audience TEXT, events TEXT, description TEXT, secrets TEXT not null,
      enabled INT not null, disabled_reason TEXT, created INT not null,
      seen_xid INT not null, seen_seq INT not null) CLUSTERED`,
  `create table scim_delivery (
      endpoint_id TEXT not null, event_seq INT not null, resource_id TEXT not null,
      state TEXT not null, attempts INT not null, next_at INT not null, locked_until INT not null,
      last_at INT, last_status INT, last_error TEXT,
      primary key (endpoint_id, event_seq)) CLUSTERED`,
  `create table scim_connection (
      id TEXT not null primary key, tenant TEXT not null, name TEXT not null,
      provider TEXT not null, enabled INT not null, settings TEXT not null, created INT not null,
      last_used_at INT, last_error TEXT) CLUSTERED`,
  `create table scim_client (
      id TEXT not null primary key, tenant TEXT not null, connection_id TEXT,
      digest TEXT, jwks TEXT, scopes TEXT not null, created INT not null,
      revoked_at INT) CLUSTERED`,
  `create table scim_resource (
      seq SEQUENCE,
      tenant TEXT not null, type TEXT not null, id TEXT not null, external_id TEXT,
      created INT not null, modified INT not null, version INT not null,
      search JSON not null, data TEXT not null,
      constraint scim_resource__id unique (tenant, type, id))`,
  `create table scim_resource_key (
      tenant TEXT not null, type TEXT not null, attribute TEXT not null, key TEXT not null,
      resource_id TEXT not null,
      primary key (tenant, type, attribute, key)) CLUSTERED`,
]

const INDEXES: readonly string[] = [
  `create index scim_event_order on scim_event (tenant, xid, seq)`,
  `create index scim_event_resource on scim_event (tenant, resource_id, seq)`,
  `create index scim_event_at on scim_event (at)`,
  `create index scim_endpoint_tenant on scim_endpoint (tenant, kind, created, id)`,
  `create index scim_delivery_due on scim_delivery (endpoint_id, state, next_at, event_seq)`,
  `create index scim_delivery_resource on scim_delivery (endpoint_id, resource_id, event_seq)
      where state = 'waiting'`,
  `create index scim_delivery_event on scim_delivery (event_seq)`,
  `create index scim_connection_tenant on scim_connection (tenant, created, id)`,
  `create index scim_client_connection on scim_client (tenant, connection_id)`,
  `create index scim_token_connection on scim_token (connection_id)`,
  `create index scim_resource_order on scim_resource (tenant, type, created, id)`,
  `create index scim_resource_external_id on scim_resource (tenant, type, external_id)
      where external_id is not null`,
  `create index scim_resource_key_owner on scim_resource_key (tenant, type, resource_id)`,
]
