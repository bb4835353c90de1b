import { sql, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { engineOf } from './dialect.ts'

/**
 * Ids as a table `ids (id)` of one parameter, so that the text of a query does not depend on how
 * many there are and its statement is prepared once.
 */
export function idList(db: QueryExecutorProvider, ids: readonly string[]): RawBuilder<unknown> {
  return engineOf(db).kind === 'sqlite'
    ? sql`(select value as id from json_each(${JSON.stringify(ids)})) as ids`
    : sql`unnest(${ids}::text[]) as ids (id)`
}
