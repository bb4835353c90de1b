import type { Generated } from 'kysely'

export interface PortalLinkRow {
  id: string
  tenant: string
  digest: string
  tenant_name: string | null
  actor: string
  permission: string
  language: string | null
  return_url: string | null
  created: number
  expires_at: number
  used_at: number | null
  revoked_at: number | null
}

export interface PortalSessionRow extends Omit<PortalLinkRow, 'used_at' | 'revoked_at'> {
  link_id: string
  seen_at: number
}

/** A request of a connection; `entry` is JSON. */
export interface PortalLogRow {
  seq: Generated<number>
  tenant: string
  connection_id: string
  at: number
  request_id: string
  outcome: string
  op: string
  search: string
  entry: string
}

/** A received write of a user; `body` and `ignored` are JSON. */
export interface PortalReceivedRow {
  seq: Generated<number>
  tenant: string
  connection_id: string
  at: number
  request_id: string
  user_id: string | null
  user_name: string | null
  op: string
  body: string
  ignored: string
}

/** Which connection wrote a user last. */
export interface PortalWriterRow {
  tenant: string
  user_id: string
  connection_id: string | null
  at: number
}

export interface PortalFactsRow {
  tenant: string
  connection_id: string
  cursor: number
  requests: number
  last_request_at: number | null
  /** JSON */
  first_user: string | null
}

export interface PortalActivityRow {
  seq: Generated<number>
  tenant: string
  at: number
  actor: string
  action: string
  target: string | null
}

export interface PortalDomainRow {
  tenant: string
  domain: string
  value: string
  state: string
  verified_at: number | null
  checked_at: number | null
  failures: number
  failed_since: number | null
  removed: number
}

/** The tenant that a domain is verified for. */
export interface PortalDomainHolderRow {
  domain: string
  tenant: string
}

/** `rules` and `applying` are JSON. */
export interface PortalRoleRow {
  tenant: string
  rules: string
  default_role: string | null
  applying: string | null
}

/** `roles` is JSON. */
export interface PortalPersonRoleRow {
  tenant: string
  user_id: string
  roles: string
}

/** The tables of the portal's store. */
export interface PortalTables {
  portal_link: PortalLinkRow
  portal_session: PortalSessionRow
  portal_log: PortalLogRow
  portal_received: PortalReceivedRow
  portal_writer: PortalWriterRow
  portal_facts: PortalFactsRow
  portal_activity: PortalActivityRow
  portal_domain: PortalDomainRow
  portal_domain_holder: PortalDomainHolderRow
  portal_role: PortalRoleRow
  portal_person_role: PortalPersonRoleRow
}
