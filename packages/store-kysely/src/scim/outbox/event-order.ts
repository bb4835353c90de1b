import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../../engine/engine.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'

type Db = Kysely<ScimTables>

/** First key of the advisory locks of transactions that write events; the second is an event number. */
const WRITERS = 0x5c1e

/** The number of the last event of any transaction. */
const LAST_NUMBER = sql<number>`coalesce(
  pg_sequence_last_value(pg_get_serial_sequence('scim_event', 'seq')::regclass), 0)`

/**
 * Events are ordered by number. On PostgreSQL a transaction may commit an event after others with
 * higher numbers are visible. Therefore a transaction that is about to take a number first publishes the
 * preceding number through an advisory lock held until it ends; readers stop at the lowest published
 * number. Transactions without events do not delay readers.
 */
export const writerLock: RawBuilder<unknown> = sql`pg_advisory_xact_lock_shared(
  ${sql.lit(WRITERS)}, (${LAST_NUMBER})::bit(32)::int)`

/**
 * The number up to which no further events can appear. Read it in a separate statement: the result holds for
 * statements that start later. SQLite has a single writer.
 * @throws TypeError within a transaction that does not see later commits
 */
export async function lastAcknowledged(db: Db): Promise<number> {
  if (engineOf(db).kind === 'sqlite') return Number.MAX_SAFE_INTEGER
  // A lock key has 32 bits of a number. One published after the last number was read is not below it.
  const { rows } = await sql<{ settled: number; isolation: string }>`
    with reading as materialized (select ${LAST_NUMBER} as last)
    select current_setting('transaction_isolation') as isolation, least(last, (
      select min(last - shown.behind) from (
        select (last - objid::bigint) & 4294967295 as behind from pg_locks
        where locktype = 'advisory' and classid = ${sql.lit(WRITERS)} and objsubid = 2
        and database = (select oid from pg_database where datname = current_database())
      ) as shown where shown.behind < 2147483648
    )) as settled from reading`.execute(db)
  const [found] = rows
  if (db.isTransaction && found?.isolation !== 'read committed') {
    throw new TypeError('The outbox is read outside of transactions, or in one of read committed')
  }
  return found?.settled ?? 0
}
