import { sql, type RawBuilder } from 'kysely'
import { preparedSql } from '../flow/prepared-sql.ts'
import type { Placeholders } from '../query/prepared-query.ts'
import { claimedColumns, COUNT, int, text } from './job-sql.ts'
import { CLAIMED_COLUMNS, type ClaimedRow } from './mapping.ts'

export interface ClaimValues {
  readonly worker: string
  /** Comma-delimited names; null: all. */
  readonly lanes: string | null
  readonly leaseUntil: number
  readonly now: number
  /** 0: no job that is suspected of ending its process, 2: only those of `apart`. */
  readonly suspects: number
  /** The crashes of jobs that only 2 claims; null: there are none. */
  readonly apart: number | null
}

export const suspectsNumber = (suspects: boolean | 'apart'): number =>
  suspects === 'apart' ? 2 : Number(suspects)

const CLAIM_TURN = sql`t.running, (t.head & ${COUNT})`

type Wanted = Placeholders<Pick<ClaimValues, 'suspects' | 'apart'>>

const mayRun = (value: Wanted): RawBuilder<unknown> =>
  sql`case ${int(value('suspects'))} when 0 then q.crashes = 0
    when 1 then q.crashes <> coalesce(${int(value('apart'))}, -1)
    else q.crashes = ${int(value('apart'))} end`

const isOpen = (value: Wanted): RawBuilder<unknown> =>
  // The index of turns has those alone with jobs that wait.
  sql`t.waiting > 0 and ((${int(value('suspects'))} < 2 and t.waiting > t.suspects)
    or (${int(value('suspects'))} > 0 and t.suspects > 0 and exists (select 1 from flow_job as q
      where q.state = 'queued' and q.lane = t.lane and coalesce(q.user_id, '') = t.user_key
        and ${mayRun(value)})))
    and (t.max_running is null or t.running < t.max_running)`

/** The next job of the user with the fewest running ones of its lane, then of the one that waits longest. */
export const claimJob = preparedSql<ClaimValues, ClaimedRow>(
  (value) => sql`update flow_job set state = 'running', worker = ${value('worker')},
      lease_until = ${value('leaseUntil')}, attempts = attempts + 1,
      started_at = coalesce(started_at, ${value('now')})
    where seq = (select q.seq from flow_job as q where q.state = 'queued'
      and (q.lane, coalesce(q.user_id, '')) = (select t.lane, t.user_key from flow_job_turn as t
        where ${isOpen(value)}
          and (${text(value('lanes'))} is null or ${text(value('lanes'))} like '%,' || t.lane || ',%')
        order by ${CLAIM_TURN} limit 1)
      and ${mayRun(value)}
      order by q.position, q.seq limit 1)
    returning ${claimedColumns}`,
)

export interface ClaimsValues extends Pick<ClaimValues, 'suspects' | 'apart'> {
  /** Null: all. */
  readonly lanes: readonly string[] | null
  /** One for each claim. */
  readonly workers: readonly string[]
  readonly leases: readonly number[]
  readonly times: readonly number[]
}

/** The columns of a claimed job, whether there was a turn that could be taken, and how many jobs still wait. */
export type ClaimsRow = Partial<ClaimedRow> &
  Readonly<Record<'turns' | 'left_waiting', number | string>>

/**
 * Several claims on PostgreSQL in one statement, which takes no lock that it does not release at its end. The
 * rows of the turns are locked first, so that limits are exact.
 * @param locking `skip locked`, or nothing to wait for the claims of others
 */
const claimsUnder = (locking: RawBuilder<unknown>) =>
  preparedSql<ClaimsValues, ClaimsRow>(
    (value) => sql`with
      lanes as materialized (select unnest(coalesce(${value('lanes')}::text[],
        array(select l.lane from flow_job_lane as l))) as lane),
      turns as materialized (select one.* from lanes cross join lateral (
        select t.lane, t.user_key, t.running, t.max_running, t.head from flow_job_turn as t
          where t.lane = lanes.lane and ${isOpen(value)} order by ${CLAIM_TURN}
          limit array_length(${value('workers')}::text[], 1) for update ${locking}) as one),
      locked as materialized (select j.*, t.running, t.lane, t.user_key
        from turns as t cross join lateral (
          select q.seq, q.crashes, q.position from flow_job as q
            where q.state = 'queued' and q.lane = t.lane and coalesce(q.user_id, '') = t.user_key
              and q.position >= t.head and ${mayRun(value)}
            order by q.position, q.seq
            limit least(t.max_running - t.running, ceil(
              array_length(${value('workers')}::text[], 1)::numeric / (select count(*) from turns)))
            for update skip locked) as j),
      found as (select seq, crashes, position, running
          + row_number() over (partition by lane, user_key order by position, seq) as turn from locked),
      ranked as (select seq, row_number() over (order by turn, (position & ${COUNT}), seq) as place
        from found where crashes = 0
          or seq = (select f.seq from found as f where f.crashes > 0 order by f.turn, f.position limit 1)),
      claimed as (update flow_job as j set state = 'running', worker = (${value('workers')}::text[])[r.place],
          lease_until = (${value('leases')}::bigint[])[r.place], attempts = attempts + 1,
          started_at = coalesce(started_at, (${value('times')}::bigint[])[r.place])
        from ranked as r where r.seq = j.seq
          and r.place <= array_length(${value('workers')}::text[], 1)
        returning ${sql.join(CLAIMED_COLUMNS.map((column) => sql.ref(`j.${column}`)))})
    select turns.turns, (select coalesce(sum(l.waiting), 0) from flow_job_lane as l
        where l.lane in (select lane from lanes)) - (select count(*) from claimed) as left_waiting, claimed.*
      from (select count(*) as turns from lanes cross join lateral (select 1 from flow_job_turn as t
        where t.lane = lanes.lane and ${isOpen(value)} limit 1) as one) as turns
      left join claimed on true`,
  )

export const claimJobs = { now: claimsUnder(sql`skip locked`), afterOthers: claimsUnder(sql``) }

/** Several heartbeats on PostgreSQL; rows that others have locked are left out, as no job may delay the others. */
export const heartbeatJobs = preparedSql<
  {
    readonly ids: readonly string[]
    readonly workers: readonly string[]
    readonly leases: readonly number[]
  },
  { readonly id: string; readonly worker: string; readonly cancel_requested: number }
>(
  (value) => sql`with held as materialized (select j.seq, b.lease_until
      from unnest(${value('ids')}::text[], ${value('workers')}::text[], ${value('leases')}::bigint[])
        as b (id, worker, lease_until)
      join flow_job as j on j.id = b.id and j.worker = b.worker and j.state = 'running'
      for update of j skip locked)
    update flow_job as j set lease_until = held.lease_until
    from held where j.seq = held.seq returning j.id, j.worker, j.cancel_requested`,
)
