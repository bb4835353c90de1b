import type { StoredEvent } from '@x/flow-engine'
import { sql } from 'kysely'
import { encodeText } from '../columns.ts'
import type { FlowDb } from '../flow/context.ts'
import type { AppendEvents } from './append-events.ts'

interface Append {
  readonly jobId: string
  readonly events: readonly StoredEvent[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Rows of one statement, about. */
const ROWS_AT_ONCE = 1000

/**
 * Appends by one statement for everything that came while the one before was on its way. When a row
 * is refused, each append of that statement is tried by itself.
 */
export function postgresAppender(db: FlowDb): AppendEvents {
  let waiting: Append[] = []
  let running = false

  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting)
      waiting = waiting.slice(batch.length)
      await insertBatch(db, batch)
    }
    running = false
  }

  return (jobId, events) =>
    new Promise((resolve, reject) => {
      waiting.push({ jobId, events, resolve, reject })
      if (running) return
      running = true
      setImmediate(() => void flush())
    })
}

function takeBatch(waiting: readonly Append[]): Append[] {
  let rows = 0
  const end = waiting.findIndex(({ events }) => {
    rows += events.length
    return rows > ROWS_AT_ONCE
  })
  return waiting.slice(0, end === -1 ? waiting.length : Math.max(1, end))
}

async function insertBatch(db: FlowDb, batch: readonly Append[]): Promise<void> {
  try {
    await insertRows(db, batch)
    for (const { resolve } of batch) resolve()
  } catch (error) {
    const [only, ...others] = batch
    if (others.length === 0) only?.reject(error)
    else for (const append of batch) await insertBatch(db, [append])
  }
}

async function insertRows(db: FlowDb, batch: readonly Append[]): Promise<void> {
  const rows = batch.flatMap(({ jobId, events }) => events.map((event) => ({ jobId, event })))
  await sql`insert into flow_job_event (job_id, seq, event, data)
    select * from unnest(${rows.map(({ jobId }) => jobId)}::text[],
      ${rows.map(({ event }) => event.seq)}::bigint[],
      ${rows.map(({ event }) => encodeText(event.event))}::text[],
      ${rows.map(({ event }) => encodeText(event.data))}::text[])`.execute(db)
}
