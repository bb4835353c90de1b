import { StaleWriterError, type StoredEvent } from '@x/flow-engine/store'
import { chunks } from '../query/chunks.ts'
import { encodeText } from '../records/columns.ts'
import type { SqliteEngine } from '../engine/sqlite/engine.ts'
import type { SqliteSession } from '../engine/sqlite/session.ts'
import { sqliteGroup } from '../engine/sqlite/group.ts'
import type { AppendEvents } from './append-events.ts'

/** Maximum rows per statement; each number of rows has its own prepared statement. */
const ROWS_OF_STATEMENT = 50

const FENCE = 'select fence from flow_job_fence where job_id = ?'

const DELETE = 'delete from flow_job_event where job_id = ? and seq = ?'

/** Appends within the shared transactions of a SQLite database, using prepared statements. */
export function sqliteAppender(engine: SqliteEngine): AppendEvents {
  const group = sqliteGroup(engine)
  return (jobId, events, fence) =>
    group.write({
      rows: events.length,
      durable: false,
      invalidatesNothing: true,
      run(session) {
        if (fence !== undefined) checkFence(session, jobId, fence)
        insertEvents(session, jobId, events)
      },
    })
}

function checkFence(session: SqliteSession, jobId: string, fence: number): void {
  const [latest] = session.run<{ fence: number }>(FENCE, [jobId]).rows
  if (latest !== undefined && fence < latest.fence) throw new StaleWriterError(jobId, fence)
}

/** Inserts events with the prepared statements of all appends. */
export function insertEvents(
  session: SqliteSession,
  jobId: string,
  events: readonly StoredEvent[],
): void {
  let done = 0
  try {
    for (const part of chunks(events, ROWS_OF_STATEMENT)) {
      session.run(
        insertOf(part.length),
        part.flatMap(({ seq, event, data }) => [jobId, seq, encodeText(event), encodeText(data)]),
      )
      done += part.length
    }
  } catch (error) {
    // Unless the whole transaction is gone, rows inserted before the rejected one are removed again.
    if (session.database.inTransaction) {
      for (const { seq } of events.slice(0, done)) session.run(DELETE, [jobId, seq])
    }
    throw error
  }
}

const insertions: string[] = []

function insertOf(rows: number): string {
  return (insertions[rows] ??=
    `insert into flow_job_event (job_id, seq, event, data) values ${Array.from(
      { length: rows },
      () => '(?, ?, ?, ?)',
    ).join(', ')}`)
}
