import type { FleetDatabase, FleetProcess, FleetState, JobQueue } from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import { COUNT } from './job-sql.ts'
import { isOnce } from './trim-query.ts'

/** A process that was not seen for this long is not listed any more. */
const LISTED_MS = 10 * 60_000
const MINUTE_MS = 60_000
const MOST_USERS = 20

/** The clock of PostgreSQL; SQLite serves one process, whose clock counts. */
const clockOf = {
  postgres: sql<number>`cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint)`,
  sqlite: sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`,
}

/** Where a job waits that is the first of its turn. */
const firstOf = sql`(select q.created_at from flow_job as q where q.state = 'queued'
  and q.lane = t.lane and coalesce(q.user_id, '') = t.user_key order by q.position, q.seq limit 1)`

/** Through the indexes of finished jobs, of which there is one for each lane and kind. */
const endedAfter = (operator: '=' | '<>', now: RawBuilder<number>): RawBuilder<unknown> =>
  sql`select j.state from flow_job_lane as l join flow_job as j on j.lane = l.lane
    and ${isOnce('j', operator)} and j.finished_at > ${now} - ${sql.lit(MINUTE_MS)}`

const dateOf = (value: unknown): Date | null => (value === null ? null : new Date(Number(value)))

/** What the processes of a fleet say and see of one another. */
export function createFleet(db: FlowDb): Required<Pick<JobQueue, 'seen' | 'gone' | 'fleet'>> {
  const { kind } = engineOf(db)
  const now = clockOf[kind]
  return {
    async seen(process) {
      const record = encodeText(JSON.stringify(process))
      await sql`insert into flow_process (name, seen_at, record) values (${process.name}, ${now}, ${record})
        on conflict (name) do update set seen_at = excluded.seen_at, record = excluded.record`.execute(
        db,
      )
    },
    async gone(name) {
      await sql`delete from flow_process where name = ${name} or seen_at < ${now} - ${sql.lit(LISTED_MS)}`.execute(
        db,
      )
    },
    async fleet() {
      const processes = await sql<{
        seen_at: number | string
        record: string
      }>`select seen_at, record
        from flow_process where seen_at > ${now} - ${sql.lit(LISTED_MS)} order by name`.execute(db)
      const counts = await sql<Record<string, number | string | null>>`select ${now} as at,
        (select coalesce(sum(waiting), 0) from flow_job_turn) as queued,
        (select coalesce(sum(running), 0) from flow_job_turn) as running,
        (select coalesce(sum(suspects), 0) from flow_job_turn) as suspects,
        (select count(*) from flow_job where state = 'suspended') as suspended,
        (select ${firstOf} from flow_job_turn as t where t.waiting > 0
          order by (t.head & ${COUNT}) limit 1) as oldest,
        (select min(lease_until) from flow_job where state = 'running') as lease,
        (select count(*) from flow_job where state = 'running' and lease_until < ${now}) as expired`.execute(
        db,
      )
      const ended = await sql<{
        state: string
        jobs: number | string
      }>`select state, count(*) as jobs
        from (${endedAfter('<>', now)} union all ${endedAfter('=', now)}) as ended group by state`.execute(
        db,
      )
      const users = await sql<
        Record<'queued' | 'running' | 'oldest', number | string> & { user_key: string }
      >`
        select t.user_key, sum(t.waiting) as queued, sum(t.running) as running,
          min(case when t.waiting > 0 then ${firstOf} end) as oldest
        from (select * from flow_job_turn order by waiting desc limit ${sql.lit(4 * MOST_USERS)}) as t
        group by t.user_key order by 2 desc, 3 desc limit ${sql.lit(MOST_USERS)}`.execute(db)
      const found = counts.rows[0] ?? {}
      const numberOf = (name: string): number => Number(found[name] ?? 0)
      const states = new Map(ended.rows.map(({ state, jobs }) => [state, Number(jobs)]))
      return {
        at: new Date(numberOf('at')),
        processes: processes.rows.map(({ seen_at: seen, record }) => {
          const process = JSON.parse(decodeText(record)) as FleetProcess & { startedAt: string }
          return {
            ...process,
            startedAt: new Date(process.startedAt),
            seenAt: new Date(Number(seen)),
          }
        }),
        queued: numberOf('queued'),
        running: numberOf('running'),
        suspended: numberOf('suspended'),
        suspects: numberOf('suspects'),
        oldestQueuedAt: dateOf(found['oldest'] ?? null),
        firstLeaseUntil: dateOf(found['lease'] ?? null),
        expiredLeases: numberOf('expired'),
        endedLastMinute: {
          succeeded: states.get('succeeded') ?? 0,
          failed: states.get('failed') ?? 0,
          cancelled: states.get('cancelled') ?? 0,
        },
        users: users.rows.map(({ user_key: key, queued, running, oldest }) => ({
          userId: key === '' ? null : key,
          queued: Number(queued),
          running: Number(running),
          oldestQueuedAt: dateOf(oldest),
        })),
        ...(kind === 'postgres' ? { database: await databaseOf(db) } : {}),
      } satisfies FleetState
    },
  }
}

async function databaseOf(db: FlowDb): Promise<FleetDatabase> {
  const { rows } = await sql<{
    readonly connections: number | string
    readonly most: string
    readonly jobs: string
    readonly log: string
    readonly checkpoints: string
    readonly dead: number | string | null
    readonly age: number | string | null
    readonly application: string | null
    readonly state: string | null
  }>`select (select count(*) from pg_stat_activity where datname = current_database()) as connections,
      current_setting('max_connections') as most,
      pg_total_relation_size('flow_job') as jobs, pg_total_relation_size('flow_job_event') as log,
      pg_total_relation_size('flow_job_checkpoint') as checkpoints,
      (select sum(n_dead_tup)::float / greatest(sum(n_live_tup), 1) from pg_stat_user_tables
        where relname like 'flow_job%') as dead, oldest.*
    from (select 1) as one left join (select extract(epoch from now() - xact_start)::float as age,
        application_name as application, state from pg_stat_activity
      where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
      order by xact_start limit 1) as oldest on true`.execute(db)
  const row = rows[0]
  const age = Number(row?.age ?? 0)
  return {
    connections: Number(row?.connections ?? 0),
    maxConnections: Number(row?.most ?? 0),
    oldestTransactionSeconds: age,
    oldestTransaction:
      age > 60 ? { application: row?.application ?? '', state: row?.state ?? '' } : null,
    bytes: {
      jobs: Number(row?.jobs ?? 0),
      log: Number(row?.log ?? 0),
      checkpoints: Number(row?.checkpoints ?? 0),
    },
    deadRatio: Number(row?.dead ?? 0),
  }
}
