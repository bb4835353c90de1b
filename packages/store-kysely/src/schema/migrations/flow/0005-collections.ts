import type { Migration } from '../../migrate.ts'
import { translateTypes } from '../types.ts'

/**
 * Knowledge bases and other collections of vectors. The vector comes before the text of a row, so that a search
 * does not read the texts.
 */
export const collections: Migration = {
  id: '0005-collections',
  statements: (dialect) => STATEMENTS.map((statement) => translateTypes(dialect, statement)),
}

const STATEMENTS: readonly string[] = [
  `create table flow_collection (
    seq SEQUENCE, id TEXT not null, user_id TEXT not null, kind TEXT not null, name TEXT not null,
    provider TEXT, model TEXT, api_key TEXT, created_at INT not null,
    rows INT not null default 0, words INT not null default 0, characters INT not null default 0,
    bytes INT not null default 0, dimension INT not null default 0,
    constraint flow_collection__id unique (id),
    constraint flow_collection__name unique (user_id, kind, name))`,
  `create table flow_vector (
    seq SEQUENCE, collection_id TEXT not null, vector BYTES not null, id TEXT not null,
    text TEXT not null, metadata TEXT not null)`,
  `create index flow_vector__collection_id on flow_vector (collection_id, seq)`,
]
