import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'
import type { Placeholders } from '../query/prepared-query.ts'
import { inDialects, int } from './job-sql.ts'

interface TrimValues {
  readonly before: number
  readonly keep: number
  readonly spare: number
  readonly once: number
  readonly most: number
}

/** In the words of the indexes of finished jobs. */
export const isOnce = (job: string, operator: '=' | '<>'): RawBuilder<unknown> =>
  sql`${sql.ref(`${job}.finished_at`)} is not null
    and substr(${sql.ref(`${job}.id`)}, 1, 5) ${sql.raw(operator)} 'once-'`

/**
 * Finished jobs of one kind that are too old, or beyond the newest of their lane; the first of these that goes
 * is looked up in an index, so that nothing is counted.
 */
const surplus = (
  value: Placeholders<TrimValues>,
  dialect: DialectKind,
  { operator, only }: { readonly operator: '=' | '<>'; readonly only: RawBuilder<unknown> },
): RawBuilder<unknown> => {
  const before = int(value('before'))
  const firstGone = (column: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select ${column} from flow_job as e where e.lane = l.lane and ${isOnce('e', operator)}
      order by e.finished_at desc, e.seq desc limit 1 offset ${int(value('keep'))})`
  const lanes = sql`(select l.lane, ${firstGone(sql`e.finished_at`)} as cut_at,
      ${firstGone(sql`e.seq`)} as cut_seq from flow_job_lane as l) as c`
  const goes = sql`j.lane = c.lane and ${isOnce('j', operator)}
    and j.finished_at <= case when c.cut_at > ${before} then c.cut_at else ${before} end
    and (j.finished_at < ${before} or (j.finished_at < ${int(value('spare'))}
      and (j.finished_at < c.cut_at or (j.finished_at = c.cut_at and j.seq <= c.cut_seq)))) ${only}`
  // Without `lateral` PostgreSQL may read all jobs.
  return dialect === 'postgres'
    ? sql`select gone_seq from ${lanes} cross join lateral (select j.seq as gone_seq from flow_job as j
        where ${goes} order by j.finished_at limit ${int(value('most'))}) as found`
    : sql`select j.seq as gone_seq from ${lanes} join flow_job as j on ${goes}`
}

const gone = (value: Placeholders<TrimValues>, dialect: DialectKind): RawBuilder<unknown> =>
  sql`select g.gone_seq from (${surplus(value, dialect, { operator: '<>', only: sql`` })}
    union all ${surplus(value, dialect, { operator: '=', only: sql`and j.finished_at < ${int(value('once'))}` })}
  ) as g ${dialect === 'postgres' ? ALONE : sql``} limit ${int(value('most'))}`

/** Two processes never remove at the same time: the second finds nothing. */
const ALONE = sql`where (select pg_try_advisory_xact_lock(hashtext('flow_job.trim')))`

export const trimJobs = inDialects<TrimValues, { id: string; finished_at: number; seq: number }>(
  (value, dialect) => sql`delete from flow_job
    where seq ${
      dialect === 'postgres'
        ? sql`= any(array(${gone(value, dialect)}))`
        : sql`in (${gone(value, dialect)})`
    } returning id, finished_at, seq`,
)
