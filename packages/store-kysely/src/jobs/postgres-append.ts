import { StaleWriterError, type StoredEvent } from '@x/flow-engine/store'
import { sql } from 'kysely'
import { encodeText } from '../records/columns.ts'
import type { FlowDb } from '../flow/context.ts'
import { preparedSql } from '../flow/prepared-sql.ts'
import type { AppendEvents } from './append-events.ts'

interface Append {
  readonly jobId: string
  readonly events: readonly StoredEvent[]
  /** Undefined: not checked. */
  readonly fence: number | undefined
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Approximate number of rows per statement. */
const ROWS_AT_ONCE = 1000

/**
 * Writes everything that arrived while the previous statement was running in one statement. If a row is
 * rejected, the appends of that statement are retried individually.
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

  return (jobId, events, fence) =>
    new Promise((resolve, reject) => {
      waiting.push({ jobId, events, fence, resolve, reject })
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
    const fences = await insertRows(db, batch)
    for (const { jobId, fence = Infinity, resolve, reject } of batch) {
      if (fence < (fences.get(jobId) ?? 0)) reject(new StaleWriterError(jobId, fence))
      else resolve()
    }
  } catch (error) {
    const [only, ...others] = batch
    if (others.length === 0) only?.reject(error)
    else for (const append of batch) await insertBatch(db, [append])
  }
}

/**
 * Skips the rows of writers whose fence is too low and returns the fences. Their rows stay locked until the
 * commit: `open` waits for pending appends, and later ones read its fence.
 */
async function insertRows(
  db: FlowDb,
  batch: readonly Append[],
): Promise<ReadonlyMap<string, number>> {
  const rows = batch.flatMap(({ jobId, events, fence = UNFENCED }) =>
    events.map((event) => ({ jobId, event, fence })),
  )
  const jobs = [...new Set(batch.map(({ jobId }) => jobId))]
  const { rows: fences } = await appendRows.run(db, {
    jobs,
    ids: rows.map(({ jobId }) => jobId),
    seqs: rows.map(({ event }) => event.seq),
    events: rows.map(({ event }) => encodeText(event.event)),
    data: rows.map(({ event }) => encodeText(event.data)),
    fences: rows.map(({ fence }) => fence),
  })
  return new Map(fences.map(({ job_id, fence }) => [job_id, fence]))
}

interface AppendValues {
  readonly jobs: readonly string[]
  readonly ids: readonly string[]
  readonly seqs: readonly number[]
  readonly events: readonly string[]
  readonly data: readonly string[]
  readonly fences: readonly number[]
}

const appendRows = preparedSql<AppendValues, { job_id: string; fence: number }>(
  (value) => sql`with
    latest as materialized (select job_id, fence from flow_job_fence
      where job_id = any(${value('jobs')}::text[]) for share),
    added as (insert into flow_job_event (job_id, seq, event, data)
      select r.job_id, r.seq, r.event, r.data
      from unnest(${value('ids')}::text[], ${value('seqs')}::bigint[], ${value('events')}::text[],
        ${value('data')}::text[], ${value('fences')}::bigint[]) as r (job_id, seq, event, data, fence)
      left join latest on latest.job_id = r.job_id
      where latest.fence is null or r.fence >= latest.fence)
    select job_id, fence from latest`,
)

/** Higher than any fence. */
const UNFENCED = Number.MAX_SAFE_INTEGER
