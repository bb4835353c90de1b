import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import { engineOf } from './engine.ts'
import { transactionEnded } from './transaction-ended.ts'

/**
 * SQLite is synchronous, so its engine is called directly: Kysely's connection handling costs as much as a
 * point query. A transaction holds the write connection until it ends.
 */
export function execute<Row, Tables>(
  db: Kysely<Tables>,
  query: CompiledQuery<Row>,
): QueryResult<Row> | Promise<QueryResult<Row>> {
  const engine = engineOf(db)
  if (engine.kind !== 'sqlite' || engine.isLogged) return db.executeQuery(query)
  const { sqlite } = engine
  if (!db.isTransaction) return sqlite.query<Row>(query)
  const running = sqlite.runningTransaction
  const own = transactions.get(db)
  if (running === 0 || (own !== undefined && own !== running)) throw transactionEnded()
  if (own === undefined) transactions.set(db, running)
  return sqlite.writer.run<Row>(query.sql, query.parameters)
}

/** The transaction number of each handle. */
const transactions = new WeakMap<object, number>()
