import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import { engineOf } from './engine.ts'

/** Made once: building them costs more than running them. */
const SAVEPOINT = CompiledQuery.raw('savepoint x_step')
const RELEASE = CompiledQuery.raw('release savepoint x_step')
const ROLLBACK = CompiledQuery.raw('rollback to savepoint x_step')

/**
 * Runs `work` in one transaction: that of `db` when it is one, else one of its own. Inside a
 * caller's transaction it stands behind a savepoint, so that the caller may catch what it throws and
 * go on; PostgreSQL would otherwise refuse everything that follows. `alone`: somebody outside is awaited
 * in it, so it shares no commit with those that are done (SH-16).
 */
export async function atomic<Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<Result> {
  if (!isTransaction(db)) return begin(db, alone).execute(work)
  await db.executeQuery(SAVEPOINT)
  try {
    const result = await work(db)
    await db.executeQuery(RELEASE)
    return result
  } catch (error) {
    await undo(db)
    throw error
  }
}

/**
 * PostgreSQL's default may be another; the stores lock the rows that they change (SH-62). On SQLite,
 * `serializable` asks for a transaction that shares no commit with those before it.
 */
function begin<Tables>(db: Kysely<Tables>, alone: boolean) {
  const builder = db.transaction()
  if (engineOf(db).kind === 'postgres') return builder.setIsolationLevel('read committed')
  return alone ? builder.setIsolationLevel('serializable') : builder
}

/**
 * Runs work whose first statement is the only one that may fail for a reason the caller can mend (a
 * unique index). On SQLite, and outside a transaction, such a statement undoes itself.
 */
export function statement<Tables, Result>(
  db: Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  if (!db.isTransaction || engineOf(db).kind === 'sqlite') return work(db)
  return atomic(db, work)
}

/** True if rows are locked individually: on SQLite a writing transaction excludes others. */
export function locksRows<Tables>(db: Kysely<Tables>): boolean {
  return db.isTransaction && engineOf(db).kind === 'postgres'
}

/** When the connection is lost too, the first error is the one to know. */
async function undo<Tables>(db: Kysely<Tables>): Promise<void> {
  try {
    await db.executeQuery(ROLLBACK)
    await db.executeQuery(RELEASE)
  } catch {
    return
  }
}

function isTransaction<Tables>(db: Kysely<Tables>): db is Transaction<Tables> {
  return db.isTransaction
}
