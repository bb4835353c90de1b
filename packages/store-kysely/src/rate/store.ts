import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf, type DialectKind } from '../engine/engine.ts'

/** How fast a bucket of requests refills, and how many it holds. */
export interface BucketLimit {
  /** Requests that come back each second. */
  readonly perSecond: number
  /** Requests that a full bucket holds. */
  readonly burst: number
}

/** Buckets of requests by key, for `withRateLimit` of `@x/http-adapters/rate-limit`. */
export interface SqlRateLimitStore {
  /**
   * Takes one request out of the bucket of `key` if it has one, atomically over all processes.
   * `fullInMs`: milliseconds until the bucket is full again.
   * @throws DatabaseError when the database does not answer
   */
  take(key: string, limit: BucketLimit): Promise<{ allowed: boolean; fullInMs: number }>
}

/** Full buckets are as good as none; they are removed about so often. */
const SWEEP_MS = 60_000
/** Rows that one sweep removes. */
const SWEPT_ROWS = 10_000

/**
 * Token buckets over a database that `migrateRateLimits` has prepared (OP-17), each kept as the
 * millisecond at which it will be full. The clock of the database counts, so that processes on several
 * machines agree. Each request is a write: for one process alone, buckets in memory cost less.
 * @throws TypeError when the database was not opened by `openSqlite` or `openPostgres`
 */
export function createRateLimitStore<Tables>(db: Kysely<Tables>): SqlRateLimitStore {
  const { kind } = engineOf(db)
  let sweepAt = performance.now() + SWEEP_MS
  return {
    async take(key, { perSecond, burst }) {
      const step = 1000 / perSecond
      const now = clock(kind)
      const whole = number(step * burst)
      // A clock that was set back must not make a bucket emptier than empty.
      const before = sql`${least(kind)}(${greatest(kind)}(b.full_at, ${now}), ${now} + ${whole})`
      const taken = await sql<{ wait: number }>`
        insert into rate_bucket as b (key, full_at) values (${key}, ${now} + ${number(step)})
        on conflict (key) do update set full_at = ${before} + ${number(step)}
        where ${before} + ${number(step)} <= ${now} + ${whole} + ${number(step / 1000)}
        returning full_at - ${now} as wait`.execute(db)
      if (performance.now() >= sweepAt) {
        sweepAt = performance.now() + SWEEP_MS
        await sweep(db, kind)
      }
      const [row] = taken.rows
      if (row !== undefined) return { allowed: true, fullInMs: Math.max(0, row.wait) }
      return { allowed: false, fullInMs: await waitOf(db, key, step * burst) }
    },
  }
}

async function waitOf<Tables>(db: Kysely<Tables>, key: string, whole: number): Promise<number> {
  const now = clock(engineOf(db).kind)
  const { rows } = await sql<{ wait: number }>`
    select full_at - ${now} as wait from rate_bucket where key = ${key}`.execute(db)
  return Math.min(whole, Math.max(0, rows[0]?.wait ?? 0))
}

async function sweep<Tables>(db: Kysely<Tables>, kind: DialectKind): Promise<void> {
  // Two processes that sweep at once must not wait for each other's rows.
  const unlocked = kind === 'postgres' ? sql`for update skip locked` : sql``
  await sql`delete from rate_bucket where key in (
    select key from rate_bucket where full_at < ${clock(kind)} limit ${sql.lit(SWEPT_ROWS)} ${unlocked})`.execute(
    db,
  )
}

/** Milliseconds; the same throughout a statement. */
function clock(kind: DialectKind): RawBuilder<number> {
  return kind === 'postgres'
    ? sql`(extract(epoch from statement_timestamp()) * 1000)::double precision`
    : sql`((julianday('now') - 2440587.5) * 86400000)`
}

/** PostgreSQL would take a parameter's type from its neighbours, as an integer at times. */
const number = (value: number): RawBuilder<number> => sql`cast(${value} as double precision)`

const least = (kind: DialectKind) => sql.raw(kind === 'postgres' ? 'least' : 'min')
const greatest = (kind: DialectKind) => sql.raw(kind === 'postgres' ? 'greatest' : 'max')
