import type { Migration } from '../../migrate.ts'

/** Those who are out are few, and are listed and counted without reading everybody. */
export const inactiveUsers: Migration = {
  id: '0010-inactive-users',
  isExpansion: true,
  statements: () => [
    `create index scim_user_inactive on scim_user (tenant, created, id)
      where deleted_at is null and (active is null or active <> 1)`,
  ],
}
