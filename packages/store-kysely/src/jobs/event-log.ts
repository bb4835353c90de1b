import type { EventLog, StoredEvent } from '@x/flow-engine'
import { sql } from 'kysely'
import { chunks } from '../chunks.ts'
import { decodeText, encodeText } from '../columns.ts'
import { engineOf } from '../dialect.ts'
import type { FlowDb } from '../flow/context.ts'
import { hotSql } from '../flow/hot-sql.ts'
import { idList } from '../id-list.ts'
import type { AppendEvents } from './append-events.ts'
import { postgresAppender } from './postgres-append.ts'
import { sqliteAppender } from './sqlite-append.ts'

/** The log of events in SQL. Appends of all jobs share few transactions. */
export function createEventLog(db: FlowDb): EventLog {
  const engine = engineOf(db)
  const append: AppendEvents =
    engine.kind === 'sqlite' ? sqliteAppender(engine.sqlite) : postgresAppender(db)
  const pending = new Map<string, Promise<unknown>>()

  return {
    async append(jobId, events) {
      if (events.length === 0) return
      const done = append(encodeText(jobId), events)
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

    // Appends are written in order, so behind the last one all are.
    async close(jobId) {
      await pending.get(jobId)?.catch(() => undefined)
    },

    async remove(jobIds) {
      for (const part of chunks(jobIds.map(encodeText), 50)) {
        await sql`delete from flow_job_event
          where job_id in (select ids.id from ${idList(db, part)})`.execute(db)
      }
    },
  }
}

const readEvents = hotSql<
  { readonly jobId: string; readonly after: number; readonly limit: number },
  StoredEvent
>(
  (value) => sql`select seq, event, data from flow_job_event
    where job_id = ${value('jobId')} and seq > ${value('after')}
    order by seq limit ${value('limit')}`,
)
