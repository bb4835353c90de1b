import type { Generated } from 'kysely'

/** A user. Searched columns come before the documents. Times are ms since 1970. */
export interface ScimUserRow {
  seq: Generated<number>
  tenant: string
  id: string
  external_id: string | null
  user_name: string
  /** Null in a tombstone, which releases the name. */
  user_name_key: string | null
  active: number | null
  /** The displayed parts of references, as sent. */
  display: string | null
  display_key: string | null
  display_name_key: string | null
  given_name_key: string | null
  family_name_key: string | null
  created: number
  modified: number
  version: number
  deleted_at: number | null
  /** The rows of `scim_user_element` as JSON, compared to find out whether a write changes them. */
  lists: string
  /** The other attributes as JSON with folded strings. */
  search: string
  /** The record's document, unchanged. */
  data: string
}

/** An element of a list of contact values, such as `emails`. */
export interface ScimUserElementRow {
  user_seq: number
  /** The tenant of the user; null only if written by a version that does not know this column. */
  tenant: string | null
  attr: string
  ord: number
  value_key: string | null
  type_key: string | null
  display_key: string | null
  is_primary: number | null
}

export interface ScimGroupRow {
  seq: Generated<number>
  tenant: string
  id: string
  external_id: string | null
  display_name: string
  display_name_key: string
  unique_key: string | null
  created: number
  modified: number
  version: number
  search: string
  data: string
}

export interface ScimMemberRow {
  tenant: string
  group_id: string
  added_at: number
  member_id: string
}

export interface ScimTokenRow {
  id: string
  tenant: string
  digest: string
  /** JSON */
  scopes: string
  label: string | null
  created: number
  not_before: number | null
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  connection_id: string | null
}

/** Numbers of users and groups of a tenant, maintained by triggers. */
export interface ScimCountRow {
  tenant: string
  kind: 'user' | 'group'
  /** Spreads the counting over rows, so that transactions seldom wait for each other. */
  shard: number
  total: number
}

/** A committed change. */
export interface ScimEventRow {
  seq: Generated<number>
  id: string
  tenant: string
  type: string
  resource_type: string
  resource_id: string
  at: number
  request_id: string
  actor: string | null
  set_id: string
  op: 'put' | 'patch'
  data: string
  /** Used by versions before 0004-event-order; 0. */
  xid: number
}

export interface ScimEndpointRow {
  id: string
  tenant: string
  kind: 'webhook' | 'push' | 'poll'
  url: string | null
  audience: string | null
  /** JSON */
  events: string | null
  description: string | null
  secrets: string
  enabled: number
  disabled_reason: string | null
  created: number
  /** Used by versions before 0004-event-order; 0. */
  seen_xid: number
  /** The last event for which deliveries were created. */
  seen_seq: number
}

export interface ScimDeliveryRow {
  endpoint_id: string
  event_seq: number
  resource_id: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  next_at: number
  locked_until: number
  last_at: number | null
  last_status: number | null
  last_error: string | null
}

export interface ScimConnectionRow {
  id: string
  tenant: string
  name: string
  provider: string
  enabled: number
  /** JSON */
  settings: string
  created: number
  last_used_at: number | null
  /** JSON */
  last_error: string | null
}

export interface ScimClientRow {
  id: string
  tenant: string
  connection_id: string | null
  digest: string | null
  /** JSON */
  jwks: string | null
  /** JSON */
  federation: string | null
  /** JSON */
  scopes: string
  label: string | null
  created: number
  revoked_at: number | null
  last_used_at: number | null
}

export interface ScimClientSecretRow {
  id: string
  client_id: string
  digest: string
  hint: string
  created: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
}

/** A small value that all processes share, by name. */
export interface ScimKeptRow {
  name: string
  value: string
  changed: number
}

/** What directories asked and wrote of a user, coarse to the hour. */
export interface ScimActivityRow {
  tenant: string
  user_id: string
  seen_at: number | null
  written_at: number | null
  /** The connection or token of the last write. */
  source: string | null
  /** JSON: the last write if it was refused. */
  refusal: string | null
  refused_since: number | null
  /** When a list of the directory first missed the user. */
  missed_since: number | null
}

/** A resource of a host's own type. */
export interface ScimResourceRow {
  seq: Generated<number>
  tenant: string
  type: string
  id: string
  external_id: string | null
  created: number
  modified: number
  version: number
  search: string
  data: string
}

export interface ScimResourceKeyRow {
  tenant: string
  type: string
  attribute: string
  key: string
  resource_id: string
}

/** The tables of the SCIM store. */
export interface ScimTables {
  scim_user: ScimUserRow
  scim_user_element: ScimUserElementRow
  scim_group: ScimGroupRow
  scim_member: ScimMemberRow
  scim_token: ScimTokenRow
  scim_count: ScimCountRow
  scim_event: ScimEventRow
  scim_endpoint: ScimEndpointRow
  scim_delivery: ScimDeliveryRow
  scim_connection: ScimConnectionRow
  scim_client: ScimClientRow
  scim_client_secret: ScimClientSecretRow
  scim_kept: ScimKeptRow
  scim_activity: ScimActivityRow
  scim_resource: ScimResourceRow
  scim_resource_key: ScimResourceKeyRow
}
