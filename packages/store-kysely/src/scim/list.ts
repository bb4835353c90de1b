import type { GroupRecord, ListQuery, SortKey, UserRecord } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../dialect.ts'
import type { ScimTables } from '../tables/scim.ts'
import type { ElementScope } from './element-lists.ts'
import { filterToSql } from './filter-to-sql.ts'
import { fromGroupRow, GROUP_RECORD_COLUMNS, type GroupRecordRow } from './group-row.ts'
import { PLAIN_LIST } from './list-cache.ts'
import { findOne } from './list-one.ts'
import type { ListRequest } from './list-request.ts'
import { GROUPS, USERS, type ResourceColumns } from './operands.ts'
import { afterPosition, orderOf, type ListOrder } from './order.ts'
import { selectivityOf } from './selectivity.ts'
import { both, type Condition } from './sql-words.ts'
import { userGroups, type UserGroupsRow } from './user-groups.ts'
import { fromUserRow, USER_RECORD_COLUMNS, userStamp, type UserRecordRow } from './user-row.ts'

type Db = Kysely<ScimTables>

interface Listing<Read> {
  readonly total: number
  readonly records: Read[]
}

/** One page of users. Filter, order, limit and count are the database's work (SC-84). */
export async function listUsers(db: Db, request: ListRequest): Promise<Listing<UserRecord>> {
  const { tenant } = request
  const one = await findOne(db, request)
  if (one !== undefined) return one
  return listRecords(db, request, {
    resource: USERS,
    columns: USER_RECORD_COLUMNS,
    computed: {
      stamp: userStamp(db, 'r'),
      ...(request.query.withGroups === true && { groups: userGroups(db, 'r') }),
    },
    read: (row: UserRecordRow & Partial<UserGroupsRow>) => fromUserRow(tenant, row),
  })
}

/** One page of groups, without their members. */
export function listGroups(db: Db, request: ListRequest): Promise<Listing<GroupRecord>> {
  const { tenant } = request
  return listRecords(db, request, {
    resource: GROUPS,
    columns: GROUP_RECORD_COLUMNS,
    computed: {},
    read: (row: GroupRecordRow) => fromGroupRow(tenant, row),
  })
}

interface Source<Row, Read> {
  readonly resource: ResourceColumns
  readonly columns: readonly string[]
  /** What is read besides them, by name. */
  readonly computed: Readonly<Record<string, RawBuilder<unknown>>>
  read(row: Row): Read
}

interface PlacedRow {
  readonly id: string
  readonly sort_key?: SortKey
}

/** Above this many hits, testing rows in order until the page is full is faster than making a set. */
const FEW = 2000

async function listRecords<Row extends PlacedRow, Read extends UserRecord | GroupRecord>(
  db: Db,
  { tenant, query, cache }: ListRequest,
  source: Source<Row, Read>,
): Promise<Listing<Read>> {
  const { resource } = source
  const { filter, limit } = query
  const scope: ElementScope = { resource, tenant, dialect: engineOf(db).kind, mode: 'sets' }
  const total = query.withTotal || filter !== undefined ? await countRows(db, scope, query) : 0
  if (limit === 0 || (filter !== undefined && total === 0)) return { total, records: [] }

  const mode = total > FEW ? 'rows' : 'sets'
  const matches = filter === undefined ? [] : [filterToSql(filter, { ...scope, mode })]
  const order = orderOf(query.sort, scope)
  const name = listName(resource, tenant, query)
  const offset = query.offset ?? 0
  const known = offset > 0 ? cache.find(name, offset) : undefined
  const after = query.after ?? known
  const rows = await readPage<Row>(db, {
    conditions: after === undefined ? matches : [...matches, afterPosition(order, after)],
    source,
    scope,
    order,
    limit,
    offset: known === undefined ? offset : 0,
    few: filter !== undefined && mode === 'sets' && selectivityOf(filter, scope) !== 'all',
  })
  const records = rows.map((row) => source.read(row))
  const last = records.at(-1)
  if (last !== undefined && query.after === undefined && rows.length === limit) {
    const { id, created } = last
    cache.remember(name, offset + limit, { id, created, key: rows.at(-1)?.sort_key ?? null })
  }
  return { total, records }
}

interface PageRequest<Row> {
  readonly source: Source<Row, unknown>
  readonly scope: ElementScope
  readonly order: ListOrder
  readonly conditions: readonly Condition[]
  readonly limit: number
  readonly offset: number
  /** Few rows match: they are found first and sorted then. */
  readonly few: boolean
}

async function readPage<Row>(db: Db, page: PageRequest<Row>): Promise<Row[]> {
  const { source, order, limit, offset } = page
  const own = source.columns.map((column) => sql.ref(`r.${column}`))
  const computed = Object.entries(source.computed).map(
    ([name, value]) => sql`${value} as ${sql.ref(name)}`,
  )
  const columns = sql.join([...own, ...computed])
  const key = order.key === null ? sql`` : sql`, ${order.key} as sort_key`
  const table = sql.table(source.resource.table)
  const rest = sql`from ${table} as r where ${whereOf(page)}
    order by ${order.terms(page.few)} limit ${limit} offset ${offset}`
  const pageKey = order.key === null ? sql`` : sql`, page.sort_key`
  // Far down a list, only the index is walked; the documents are read for the page alone.
  const query =
    offset === 0
      ? sql<Row>`select ${columns}${key} ${rest}`
      : sql<Row>`select ${columns}${pageKey} from (select r.seq${key} ${rest}) as page
          join ${table} as r on r.seq = page.seq order by ${order.termsOver(sql`page.sort_key`)}`
  return page.scope.dialect === 'sqlite' && order.key === null
    ? readPacked(db, query, [...source.columns, ...Object.keys(source.computed)])
    : (await query.execute(db)).rows
}

/**
 * The rows of a query as one JSON text: parsing it costs less than the driver's work for each value.
 * Not for sort keys, which may be numbers with more digits than SQLite puts in JSON.
 */
async function readPacked<Row>(
  db: Db,
  query: RawBuilder<Row>,
  names: readonly string[],
): Promise<Row[]> {
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const packed = sql<{ page: string }>`select json_group_array(json_array(${columns})) as page
    from (${query})`
  const { rows } = await packed.execute(db)
  const values = JSON.parse(rows[0]?.page ?? '[]') as readonly (readonly unknown[])[]
  return values.map((row) => named(names, row)) as Row[]
}

/** A row by the names of its columns. */
function named(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let i = 0; i < names.length; i += 1) row[names[i] ?? ''] = values[i]
  return row
}

function whereOf({
  scope,
  conditions,
  few,
}: Pick<PageRequest<never>, 'scope' | 'conditions' | 'few'>): Condition {
  // The plus keeps SQLite from walking the whole list in order when few rows match.
  const tenant =
    few && scope.dialect === 'sqlite'
      ? sql`+r.tenant = ${scope.tenant}`
      : sql`r.tenant = ${scope.tenant}`
  return both('and', [tenant, scope.resource.alive, ...conditions])
}

async function countRows(
  db: Db,
  scope: ElementScope,
  { filter }: Pick<ListQuery, 'filter'>,
): Promise<number> {
  const { resource, tenant } = scope
  const query: RawBuilder<{ total: number }> =
    filter === undefined
      ? sql`select cast(coalesce(sum(total), 0) as bigint) as total from scim_count
          where tenant = ${tenant} and kind = ${resource.kind}`
      : sql`select count(*) as total from ${sql.table(resource.table)} as r
          where ${whereOf({ scope, conditions: [filterToSql(filter, scope)], few: selectivityOf(filter, scope) === 'few' })}`
  const { rows } = await query.execute(db)
  return rows[0]?.total ?? 0
}

function listName(resource: ResourceColumns, tenant: string, query: ListQuery): string {
  const { filter, sort } = query
  const kind = filter === undefined && sort === undefined ? PLAIN_LIST : 'other'
  return JSON.stringify([kind, resource.kind, tenant, filter, sort]).replace('["', '')
}
