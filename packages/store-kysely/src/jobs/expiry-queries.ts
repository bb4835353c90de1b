import { sql, type RawBuilder } from 'kysely'
import type { DialectKind } from '../engine/engine.ts'
import type { Placeholders } from '../query/prepared-query.ts'
import { claimedColumns, firstPosition, inDialects, int } from './job-sql.ts'
import type { ClaimedRow } from './mapping.ts'

interface ExpiryValues {
  readonly now: number
  /** Jobs whose own lease ended before are late although their process was seen. */
  readonly before: number
}

/** The process of a claim: what precedes the number in its token. */
const processOf = {
  sqlite: sql`substr(worker, 1, instr(worker || '/', '/') - 1)`,
  postgres: sql`split_part(worker, '/', 1)`,
}

/**
 * The running jobs of processes without a heartbeat for a lease, and those that a living process does not hold
 * any more. A job is guilty of the death if it is a
 * suspect, or if there was no suspect beside it.
 */
const late = (
  value: Placeholders<ExpiryValues>,
  dialect: DialectKind,
  resumable: 0 | 1,
): RawBuilder<unknown> => sql`select j.seq as late_seq, case when h.seen_until < ${int(value('now'))}
      and (j.crashes > 0 or h.suspects = 0) then 1 else 0 end as guilty
    from flow_job as j join (select ${processOf[dialect]} as process, max(lease_until) as seen_until,
        sum(case when crashes > 0 then 1 else 0 end) as suspects
      from flow_job where state = 'running' group by 1) as h on h.process = ${processOf[dialect]}
    where j.state = 'running' and (h.seen_until < ${int(value('now'))} or j.lease_until < ${int(value('before'))})
      and j.resumable = ${sql.lit(resumable)}`

/** Keeps worker and lease, so that the result shows who held the job. */
export const requeueExpired = inDialects<ExpiryValues & { readonly charge: number }, ClaimedRow>(
  (value, dialect) => sql`with late as (${late(value, dialect, 1)}
      ${dialect === 'postgres' ? sql`for update of j skip locked` : sql``})
    update flow_job set state = 'queued',
      position = ${firstPosition(dialect, sql`crashes > 0 or late.guilty * ${int(value('charge'))} = 1`)},
      crashes = crashes + late.guilty * ${int(value('charge'))}
    from late where seq = late.late_seq and state = 'running'
    returning ${claimedColumns}`,
)

export const readExpired = inDialects<ExpiryValues, ClaimedRow>(
  (value, dialect) => sql`select ${claimedColumns} from flow_job
    where seq in (select late_seq from (${late(value, dialect, 0)}) as late)`,
)
