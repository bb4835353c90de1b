import type { Migration } from '../../migrate.ts'

/** Drops the index of resources: sets of events are found by id, and each event paid for the index. */
export const eventSets: Migration = {
  id: '0006-event-sets',
  isExpansion: true,
  statements: () => ['drop index scim_event_resource'],
}
