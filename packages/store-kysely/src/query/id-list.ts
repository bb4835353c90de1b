import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'

/**
 * Ids as a table `ids (id)` from a single parameter, so that the query text does not depend on their number
 * and is prepared once.
 */
export function idList(db: QueryExecutorProvider, ids: readonly string[]): RawBuilder<unknown> {
  return idTable(db, idParameter(db, ids))
}

/** The same for a parameter created by `idParameter`, for precompiled queries. */
export function idTable(db: QueryExecutorProvider, parameter: unknown): RawBuilder<unknown> {
  return engineOf(db).kind === 'sqlite'
    ? sql`(select value as id from json_each(${parameter})) as ids`
    : sql`unnest(${parameter}::text[]) as ids (id)`
}

/** Ids with their places in the list, counted from 0: a table `ids (id, place)` of one parameter. */
export function placedIdTable(db: QueryExecutorProvider, parameter: unknown): RawBuilder<unknown> {
  return engineOf(db).kind === 'sqlite'
    ? sql`(select value as id, key as place from json_each(${parameter})) as ids`
    : sql`(select id, place - 1 as place
        from unnest(${parameter}::text[]) with ordinality as list (id, place)) as ids`
}

export function idParameter(db: QueryExecutorProvider, ids: readonly string[]): unknown {
  return engineOf(db).kind === 'sqlite' ? JSON.stringify(ids) : ids
}
