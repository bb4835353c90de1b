import type { CheckpointStore } from '@x/flow-engine'
import { sql } from 'kysely'
import { decodeText, encodeText } from '../columns.ts'
import type { FlowDb } from '../flow/context.ts'
import { hotSql } from '../flow/hot-sql.ts'
import type { JobWriter } from './writer.ts'

/** States of finished vertices in SQL. */
export function createCheckpoints(db: FlowDb, writer: JobWriter): CheckpointStore {
  return {
    async put(jobId, vertexId, state) {
      await writer.write(putCheckpoint, {
        jobId: encodeText(jobId),
        vertexId: encodeText(vertexId),
        state: encodeText(state),
      })
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

const putCheckpoint = hotSql<
  { readonly jobId: string; readonly vertexId: string; readonly state: string },
  never
>(
  (value) => sql`insert into flow_job_checkpoint (job_id, vertex_id, state)
    values (${value('jobId')}, ${value('vertexId')}, ${value('state')})
    on conflict (job_id, vertex_id) do update set state = excluded.state`,
)

const listCheckpoints = hotSql<{ readonly jobId: string }, { vertex_id: string; state: string }>(
  (value) => sql`select vertex_id, state from flow_job_checkpoint
    where job_id = ${value('jobId')} order by seq`,
)

const removeCheckpoints = hotSql<{ readonly jobId: string }, never>(
  (value) => sql`delete from flow_job_checkpoint where job_id = ${value('jobId')}`,
)
