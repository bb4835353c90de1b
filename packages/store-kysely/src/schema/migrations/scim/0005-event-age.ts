import type { Migration } from '../../migrate.ts'

/** Drops the index of times: old events are found by number, and each event paid for the index. */
export const eventAge: Migration = {
  id: '0005-event-age',
  isExpansion: true,
  statements: () => ['drop index scim_event_at'],
}
