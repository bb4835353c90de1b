import type {
  TransactionStore,
  VertexBuildLimits,
  VertexBuildRecord,
  VertexBuildStore,
} from '@x/flow-engine'
import { sql } from 'kysely'
import { encodeText } from '../columns.ts'
import { atomic } from '../transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { transactionMapping, vertexBuildMapping } from './mappings.ts'
import { pageOf } from './slices.ts'

/** Vertex builds in SQL. */
export function createVertexBuilds(db: FlowDb): VertexBuildStore {
  const rows = rowsOf(db, 'flow_vertex_build', vertexBuildMapping)
  return {
    append: (records, limits) =>
      atomic(db, async (tx) => {
        await rowsOf(tx, 'flow_vertex_build', vertexBuildMapping).insert(records)
        await trimVertices(tx, records, limits)
        await trimAll(tx, limits)
      }),
    latest: (flowId) =>
      rows.select(sql`where seq in (select max(seq) from flow_vertex_build
        where flow_id = ${flowId} group by vertex_id) order by seq`),
    async removeOfFlow(flowId) {
      await rows.remove({ flowId })
    },
    async trimPublic(before) {
      await sql`delete from flow_vertex_build where timestamp < ${before.getTime()}
        and not exists (select 1 from flow_flow where flow_flow.id = flow_vertex_build.flow_id)`.execute(
        db,
      )
    },
  }
}

async function trimVertices(
  tx: FlowDb,
  records: readonly VertexBuildRecord[],
  { perVertex }: VertexBuildLimits,
): Promise<void> {
  const vertices = new Map(records.map((row) => [JSON.stringify([row.flowId, row.vertexId]), row]))
  for (const { flowId, vertexId } of vertices.values()) {
    const vertex = sql`flow_id = ${flowId} and vertex_id = ${encodeText(vertexId)}`
    await sql`delete from flow_vertex_build where ${vertex} and seq <= (select seq
      from flow_vertex_build where ${vertex} order by seq desc limit 1 offset ${perVertex})`.execute(
      tx,
    )
  }
}

async function trimAll(tx: FlowDb, { total }: VertexBuildLimits): Promise<void> {
  const surplus =
    (await rowsOf(tx, 'flow_vertex_build', vertexBuildMapping).count(sql`1 = 1`)) - total
  if (surplus <= 0) return
  await sql`delete from flow_vertex_build where seq in (select seq
    from flow_vertex_build order by seq limit ${surplus})`.execute(tx)
}

/** Transactions in SQL. */
export function createTransactions(db: FlowDb): TransactionStore {
  const rows = rowsOf(db, 'flow_transaction', transactionMapping)
  return {
    append: (records, keep) =>
      atomic(db, async (tx) => {
        await rowsOf(tx, 'flow_transaction', transactionMapping).insert(records)
        for (const flowId of new Set(records.map((row) => row.flowId))) {
          await sql`delete from flow_transaction where flow_id = ${flowId} and seq <= (select seq
            from flow_transaction where flow_id = ${flowId}
            order by seq desc limit 1 offset ${keep})`.execute(tx)
        }
      }),
    list: (flowId, slice) =>
      pageOf(rows, slice, { where: sql`flow_id = ${flowId}`, order: sql`seq` }),
    async removeOfFlow(flowId) {
      await rows.remove({ flowId })
    },
  }
}
