import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/** Adds the token epoch of users, which is part of their access tokens. */
export const tokenEpoch: Migration = {
  id: '0004-token-epoch',
  statements: (dialect) => [
    translateTypes(dialect, 'alter table flow_user add column token_epoch INT not null default 0'),
  ],
}
