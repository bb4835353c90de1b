import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf, type DialectKind } from '../engine/engine.ts'

/** Refill rate and capacity of a bucket. */
export interface BucketLimit {
  /** Requests added per second. */
  readonly perSecond: number
  /** Requests in a full bucket. */
  readonly burst: number
}

/** Token buckets by key, for `withRateLimit` of `@x/http-adapters/rate-limit`. */
export interface SqlRateLimitStore {
  /**
   * Atomically takes one request from the bucket of `key`, if there is one, across all processes.
   * `fullInMs`: milliseconds until the bucket is full again.
   * @throws DatabaseError if the database does not respond
   */
  take(key: string, limit: BucketLimit): Promise<{ allowed: boolean; fullInMs: number }>
  /**
   * Atomically puts back one request taken from the bucket of `key`.
   * @throws DatabaseError if the database does not respond
   */
  giveBack(key: string, limit: BucketLimit): Promise<void>
}

/** Interval for removing full buckets, which are equivalent to none. */
const SWEEP_MS = 60_000
/** Rows removed per sweep. */
const SWEPT_ROWS = 10_000

/**
 * Token buckets on a database prepared by `migrateRateLimits`, each stored as the time at which it
 * will be full. Uses the clock of the database, so that processes on several machines agree. Each request
 * is a write; for a single process, in-memory buckets are cheaper.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`
 */
export function createRateLimitStore<Tables>(db: Kysely<Tables>): SqlRateLimitStore {
  const { kind } = engineOf(db)
  let sweepAt = performance.now() + SWEEP_MS
  return {
    async take(key, { perSecond, burst }) {
      const step = 1000 / perSecond
      const now = clock(kind)
      const whole = number(step * burst)
      // If the clock was set back, a bucket must not become emptier than empty.
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
    async giveBack(key, { perSecond }) {
      await sql`update rate_bucket set full_at = full_at - ${number(1000 / perSecond)}
        where key = ${key}`.execute(db)
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
  // Concurrent sweeps must not wait for each other's rows.
  const unlocked = kind === 'postgres' ? sql`for update skip locked` : sql``
  await sql`delete from rate_bucket where key in (
    select key from rate_bucket where full_at < ${clock(kind)} limit ${sql.lit(SWEPT_ROWS)} ${unlocked})`.execute(
    db,
  )
}

/** Milliseconds; constant within a statement. */
function clock(kind: DialectKind): RawBuilder<number> {
  return kind === 'postgres'
    ? sql`(extract(epoch from statement_timestamp()) * 1000)::double precision`
    : sql`((julianday('now') - 2440587.5) * 86400000)`
}

/** PostgreSQL would infer a parameter's type from its context, sometimes as an integer. */
const number = (value: number): RawBuilder<number> => sql`cast(${value} as double precision)`

const least = (kind: DialectKind) => sql.raw(kind === 'postgres' ? 'least' : 'min')
const greatest = (kind: DialectKind) => sql.raw(kind === 'postgres' ? 'greatest' : 'max')
