import { StaleWriterError, type CheckpointStore } from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import { decodeText, encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import { preparedSql } from '../flow/prepared-sql.ts'
import type { JobWriter } from './writer.ts'

/** States of finished vertices in SQL. */
export function createCheckpoints(db: FlowDb, writer: JobWriter): CheckpointStore {
  const query = putCheckpoint[engineOf(db).kind]
  return {
    async put(jobId, vertexId, state, fence = Number.MAX_SAFE_INTEGER) {
      const { changed } = await writer.write(query, {
        jobId: encodeText(jobId),
        vertexId: encodeText(vertexId),
        state: encodeText(state),
        fence,
      })
      if (changed === 0) throw new StaleWriterError(jobId, fence)
    },
    async list(jobId) {
      const { rows } = await listCheckpoints.run(db, { jobId: encodeText(jobId) })
      return rows.map(({ vertex_id, state }) => ({
        vertexId: decodeText(vertex_id),
        state: decodeText(state),
      }))
    },
    async remove(jobId) {
      await writer.write(removeCheckpoints, { jobId: encodeText(jobId) })
    },
  }
}

interface PutValues {
  readonly jobId: string
  readonly vertexId: string
  readonly state: string
  readonly fence: number
}

/** @param lock locks the fence's row until the commit */
const putUnder = (lock: RawBuilder<unknown>) =>
  preparedSql<PutValues, never>(
    (value) => sql`with latest as materialized
        (select fence from flow_job_fence where job_id = ${value('jobId')} ${lock})
      insert into flow_job_checkpoint (job_id, vertex_id, state)
      select cast(${value('jobId')} as text), cast(${value('vertexId')} as text),
        cast(${value('state')} as text)
      where not exists (select 1 from latest where fence > ${value('fence')})
      on conflict (job_id, vertex_id) do update set state = excluded.state`,
  )

/** SQLite has a single writer, so no lock is needed. */
export const putCheckpoint = { sqlite: putUnder(sql``), postgres: putUnder(sql`for share`) }

const listCheckpoints = preparedSql<
  { readonly jobId: string },
  { vertex_id: string; state: string }
>(
  (value) => sql`select vertex_id, state from flow_job_checkpoint
    where job_id = ${value('jobId')} order by seq`,
)

const removeCheckpoints = preparedSql<{ readonly jobId: string }, never>(
  (value) => sql`delete from flow_job_checkpoint where job_id = ${value('jobId')}`,
)
