import { sql, type RawBuilder } from 'kysely'
import { preparedSql } from '../flow/prepared-sql.ts'
import type { Placeholders } from '../query/prepared-query.ts'
import type { ListedJob } from '@x/flow-engine/store'
import type { RowOf } from '../schema/tables/flow.ts'
import {
  firstPosition,
  inDialects,
  int,
  lastPosition,
  nextCount,
  skipLocked,
  STEP,
  text,
} from './job-sql.ts'
import { jobMapping, listedJobMapping, type ClaimedRow } from './mapping.ts'

const listedColumns = sql.join(listedJobMapping.columns.map((column) => sql.ref(column)))
const jobColumns = sql.join(jobMapping.columns.map((column) => sql.ref(column)))

export interface EnqueueValues {
  readonly id: string
  readonly flow_id: string
  readonly user_id: string | null
  readonly request: string
  readonly resumable: number
  readonly lane: string
  readonly created_at: number
  readonly max_running_per_user: number | null
  readonly flow_version: number | null
  readonly session_id: string | null
  readonly priority: number
  readonly max_queued: number | null
}

/** A trigger refuses it if too many jobs are waiting. */
export const enqueueJob = inDialects<EnqueueValues, never>(
  (
    value,
    dialect,
  ) => sql`insert into flow_job (id, flow_id, user_id, request, resumable, lane, created_at,
      max_running_per_user, flow_version, session_id, priority, max_queued, state, attempts, crashes,
      cancel_requested, question, answer, position)
    values (${value('id')}, ${value('flow_id')}, ${value('user_id')}, ${value('request')},
      ${value('resumable')}, ${value('lane')}, ${value('created_at')},
      ${value('max_running_per_user')}, ${value('flow_version')}, ${value('session_id')},
      ${value('priority')}, ${value('max_queued')}, 'queued', 0, 0, 0, 'null', 'null',
      ${nextCount[dialect]} - cast(${value('priority')} as bigint) * ${STEP})`,
)

const ENQUEUED: Readonly<Record<keyof EnqueueValues, 'text' | 'bigint'>> = {
  id: 'text',
  flow_id: 'text',
  user_id: 'text',
  request: 'text',
  resumable: 'bigint',
  lane: 'text',
  created_at: 'bigint',
  max_running_per_user: 'bigint',
  flow_version: 'bigint',
  session_id: 'text',
  priority: 'bigint',
  max_queued: 'bigint',
}

/** Several jobs, as a JSON list of their rows. */
export const enqueueJobs = inDialects<{ readonly rows: string }, never>((value, dialect) => {
  const names = Object.keys(ENQUEUED)
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const rows =
    dialect === 'postgres'
      ? sql`select * from jsonb_to_recordset(cast(${value('rows')} as jsonb)) as r (${sql.raw(
          Object.entries(ENQUEUED)
            .map(([name, type]) => `${name} ${type}`)
            .join(', '),
        )})`
      : sql`select ${sql.join(names.map((name) => sql`json_extract(value, ${sql.lit(`$.${name}`)}) as ${sql.ref(name)}`))}
          from json_each(${value('rows')})`
  return sql`insert into flow_job (${columns}, state, attempts, crashes, cancel_requested, question,
      answer, position)
    select ${columns}, 'queued', 0, 0, 0, 'null', 'null', ${nextCount[dialect]} - priority * ${STEP}
    from (${rows}) as given`
})

interface HeldValues {
  readonly jobId: string
  readonly worker: string
}

const isHeld = (value: Placeholders<HeldValues>): RawBuilder<unknown> =>
  sql`id = ${value('jobId')} and worker = ${value('worker')} and state = 'running'`

/** Gives a job that was just added to the worker that runs it. */
export const startJob = preparedSql<
  HeldValues & { readonly leaseUntil: number; readonly startedAt: number },
  never
>(
  (value) => sql`update flow_job set state = 'running', worker = ${value('worker')}, attempts = 1,
    lease_until = ${value('leaseUntil')}, started_at = ${value('startedAt')}
    where id = ${value('jobId')}`,
)

export const heartbeatJob = preparedSql<
  HeldValues & { readonly leaseUntil: number },
  { cancel_requested: number }
>(
  (value) => sql`update flow_job set lease_until = ${value('leaseUntil')} where ${isHeld(value)}
    returning cancel_requested`,
)

/** The answer to a heartbeat, from the row that it changed. */
export function heartbeatOf([row]: readonly {
  readonly cancel_requested: number
}[]): 'kept' | 'lost' | 'cancel' {
  if (row === undefined) return 'lost'
  return row.cancel_requested === 1 ? 'cancel' : 'kept'
}

export const finishJob = preparedSql<
  HeldValues & {
    readonly state: string
    readonly finishedAt: number
    readonly error: string | null
    /** null: unchanged. */
    readonly usage: string | null
    readonly result: string | null
  },
  never
>(
  (value) => sql`update flow_job set state = ${value('state')}, result = ${text(value('result'))},
    finished_at = ${value('finishedAt')}, error = ${value('error')},
    usage = coalesce(${text(value('usage'))}, usage),
    worker = null, lease_until = null where ${isHeld(value)}`,
)

export const readResult = preparedSql<{ readonly jobId: string }, { result: string | null }>(
  (value) => sql`select result from flow_job where id = ${value('jobId')}`,
)

/** The job has completed a step and is no suspect any more. */
export const absolveJob = preparedSql<HeldValues, never>(
  (value) => sql`update flow_job set crashes = 0 where ${isHeld(value)}`,
)

export const releaseJob = inDialects<HeldValues, never>(
  (value, dialect) => sql`update flow_job set state = 'queued', position = ${lastPosition(dialect)},
    worker = null, lease_until = null where ${isHeld(value)}`,
)

/** Jobs whose claims were not answered: they go before others, and nobody is charged. */
export const unclaimJobs = preparedSql<{ readonly workers: readonly string[] }, never>(
  (value) => sql`update flow_job set state = 'queued',
      position = ${firstPosition('postgres', sql`crashes > 0`)}, worker = null, lease_until = null
    where state = 'running' and worker = any(${value('workers')}::text[])`,
)

export const suspendJob = preparedSql<
  HeldValues & {
    readonly question: string
    readonly askedAt: number
    readonly wakeAt: number | null
    /** null: unchanged. */
    readonly usage: string | null
  },
  never
>(
  (value) => sql`update flow_job set state = 'suspended',
    usage = coalesce(${text(value('usage'))}, usage), question = ${value('question')},
    answer = 'null', asked_at = ${value('askedAt')}, wake_at = ${int(value('wakeAt'))},
    worker = null, lease_until = null where ${isHeld(value)}`,
)

export interface ResumeValues {
  readonly jobId: string
  readonly answer: string
  /** null: regardless of its last claim. */
  readonly attempts: number | null
}

export const resumeJob = inDialects<ResumeValues, never>(
  (value, dialect) => sql`update flow_job set state = 'queued', answer = ${value('answer')},
    wake_at = null, position = ${lastPosition(dialect)}
    where id = ${value('jobId')} and state = 'suspended'
      and (${int(value('attempts'))} is null or attempts = ${int(value('attempts'))})`,
)

export const wakeJobs = inDialects<{ readonly now: number }, { id: string }>(
  (value, dialect) => sql`update flow_job set state = 'queued', position = ${lastPosition(dialect)}
    where seq in (select seq from flow_job where state = 'suspended' and wake_at <= ${value('now')}
      ${skipLocked[dialect]}) returning id`,
)

export interface PendingValues {
  readonly userId: string | null
  readonly flowId: string | null
  readonly after: string | null
  readonly limit: number
}

/** An unknown `after` excludes nothing. */
export const readPending = preparedSql<PendingValues, ClaimedRow>(
  (value) => sql`select ${jobColumns} from flow_job as q
    where q.state = 'suspended' and q.question <> 'null'
      and (${text(value('userId'))} is null or q.user_id = ${text(value('userId'))})
      and (${text(value('flowId'))} is null or q.flow_id = ${text(value('flowId'))})
      and not exists (select 1 from flow_job as l where l.id = ${text(value('after'))}
        and (l.asked_at > q.asked_at or (l.asked_at = q.asked_at and l.id >= q.id)))
    order by q.asked_at, q.id limit ${int(value('limit'))}`,
)

export const cancelJob = preparedSql<{ readonly jobId: string; readonly now: number }, never>(
  (value) => sql`update flow_job set cancel_requested = 1,
      finished_at = case when state = 'running' then null else ${int(value('now'))} end,
      state = case when state = 'running' then state else 'cancelled' end
    where id = ${value('jobId')} and finished_at is null`,
)

/** A waiting job with this many crashes; looks at suspects only. */
export const readApart = preparedSql<{ readonly crashes: number }, { id: string }>(
  (value) => sql`select q.id from flow_job_turn as t join flow_job as q on q.state = 'queued'
      and q.lane = t.lane and coalesce(q.user_id, '') = t.user_key
    where t.suspects > 0 and q.crashes = ${value('crashes')} limit 1`,
)

/** Turns that nobody waits or runs in. */
export const removeTurns = preparedSql<object, never>(
  () => sql`delete from flow_job_turn where waiting = 0 and running = 0`,
)

/** The clock of PostgreSQL, in milliseconds. */
export const readClock = preparedSql<object, { now: number | string }>(
  () => sql`select floor(extract(epoch from clock_timestamp()) * 1000) as now`,
)

/** Each state has its own index. */
export const countOpen = preparedSql<
  object,
  Record<'queued' | 'running' | 'suspended', number | bigint | string>
>(
  () => sql`select (select count(*) from flow_job where state = 'queued') as queued,
    (select count(*) from flow_job where state = 'running') as running,
    (select count(*) from flow_job where state = 'suspended') as suspended`,
)

export interface ListValues {
  readonly userId: string
  readonly flowId: string | null
  readonly sessionId: string | null
  /** Comma-delimited names; null: all. */
  readonly states: string | null
  /** Like `states`. */
  readonly lanes: string | null
  readonly from: number | null
  readonly to: number | null
}

const listed = (value: Placeholders<ListValues>, of: 'user' | 'session'): RawBuilder<unknown> =>
  sql`user_id = ${text(value('userId'))}
    ${of === 'session' ? sql`and session_id = ${text(value('sessionId'))}` : sql``}
    and (${text(value('flowId'))} is null or flow_id = ${text(value('flowId'))})
    and (${text(value('states'))} is null or ${text(value('states'))} like '%,' || state || ',%')
    and (${text(value('lanes'))} is null or ${text(value('lanes'))} like '%,' || lane || ',%')
    and (${int(value('from'))} is null or created_at >= ${int(value('from'))})
    and (${int(value('to'))} is null or created_at <= ${int(value('to'))})`

type ListPage = ListValues & { readonly offset: number; readonly limit: number }

/** Those of one session, which every turn of a chat asks for, are found by an index of their own. */
const listJobs = (of: 'user' | 'session') =>
  preparedSql<ListPage, RowOf<ListedJob>>(
    (value) => sql`select ${listedColumns} from flow_job where ${listed(value, of)}
    order by created_at desc, id desc limit ${int(value('limit'))} offset ${int(value('offset'))}`,
  )

const countJobs = (of: 'user' | 'session') =>
  preparedSql<ListValues, { total: number | bigint | string }>(
    (value) => sql`select count(*) as total from flow_job where ${listed(value, of)}`,
  )

export const listOf = {
  user: { page: listJobs('user'), count: countJobs('user') },
  session: { page: listJobs('session'), count: countJobs('session') },
}

export const readJob = preparedSql<{ readonly jobId: string }, ClaimedRow>(
  (value) => sql`select ${jobColumns} from flow_job where id = ${value('jobId')}`,
)

export const removeJob = preparedSql<{ readonly jobId: string }, never>(
  (value) => sql`delete from flow_job where finished_at is not null and id = ${value('jobId')}`,
)
