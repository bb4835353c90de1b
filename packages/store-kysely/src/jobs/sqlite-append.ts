import type { StoredEvent } from '@x/flow-engine'
import { encodeText } from '../columns.ts'
import type { SqliteEngine, SqliteSession } from '../sqlite-engine.ts'
import { sqliteGroup } from '../sqlite-group.ts'
import type { AppendEvents } from './event-log.ts'

const INSERT = 'insert into flow_job_event (job_id, seq, event, data) values (?, ?, ?, ?)'
const DELETE = 'delete from flow_job_event where job_id = ? and seq = ?'

/** Appends within the shared transactions of a SQLite database, by one prepared statement. */
export function sqliteAppender(engine: SqliteEngine): AppendEvents {
  const group = sqliteGroup(engine)
  return (jobId, events) =>
    group.write({
      rows: events.length,
      durable: false,
      run: (session) => insertEvents(session, jobId, events),
    })
}

function insertEvents(session: SqliteSession, jobId: string, events: readonly StoredEvent[]): void {
  let done = 0
  try {
    for (const { seq, event, data } of events) {
      session.run(INSERT, [jobId, seq, encodeText(event), encodeText(data)])
      done += 1
    }
  } catch (error) {
    // Unless the whole transaction is gone, what came before the refused event leaves again.
    if (session.database.inTransaction) {
      for (const { seq } of events.slice(0, done)) session.run(DELETE, [jobId, seq])
    }
    throw error
  }
}
