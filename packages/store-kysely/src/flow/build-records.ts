import type {
  TransactionRecord,
  TransactionStore,
  VertexBuildLimits,
  VertexBuildRecord,
  VertexBuildStore,
} from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { appendRecords, countsOf, createTrimSchedule, type Trim } from './append-records.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { preparedSql } from './prepared-sql.ts'
import { transactionMapping, vertexBuildMapping } from './mappings.ts'
import { queryParts, removeInSteps } from '../records/row-parts.ts'
import { pageOf, sliceOf } from './slices.ts'

const buildRows = (db: FlowDb) => rowsOf(db, 'flow_vertex_build', vertexBuildMapping)
/** The large columns. */
const BUILD_COLUMNS = ['params', 'data', 'artifacts']
const TRANSACTION_COLUMNS = ['inputs', 'outputs', 'error']

const buildSource = { table: 'flow_vertex_build', mapping: vertexBuildMapping }
const transactionSource = { table: 'flow_transaction', mapping: transactionMapping }
const transactionRows = (db: FlowDb) => rowsOf(db, 'flow_transaction', transactionMapping)

/** Vertex builds in SQL. */
export function createVertexBuilds(db: FlowDb): VertexBuildStore {
  const rows = buildRows(db)
  const isDue = createTrimSchedule()
  return {
    append(records, limits) {
      const trims = [...vertexTrims(records, limits), ...ownerTrims(records, limits, isDue)]
      return appendRecords(db, { rows, rowsIn: buildRows, records, trims })
    },
    latest: (flowId) => rows.select(latestOf(flowId)),
    latestParts: (flowId) =>
      queryParts(db, buildSource, {
        large: BUILD_COLUMNS,
        rest: latestOf(flowId),
      }),
    removeOfFlow: (flowId) => removeBuilds(db, sql`flow_id = ${flowId}`),
    async trimPublic(before) {
      await sql`delete from flow_vertex_build where timestamp < ${before.getTime()}
        and not exists (select 1 from flow_flow where flow_flow.id = flow_vertex_build.flow_id)`.execute(
        db,
      )
    },
  }
}

function latestOf(flowId: string) {
  return sql`where seq in (select max(seq) from flow_vertex_build
    where flow_id = ${flowId} group by vertex_id) order by seq`
}

/** Transactions in SQL. */
export function createTransactions(db: FlowDb): TransactionStore {
  const rows = transactionRows(db)
  const isDue = createTrimSchedule()
  return {
    append(records, keep) {
      const trims = transactionTrims(records, keep, isDue)
      return appendRecords(db, { rows, rowsIn: transactionRows, records, trims })
    },
    list: (flowId, slice) =>
      pageOf(rows, slice, { where: sql`flow_id = ${flowId}`, order: sql`seq` }),
    parts: (flowId, slice) =>
      queryParts(db, transactionSource, {
        large: TRANSACTION_COLUMNS,
        rest: sql`where flow_id = ${flowId} order by seq ${sliceOf(slice)}`,
      }),
    removeOfFlow: (flowId) => removeTransactions(db, sql`flow_id = ${flowId}`),
    async trimPublic(before) {
      await sql`delete from flow_transaction
        where owner_id is null and timestamp < ${before.getTime()}`.execute(db)
    },
  }
}

/** Removes vertex builds in steps. */
export function removeBuilds(db: FlowDb, where: RawBuilder<unknown>): Promise<void> {
  return removeInSteps(db, { table: 'flow_vertex_build', large: BUILD_COLUMNS, where })
}

/** Removes transactions in steps. */
export function removeTransactions(db: FlowDb, where: RawBuilder<unknown>): Promise<void> {
  return removeInSteps(db, { table: 'flow_transaction', large: TRANSACTION_COLUMNS, where })
}

function vertexTrims(
  records: readonly VertexBuildRecord[],
  { perVertex }: VertexBuildLimits,
): Trim[] {
  const vertices = new Map(records.map((row) => [JSON.stringify([row.flowId, row.vertexId]), row]))
  return [...vertices.values()].map(
    ({ flowId, vertexId }): Trim =>
      (db) =>
        trimVertex.bind(db, { flowId, vertexId: encodeText(vertexId), keep: perVertex }),
  )
}

function ownerTrims(
  records: readonly VertexBuildRecord[],
  { perOwner: keep }: VertexBuildLimits,
  isDue: IsDue,
): Trim[] {
  return [...countsOf(records, ({ ownerId }) => ownerId)].flatMap(([ownerId, added]): Trim[] => {
    if (!isDue(ownerId ?? '', added, keep)) return []
    return ownerId === null
      ? [(db) => trimPublicBuilds.bind(db, { keep })]
      : [(db) => trimBuilds.bind(db, { ownerId, keep })]
  })
}

function transactionTrims(
  records: readonly TransactionRecord[],
  keep: number,
  isDue: IsDue,
): Trim[] {
  const ofFlows = [...countsOf(records, ({ flowId }) => flowId)].flatMap(
    ([flowId, added]): Trim[] =>
      isDue(flowId, added, keep) ? [(db) => trimTransactions.bind(db, { flowId, keep })] : [],
  )
  const ofVisitors = records.filter(({ ownerId }) => ownerId === null).length
  return ofVisitors > 0 && isDue('', ofVisitors, keep)
    ? [...ofFlows, (db) => trimPublicTransactions.bind(db, { keep })]
    : ofFlows
}

type IsDue = ReturnType<typeof createTrimSchedule>

interface TrimLimit {
  readonly keep: number
}

const trimVertex = preparedSql<
  TrimLimit & { readonly flowId: string; readonly vertexId: string },
  never
>(
  (value) => sql`delete from flow_vertex_build
    where flow_id = ${value('flowId')} and vertex_id = ${value('vertexId')} and seq <= (
      select seq from flow_vertex_build
      where flow_id = ${value('flowId')} and vertex_id = ${value('vertexId')}
      order by seq desc limit 1 offset ${value('keep')})`,
)

const trimBuilds = preparedSql<TrimLimit & { readonly ownerId: string }, never>(
  (value) => sql`delete from flow_vertex_build where owner_id = ${value('ownerId')} and seq <= (
    select seq from flow_vertex_build where owner_id = ${value('ownerId')}
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimPublicBuilds = preparedSql<TrimLimit, never>(
  (value) => sql`delete from flow_vertex_build where owner_id is null and seq <= (
    select seq from flow_vertex_build where owner_id is null
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimTransactions = preparedSql<TrimLimit & { readonly flowId: string }, never>(
  (value) => sql`delete from flow_transaction where flow_id = ${value('flowId')} and seq <= (
    select seq from flow_transaction where flow_id = ${value('flowId')}
    order by seq desc limit 1 offset ${value('keep')})`,
)

const trimPublicTransactions = preparedSql<TrimLimit, never>(
  (value) => sql`delete from flow_transaction where owner_id is null and seq <= (
    select seq from flow_transaction where owner_id is null
    order by seq desc limit 1 offset ${value('keep')})`,
)
