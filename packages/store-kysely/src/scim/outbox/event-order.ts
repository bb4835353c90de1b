import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../../engine/engine.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'

type Db = Kysely<ScimTables>

/** First key of the advisory locks of transactions that write events; the second is a number of an event. */
const WRITERS = 0x5c1e

/** The number that the last event got, of whichever transaction. */
const LAST_NUMBER = sql<number>`coalesce(
  pg_sequence_last_value(pg_get_serial_sequence('scim_event', 'seq')::regclass), 0)`

/**
 * Events are in the order of their numbers (SH-21). On PostgreSQL a transaction may commit an event after
 * others with higher numbers are seen. So a transaction that is about to take a number first shows, by an
 * advisory lock that lasts as long as it does, the last number before its own; whoever reads goes no further
 * than the lowest number that is shown. Transactions without events hold nothing back.
 */
export const writerLock: RawBuilder<unknown> = sql`pg_advisory_xact_lock_shared(
  ${sql.lit(WRITERS)}, (${LAST_NUMBER})::bit(32)::int)`

/**
 * The number up to which no event is still to come. Read it in a statement of its own: what it says of the
 * events holds for statements that begin later. SQLite has one writer at a time.
 * @throws TypeError within a transaction that does not see what others commit meanwhile
 */
export async function lastSettled(db: Db): Promise<number> {
  if (engineOf(db).kind === 'sqlite') return Number.MAX_SAFE_INTEGER
  // A lock has 32 bits of a number. One that was shown after the last number was read is not below it.
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
