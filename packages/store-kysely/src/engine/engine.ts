import type { QueryExecutorProvider } from 'kysely'
import type { PostgresEngine } from './postgres/engine.ts'
import type { SqliteEngine } from './sqlite/engine.ts'

/** What stands behind a database opened by `openSqlite` or `openPostgres`. */
export type Engine =
  | {
      readonly kind: 'sqlite'
      readonly sqlite: SqliteEngine
      /** Whether a host hears of each query, which Kysely tells it. */
      readonly isLogged: boolean
    }
  | { readonly kind: 'postgres'; readonly postgres: PostgresEngine }

/** The few words in which the two languages differ. */
export type DialectKind = Engine['kind']

/** Where the adapters of our dialects carry their engine; a symbol of the registry serves two copies. */
export const ENGINE = Symbol.for('x.store-kysely.engine')

/**
 * The engine behind a database or one of its transactions.
 * @throws TypeError when it was not opened by this package
 */
export function engineOf(db: QueryExecutorProvider): Engine {
  const engine = engineWithin(db.getExecutor().adapter)
  if (engine === undefined) {
    throw new TypeError('The database must come from openSqlite or openPostgres')
  }
  return engine
}

function engineWithin(adapter: object): Engine | undefined {
  return Reflect.get(adapter, ENGINE) as Engine | undefined
}
