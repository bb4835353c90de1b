import type { Migration } from '../../migrate.ts'

/** Old events are found by their numbers: an index of their times cost every request that wrote one. */
export const eventAge: Migration = {
  id: '0005-event-age',
  isExpansion: true,
  statements: () => ['drop index scim_event_at'],
}
