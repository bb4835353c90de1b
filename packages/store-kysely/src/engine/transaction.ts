import { CompiledQuery, type Kysely, type Transaction, type TransactionBuilder } from 'kysely'
import { engineOf } from './engine.ts'
import { execute } from './execute.ts'

/** Created once: building them costs more than running them. */
const SAVEPOINT = CompiledQuery.raw('savepoint x_step')
const RELEASE = CompiledQuery.raw('release savepoint x_step')
const ROLLBACK = CompiledQuery.raw('rollback to savepoint x_step')

/**
 * Runs `work` in a transaction: in `db` if it is one, else in a new one. Within a caller's transaction it
 * uses a savepoint, so that the caller can catch an error and continue, which PostgreSQL would otherwise
 * refuse. `alone`: the work awaits something external, so it must not share a commit with finished
 * transactions.
 */
export async function atomic<Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<Result> {
  if (!isTransaction(db)) return begin(db, alone).execute(work)
  await execute(db, SAVEPOINT)
  try {
    const result = await work(db)
    await execute(db, RELEASE)
    return result
  } catch (error) {
    await undo(db)
    throw error
  }
}

/**
 * PostgreSQL's default isolation level may differ; the stores lock the rows they change. On SQLite,
 * `serializable` requests a transaction that does not share a commit with earlier ones.
 */
function begin<Tables>(db: Kysely<Tables>, alone: boolean): TransactionBuilder<Tables> {
  const known = alone ? aloneBuilders : builders
  const made = (known.get(db) as TransactionBuilder<Tables> | undefined) ?? builderOf(db, alone)
  known.set(db, made)
  return made
}

/** Builders by database: they hold no state of a transaction, and building one costs more than beginning. */
const builders = new WeakMap<object, unknown>()
const aloneBuilders = new WeakMap<object, unknown>()

function builderOf<Tables>(db: Kysely<Tables>, alone: boolean): TransactionBuilder<Tables> {
  const builder = db.transaction()
  if (engineOf(db).kind === 'postgres') return builder.setIsolationLevel('read committed')
  return alone ? builder.setIsolationLevel('serializable') : builder
}

/**
 * Runs work in which only the first statement can fail recoverably (unique index). On SQLite, and outside a
 * transaction, such a statement rolls itself back.
 */
export function statement<Tables, Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  if (!db.isTransaction || engineOf(db).kind === 'sqlite') return work(db)
  return atomic(db, work)
}

/** True if rows are locked individually; on SQLite a write transaction excludes all others. */
export function locksRows<Tables>(db: Kysely<Tables>): boolean {
  return db.isTransaction && engineOf(db).kind === 'postgres'
}

/** If the connection is lost too, the first error is reported. */
async function undo<Tables>(db: Kysely<Tables>): Promise<void> {
  try {
    await execute(db, ROLLBACK)
    await execute(db, RELEASE)
  } catch {
    return
  }
}

function isTransaction<Tables>(db: Kysely<Tables>): db is Transaction<Tables> {
  return db.isTransaction
}
