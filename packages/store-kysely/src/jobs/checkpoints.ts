import { StaleWriterError, type CheckpointStore } from '@x/flow-engine/store'
import { sql } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { idList } from '../query/id-list.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import type { FlowDb } from '../flow/context.ts'
import { preparedSql } from '../flow/prepared-sql.ts'
import { together } from './together.ts'
import type { JobWriter } from './writer.ts'

/** States of finished vertices in SQL. */
export function createCheckpoints(db: FlowDb, writer: JobWriter): CheckpointStore {
  const put =
    engineOf(db).kind === 'postgres'
      ? putTogether(db)
      : async (values: PutValues) => (await writer.write(putCheckpoint, values)).changed > 0
  return {
    async put(jobId, vertexId, state, fence = Number.MAX_SAFE_INTEGER) {
      const isKept = await put({
        jobId: encodeText(jobId),
        vertexId: encodeText(vertexId),
        state: encodeText(state),
        fence,
      })
      if (!isKept) throw new StaleWriterError(jobId, fence)
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
    async removeAll(jobIds) {
      for (const part of chunks(jobIds.map(encodeText), 50))
        await sql`delete from flow_job_checkpoint where job_id in (select ids.id from ${idList(db, part)})`.execute(
          db,
        )
    },
  }
}

interface PutValues {
  readonly jobId: string
  readonly vertexId: string
  readonly state: string
  readonly fence: number
}

/** SQLite has a single writer, so no lock is needed. */
export const putCheckpoint = preparedSql<PutValues, never>(
  (value) => sql`insert into flow_job_checkpoint (job_id, vertex_id, state)
    select cast(${value('jobId')} as text), cast(${value('vertexId')} as text),
      cast(${value('state')} as text)
    where not exists (select 1 from flow_job_fence
      where job_id = ${value('jobId')} and fence > ${value('fence')})
    on conflict (job_id, vertex_id) do update set state = excluded.state`,
)

/** The states of one turn of the event loop on PostgreSQL. The rows of the fences are locked until the commit. */
const putCheckpoints = preparedSql<
  {
    readonly jobs: readonly string[]
    readonly vertices: readonly string[]
    readonly states: readonly string[]
    readonly fences: readonly number[]
  },
  { job_id: string; vertex_id: string }
>(
  (value) => sql`with latest as materialized (select job_id, fence from flow_job_fence
      where job_id = any(${value('jobs')}::text[]) for share)
    insert into flow_job_checkpoint (job_id, vertex_id, state)
      select g.job_id, g.vertex_id, g.state
      from unnest(${value('jobs')}::text[], ${value('vertices')}::text[], ${value('states')}::text[],
        ${value('fences')}::bigint[]) as g (job_id, vertex_id, state, fence)
      left join latest on latest.job_id = g.job_id
      where latest.fence is null or g.fence >= latest.fence
    on conflict (job_id, vertex_id) do update set state = excluded.state
    returning job_id, vertex_id`,
)

/** False for one whose fence is too low. */
function putTogether(db: FlowDb): (values: PutValues) => Promise<boolean> {
  const keyOf = (job: string, vertex: string): string => JSON.stringify([job, vertex])
  const putAll = async (puts: readonly PutValues[]): Promise<ReadonlySet<string>> => {
    const { rows } = await putCheckpoints.run(db, {
      jobs: puts.map(({ jobId }) => jobId),
      vertices: puts.map(({ vertexId }) => vertexId),
      states: puts.map(({ state }) => state),
      fences: puts.map(({ fence }) => fence),
    })
    return new Set(rows.map((row) => keyOf(row.job_id, row.vertex_id)))
  }
  return together<PutValues, boolean>(
    async (calls) => {
      const settle = async (part: typeof calls): Promise<void> => {
        const kept = await putAll(part.map(({ call }) => call))
        for (const { call, done } of part) done(kept.has(keyOf(call.jobId, call.vertexId)))
      }
      try {
        await settle(calls)
      } catch (error) {
        if (calls.length === 1) throw error
        // A row that is refused must not take the others along.
        for (const one of calls) await settle([one]).catch(one.failed)
      }
    },
    (flush) => void setImmediate(flush),
  )
}

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
