import type { QueryExecutorProvider } from 'kysely'
import type { PostgresEngine } from './postgres/engine.ts'
import type { SqliteEngine } from './sqlite/engine.ts'

/** The engine of a database opened by `openSqlite` or `openPostgres`. */
export type Engine =
  | {
      readonly kind: 'sqlite'
      readonly sqlite: SqliteEngine
      /** True if Kysely reports each query to the host's log. */
      readonly isLogged: boolean
    }
  | { readonly kind: 'postgres'; readonly postgres: PostgresEngine }

/** The differences between the two dialects. */
export type DialectKind = Engine['kind']

/**
 * Key of the engine on our dialects' adapters; a registered symbol works across two copies of the package.
 */
export const ENGINE = Symbol.for('x.store-kysely.engine')

/**
 * The engine behind a database or one of its transactions.
 * @throws TypeError if it was not opened by this package
 */
export function engineOf(db: QueryExecutorProvider): Engine {
  const engine = engineWithin(db.getExecutor().adapter)
  if (engine === undefined) {
    throw new TypeError('The database must come from openSqlite or openPostgres')
  }
  return engine
}

function engineWithin(adapter: object): Engine | undefined {
  return (adapter as { readonly [ENGINE]?: Engine })[ENGINE]
}
