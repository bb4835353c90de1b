import type { FlowQuery, FlowRecord, FlowTable } from '@x/flow-service/store'
import type { Page } from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import { idList } from '../query/id-list.ts'
import { keptRecords } from '../records/kept-records.ts'
import { rowParts, type RowKey } from '../records/row-parts.ts'
import { atomic } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { flowMapping } from './mappings.ts'
import { beginsWith } from './names.ts'
import { removeFlows, removeRecords } from './removal.ts'
import { sliceOf } from './slices.ts'

/** Cached, because each run and build reads its flow. */
const FLOW_CACHE = {
  records: 256,
  characters: 4 * 1024 * 1024,
  sizeOf: ({ data }: FlowRecord) => 1024 + (data?.length ?? 0),
}

/** Cached, because each tool call lists its project's flows. */
const FLOW_LIST_CACHE = {
  records: 64,
  characters: 4 * 1024 * 1024,
  sizeOf: ({ items }: Page<FlowRecord>) =>
    items.reduce((size, { description }) => size + 1024 + (description?.length ?? 0), 64),
}

/** Flows in SQL. */
export function createFlows(db: FlowDb): FlowTable {
  const rows = rowsOf(db, 'flow_flow', flowMapping)
  const outlines = keptRecords(
    db,
    (query) => listFlows(db, JSON.parse(query) as FlowQuery),
    FLOW_LIST_CACHE,
  )

  return {
    get: keptRecords(db, (id) => rows.first({ id }), FLOW_CACHE),
    findByEndpointName: (endpointName, userId) =>
      rows.first(userId === undefined ? { endpointName } : { endpointName, userId }),
    findByWebhookName: (webhookName) => rows.first({ webhookName }),
    list: async (query) =>
      (isOutline(query) ? await outlines(JSON.stringify(query)) : null) ??
      (await listFlows(db, query)),
    parts: (query) => flowParts(db, query),
    names: (userId, prefix) => rows.pluck('name', prefixed('name', userId, prefix)),
    async endpointNames(userId, prefix) {
      const names = await rows.pluck('endpointName', prefixed('endpoint_name', userId, prefix))
      return names.filter((name) => name !== null)
    },
    async webhookNames(prefix) {
      const names = await rows.pluck(
        'webhookName',
        sql`where ${beginsWith('webhook_name', prefix)} order by seq`,
      )
      return names.filter((name) => name !== null)
    },
    insert: (records) => rows.insert(records),
    update: (userId, id, patch) => rows.update({ userId, id }, patch),

    move: (userId, ids, folderId) =>
      atomic(db, async (tx) => {
        for (const part of chunks(ids)) {
          await sql`update flow_flow set folder_id = ${folderId} where user_id = ${userId}
            and id in (select ids.id from ${idList(tx, part)})`.execute(tx)
        }
      }),

    remove: (userId, ids) =>
      atomic(db, async (tx) => {
        const wanted = sql`user_id = ${userId} and id in
          (select ids.id from ${idList(tx, [...new Set(ids)])})`
        const gone = await rowsOf(tx, 'flow_flow', flowMapping).pluck(
          'id',
          sql`where ${wanted} order by seq`,
        )
        await removeFlows(tx, gone)
        return gone
      }),

    removeRecords: (ids, ownerId) => atomic(db, (tx) => removeRecords(tx, ids, ownerId)),
  }
}

/** Whole lists without graphs, which clients request repeatedly. */
function isOutline({ data, ids, search, limit = null, offset = 0 }: FlowQuery): boolean {
  const isWhole = ids === undefined && search === undefined && limit === null && offset === 0
  return data === 'none' && isWhole
}

async function listFlows(db: FlowDb, query: FlowQuery): Promise<Page<FlowRecord>> {
  const where = conditionOf(db, query)
  const { rows } = await sql<Parameters<typeof flowMapping.fromRow>[0]>`
    select ${sql.join(columnsOf(query))} from flow_flow where ${where}
    order by ${orderOf(query)} ${sliceOf(query)}`.execute(db)
  const items = rows.map((row) => flowMapping.fromRow(row))
  const whole = (query.offset ?? 0) === 0 && (query.limit ?? null) === null
  const total = whole ? items.length : await rowsOf(db, 'flow_flow', flowMapping).count(where)
  return { items, total }
}

async function* flowParts(
  db: FlowDb,
  query: FlowQuery,
): AsyncGenerator<readonly FlowRecord[], void> {
  const { rows: keys } = await sql<RowKey>`
    select seq, coalesce(octet_length(${dataColumn(query.data)}), 0)
      + coalesce(octet_length(description), 0) as size
    from flow_flow where ${conditionOf(db, query)}
    order by ${orderOf(query)} ${sliceOf(query)}`.execute(db)
  const source = { table: 'flow_flow', mapping: flowMapping, columns: columnsOf(query) }
  yield* rowParts(db, source, keys)
}

function columnsOf({ data }: FlowQuery): RawBuilder<unknown>[] {
  return flowMapping.columns.map((column) =>
    column === 'data' ? sql`${dataColumn(data)} as data` : sql.ref(column),
  )
}

function orderOf({ order }: FlowQuery): RawBuilder<unknown> {
  return order === 'created' ? sql`seq` : sql`updated_at desc, seq desc`
}

function conditionOf(db: FlowDb, query: FlowQuery): RawBuilder<unknown> {
  const { userId, folderId, ids, isComponent, search } = query
  const conditions = [sql`user_id = ${userId}`]
  if (folderId !== undefined) conditions.push(sql`folder_id = ${folderId}`)
  if (ids !== undefined) conditions.push(sql`id in (select ids.id from ${idList(db, ids)})`)
  if (isComponent !== undefined) conditions.push(sql`is_component = ${Number(isComponent)}`)
  if (search !== undefined) conditions.push(nameContains(db, search))
  return sql.join(conditions, sql` and `)
}

/** `lower` folds only ASCII letters on both databases (the columns use collation "C"). */
function nameContains(db: FlowDb, search: string): RawBuilder<unknown> {
  const part = encodeText(search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()))
  if (part === '') return sql`1 = 1`
  return engineOf(db).kind === 'sqlite'
    ? sql`instr(lower(name), ${part}) > 0`
    : sql`strpos(lower(name), ${part}) > 0`
}

function dataColumn(data: FlowQuery['data']): RawBuilder<unknown> {
  if (data === 'all') return sql.ref('data')
  return data === 'none' ? sql`null` : sql`case when is_component = 1 then data end`
}

function prefixed(column: string, userId: string, prefix: string): RawBuilder<unknown> {
  return sql`where user_id = ${userId} and ${beginsWith(column, prefix)} order by seq`
}
