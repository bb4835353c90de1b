import type {
  TransactionRecord,
  TransactionStore,
  VertexBuildLimits,
  VertexBuildRecord,
  VertexBuildStore,
} from '@x/flow-engine/store'
import { sql } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { appendRecords, type Trim } from './append-records.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { preparedSql } from './prepared-sql.ts'
import { transactionMapping, vertexBuildMapping } from './mappings.ts'
import { pageOf } from './slices.ts'

const buildRows = (db: FlowDb) => rowsOf(db, 'flow_vertex_build', vertexBuildMapping)
const transactionRows = (db: FlowDb) => rowsOf(db, 'flow_transaction', transactionMapping)

/** Vertex builds in SQL. */
export function createVertexBuilds(db: FlowDb): VertexBuildStore {
  const rows = buildRows(db)
  return {
    append: (records, limits) =>
      appendRecords(db, { rows, rowsIn: buildRows, records, trims: buildTrims(records, limits) }),
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

/** Transactions in SQL. */
export function createTransactions(db: FlowDb): TransactionStore {
  const rows = transactionRows(db)
  return {
    append: (records, keep) =>
      appendRecords(db, {
        rows,
        rowsIn: transactionRows,
        records,
        trims: transactionTrims(records, keep),
      }),
    list: (flowId, slice) =>
      pageOf(rows, slice, { where: sql`flow_id = ${flowId}`, order: sql`seq` }),
    async removeOfFlow(flowId) {
      await rows.remove({ flowId })
    },
    async trimPublic(before) {
      await sql`delete from flow_transaction
        where owner_id is null and timestamp < ${before.getTime()}`.execute(db)
    },
  }
}

function buildTrims(records: readonly VertexBuildRecord[], limits: VertexBuildLimits): Trim[] {
  const vertices = new Map(records.map((row) => [JSON.stringify([row.flowId, row.vertexId]), row]))
  const ofVertices = [...vertices.values()].map(
    ({ flowId, vertexId }): Trim =>
      (db) =>
        trimVertex.bind(db, { flowId, vertexId: encodeText(vertexId), keep: limits.perVertex }),
  )
  const owners = new Set(records.map(({ ownerId }) => ownerId))
  const ofOwners = [...owners].map(
    (ownerId): Trim =>
      (db) =>
        ownerId === null
          ? trimPublicBuilds.bind(db, { keep: limits.perOwner })
          : trimBuilds.bind(db, { ownerId, keep: limits.perOwner }),
  )
  return [...ofVertices, ...ofOwners]
}

function transactionTrims(records: readonly TransactionRecord[], keep: number): Trim[] {
  const flowIds = new Set(records.map(({ flowId }) => flowId))
  const ofFlows = [...flowIds].map(
    (flowId): Trim =>
      (db) =>
        trimTransactions.bind(db, { flowId, keep }),
  )
  const isPublic = records.some(({ ownerId }) => ownerId === null)
  return isPublic ? [...ofFlows, (db) => trimPublicTransactions.bind(db, { keep })] : ofFlows
}

interface Kept {
  readonly keep: number
}

const trimVertex = preparedSql<
  Kept & { readonly flowId: string; readonly vertexId: string },
  never
>(
  (value) => sql`delete from flow_vertex_build
    where flow_id = ${value('flowId')} and vertex_id = ${value('vertexId')} and seq <= (
      select seq from flow_vertex_build
      where flow_id = ${value('flowId')} and vertex_id = ${value('vertexId')}
      order by seq desc limit 1 offset ${value('keep')})`,
)

const trimBuilds = preparedSql<Kept & { readonly ownerId: string }, never>(
  (value) => sql`delete from flow_vertex_build where owner_id = ${value('ownerId')} and seq <= (
    select seq from flow_vertex_build where owner_id = ${value('ownerId')}
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimPublicBuilds = preparedSql<Kept, never>(
  (value) => sql`delete from flow_vertex_build where owner_id is null and seq <= (
    select seq from flow_vertex_build where owner_id is null
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimTransactions = preparedSql<Kept & { readonly flowId: string }, never>(
  (value) => sql`delete from flow_transaction where flow_id = ${value('flowId')} and seq <= (
    select seq from flow_transaction where flow_id = ${value('flowId')}
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimPublicTransactions = preparedSql<Kept, never>(
  (value) => sql`delete from flow_transaction where owner_id is null and seq <= (
    select seq from flow_transaction where owner_id is null
    order by seq desc limit 1 offset ${value('keep')})`,
)
