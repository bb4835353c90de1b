import { StaleWriterError, type EventLog, type StoredEvent } from '@x/flow-engine/store'
import { sql } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import { preparedSql } from '../flow/prepared-sql.ts'
import { idList } from '../query/id-list.ts'
import type { AppendEvents } from './append-events.ts'
import { postgresAppender } from './postgres-append.ts'
import { sqliteAppender } from './sqlite-append.ts'
import type { JobWriter } from './writer.ts'

/** The event log. Appends of all jobs share few transactions. */
export function createEventLog(db: FlowDb, writer: JobWriter): EventLog {
  const engine = engineOf(db)
  const append: AppendEvents =
    engine.kind === 'sqlite' ? sqliteAppender(engine.sqlite) : postgresAppender(db)
  const pending = new Map<string, Promise<unknown>>()

  const lastSeq = async (jobId: string): Promise<number> => {
    const { rows } = await readLastSeq.run(db, { jobId: encodeText(jobId) })
    return rows[0]?.seq ?? -1
  }

  return {
    lastSeq,

    // An append locks the row of its fence until it commits, so pending appends are finished by now.
    async open(jobId, fence) {
      const values = { jobId: encodeText(jobId), fence }
      const { rows } = await writer.write(raiseFence, values, { durable: false })
      if (rows.length === 0) throw new StaleWriterError(jobId, fence)
      return lastSeq(jobId)
    },

    async append(jobId, events, fence) {
      if (events.length === 0) return
      const done = append(encodeText(jobId), events, fence)
      pending.set(jobId, done)
      try {
        await done
      } finally {
        if (pending.get(jobId) === done) pending.delete(jobId)
      }
    },

    async read(jobId, after, limit) {
      const { rows } = await readEvents.run(db, { jobId: encodeText(jobId), after, limit })
      return rows.map(({ seq, event, data }) => ({
        seq,
        event: decodeText(event),
        data: decodeText(data),
      }))
    },

    // Appends are written in order, so after the last one all are written.
    async close(jobId) {
      await pending.get(jobId)?.catch(() => undefined)
    },

    async remove(jobIds) {
      for (const part of chunks(jobIds.map(encodeText), 50)) {
        const removed = sql`select ids.id from ${idList(db, part)}`
        await sql`delete from flow_job_event where job_id in (${removed})`.execute(db)
        await sql`delete from flow_job_fence where job_id in (${removed})`.execute(db)
      }
    },
  }
}

const readEvents = preparedSql<
  { readonly jobId: string; readonly after: number; readonly limit: number },
  StoredEvent
>(
  (value) => sql`select seq, event, data from flow_job_event
    where job_id = ${value('jobId')} and seq > ${value('after')}
    order by seq limit ${value('limit')}`,
)

const readLastSeq = preparedSql<{ readonly jobId: string }, { seq: number }>(
  (value) => sql`select seq from flow_job_event where job_id = ${value('jobId')}
    order by seq desc limit 1`,
)

/** Returns no row if the fence is higher. */
const raiseFence = preparedSql<
  { readonly jobId: string; readonly fence: number },
  { fence: number }
>(
  (value) => sql`insert into flow_job_fence (job_id, fence)
    values (${value('jobId')}, ${value('fence')})
    on conflict (job_id) do update set fence = excluded.fence
      where flow_job_fence.fence <= excluded.fence
    returning fence`,
)
