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
 * Finished jobs of one kind that are too old, or beyond the newest of their lane; the last of these that stays
 * is looked up in an index, so that nothing is counted.
 */
const surplus = (
  value: Placeholders<TrimValues>,
  operator: '=' | '<>',
  only: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const before = int(value('before'))
  return sql`select j.seq as gone_seq from flow_job_lane as l
    left join flow_job as c on c.seq = (select e.seq from flow_job as e
      where e.lane = l.lane and ${isOnce('e', operator)}
      order by e.finished_at desc, e.seq desc limit 1 offset ${int(value('keep'))})
    join flow_job as j on j.lane = l.lane and ${isOnce('j', operator)}
      and j.finished_at <= case when c.finished_at > ${before} then c.finished_at else ${before} end
    where (j.finished_at < ${before} or (j.finished_at < ${int(value('spare'))}
      and (j.finished_at < c.finished_at or (j.finished_at = c.finished_at and j.seq <= c.seq)))) ${only}`
}

/** Two processes never remove at the same time: the second finds nothing. */
const alone: Readonly<Record<DialectKind, RawBuilder<unknown>>> = {
  sqlite: sql``,
  postgres: sql`where (select pg_try_advisory_xact_lock(hashtext('flow_job.trim')))`,
}

export const trimJobs = inDialects<TrimValues, { id: string; finished_at: number; seq: number }>(
  (value, dialect) => sql`delete from flow_job where seq in (select g.gone_seq from (
      ${surplus(value, '<>', sql``)}
      union all ${surplus(value, '=', sql`and j.finished_at < ${int(value('once'))}`)}) as g
      ${alone[dialect]} limit ${int(value('most'))})
    returning id, finished_at, seq`,
)
