import type { Migration } from '../../migrate.ts'

/**
 * Events are read in the order of their numbers, not of transactions. An endpoint starts again at the
 * first event that it has not seen.
 */
export const eventOrder: Migration = {
  id: '0004-event-order',
  isExpansion: true,
  statements: () => [
    `create index scim_event_number on scim_event (tenant, seq)`,
    `drop index scim_event_order`,
    `update scim_endpoint set seen_seq = coalesce((
        select min(e.seq) - 1 from scim_event as e where e.tenant = scim_endpoint.tenant
        and (e.xid, e.seq) > (scim_endpoint.seen_xid, scim_endpoint.seen_seq)
        and e.seq <= scim_endpoint.seen_seq), seen_seq)`,
  ],
}
