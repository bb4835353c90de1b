import type {
  GroupRecord,
  KeysetPosition,
  ListQuery,
  ResolvedFilter,
  ResourceRecord,
  SortKey,
  UserRecord,
} from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { hotQuery } from '../query/compiled-query.ts'
import { jsonRows } from '../query/json-rows.ts'
import { shapedQueries } from '../query/shaped-query.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import type { ElementScope } from './element-lists.ts'
import { filterToSql } from './filter-to-sql.ts'
import { fromGroupRow, GROUP_RECORD_COLUMNS, type GroupRecordRow } from './group-row.ts'
import { PLAIN_LIST } from './list-cache.ts'
import { findOne } from './list-one.ts'
import type { ListRequest } from './list-request.ts'
import { GROUPS, resourcesOf, USERS, type ResourceColumns } from './operands.ts'
import { fromResourceRow, RESOURCE_COLUMNS, type ResourceRecordRow } from './resource-row.ts'
import { afterPosition, orderOf, type ListOrder } from './order.ts'
import { selectivityOf } from './selectivity.ts'
import { joinConditions, type Condition } from './sql-words.ts'
import { fromUserRow, USER_RECORD_COLUMNS, type UserRecordRow } from './user-row.ts'

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
    read: (row: UserRecordRow) => fromUserRow(tenant, row),
  })
}

/** One page of groups, without their members. */
export function listGroups(db: Db, request: ListRequest): Promise<Listing<GroupRecord>> {
  const { tenant } = request
  return listRecords(db, request, {
    resource: GROUPS,
    columns: GROUP_RECORD_COLUMNS,
    read: (row: GroupRecordRow) => fromGroupRow(tenant, row),
  })
}

/** One page of the resources of a host's own type. */
export function listResources(
  db: Db,
  { type, ...request }: ListRequest & { readonly type: string },
): Promise<Listing<ResourceRecord>> {
  const { tenant } = request
  return listRecords(db, request, {
    resource: resourcesOf(type),
    columns: RESOURCE_COLUMNS,
    read: (row: ResourceRecordRow) => fromResourceRow(tenant, row),
  })
}

interface Source<Row, Read> {
  readonly resource: ResourceColumns
  readonly columns: readonly string[]
  read(row: Row): Read
}

interface PlacedRow {
  readonly id: string
  readonly sort_key?: SortKey
}

/** Above this many hits, testing rows in order until the page is full is faster than making a set. */
const FEW = 2000

async function listRecords<
  Row extends PlacedRow,
  Read extends UserRecord | GroupRecord | ResourceRecord,
>(
  db: Db,
  { tenant, query, cache }: ListRequest,
  source: Source<Row, Read>,
): Promise<Listing<Read>> {
  const { resource } = source
  const { filter, limit } = query
  const generation = cache.generation()
  const foreign = foreignVersion(db)
  const scope: ElementScope = { resource, tenant, dialect: engineOf(db).kind, mode: 'sets' }
  const counted = query.withTotal || filter !== undefined
  const { total, version = foreign } = counted ? await countRows(db, scope, filter) : NO_COUNT
  if (limit === 0 || (filter !== undefined && total === 0)) return { total, records: [] }

  const mode = total > FEW ? 'rows' : 'sets'
  const matches = filter === undefined ? [] : [filterToSql(filter, { ...scope, mode })]
  const order = orderOf(query.sort, scope)
  const name = listName(resource, tenant, query)
  const offset = query.offset ?? 0
  const isPlain = filter === undefined && query.sort === undefined
  const view = { version: isPlain ? version : foreign, generation }
  const known = offset > 0 ? cache.find(name, offset, view) : undefined
  const after = query.after ?? known
  const rows = await (isPlain ? readPlainPage<Row> : readPage<Row>)(db, {
    matches,
    after,
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
    const position = { id, created, key: rows.at(-1)?.sort_key ?? null }
    cache.remember(name, offset + limit, position, view)
  }
  return { total, records }
}

interface PageRequest {
  readonly source: Pick<Source<never, unknown>, 'resource' | 'columns'>
  readonly scope: ElementScope
  readonly order: ListOrder
  readonly matches: readonly Condition[]
  /** The page begins after this position in the order. */
  readonly after: KeysetPosition | undefined
  readonly limit: number
  readonly offset: number
  /** Few rows match: they are found first and sorted then. */
  readonly few: boolean
}

async function readPage<Row>(db: Db, page: PageRequest): Promise<Row[]> {
  const { after, order } = page
  const place = after === undefined ? [] : [afterPosition(order, after)]
  const { rows } = await pageQuery(page, place).execute(db)
  return rowsOf<Row>(page, rows)
}

/** A page of a list without filter or order of its own, as most clients read it: compiled once. */
async function readPlainPage<Row>(db: Db, page: PageRequest): Promise<Row[]> {
  const { source, scope, after, limit, offset } = page
  const way = after !== undefined ? 'after' : offset > 0 ? 'deep' : 'first'
  const query = shapedQueries<ScimTables>(source.resource).of(
    `${way} ${scope.dialect}`,
    (value) => {
      const tenant = value('tenant') as string
      const place = sql`(r.created, r.id) > (${value('created')}, ${value('id')})`
      return pageQuery({ ...page, scope: { ...scope, tenant } }, way === 'after' ? [place] : [], {
        limit: value('limit'),
        offset: value('offset'),
      })
    },
  )
  const { id, created } = after ?? {}
  const values = { tenant: scope.tenant, limit, offset, id, created: created?.getTime() }
  return rowsOf<Row>(page, (await query.run(db, values)).rows)
}

function pageQuery(
  page: PageRequest,
  place: readonly Condition[],
  { limit, offset }: { readonly limit: unknown; readonly offset: unknown } = page,
): RawBuilder<unknown> {
  const { source, order } = page
  const columns = sql.join(source.columns.map((column) => sql.ref(`r.${column}`)))
  const key = order.key === null ? sql`` : sql`, ${order.key} as sort_key`
  const table = sql.table(source.resource.table)
  const conditions = [...page.matches, ...place]
  const rest = sql`from ${table} as r where ${whereOf({ ...page, conditions })}
    order by ${order.terms(page.few)} limit ${limit} offset ${offset}`
  const pageKey = order.key === null ? sql`` : sql`, page.sort_key`
  // Far down a list, only the index is walked; the documents are read for the page alone.
  const query =
    page.offset === 0
      ? sql`select ${columns}${key} ${rest}`
      : sql`select ${columns}${pageKey} from (select r.seq${key} ${rest}) as page
          join ${table} as r on r.seq = page.seq order by ${order.termsOver(sql`page.sort_key`)}`
  return isPacked(page)
    ? sql`select ${jsonRows('sqlite', source.columns)} as page from (${query})`
    : query
}

/** A sort key may be a number with more digits than SQLite puts in JSON. */
function isPacked({ scope, order }: PageRequest): boolean {
  return scope.dialect === 'sqlite' && order.key === null
}

function rowsOf<Row>(page: PageRequest, rows: readonly unknown[]): Row[] {
  if (!isPacked(page)) return rows as Row[]
  const [packed] = rows as readonly { readonly page: string }[]
  const values = JSON.parse(packed?.page ?? '[]') as readonly (readonly unknown[])[]
  return values.map((row) => named(page.source.columns, row)) as Row[]
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
}: Pick<PageRequest, 'scope' | 'few'> & { readonly conditions: readonly Condition[] }): Condition {
  // The plus keeps SQLite from walking the whole list in order when few rows match.
  const tenant =
    few && scope.dialect === 'sqlite'
      ? sql`+r.tenant = ${scope.tenant}`
      : sql`r.tenant = ${scope.tenant}`
  return joinConditions('and', [tenant, scope.resource.alive, ...conditions])
}

async function countRows(
  db: Db,
  scope: ElementScope,
  filter: ResolvedFilter | undefined,
): Promise<Count> {
  const { resource, tenant } = scope
  // Users and groups are counted as they are written; the types of a host are small.
  if (filter === undefined && resource.table !== 'scim_resource') {
    const { rows } = await readTotal.run(db, { tenant, kind: resource.kind })
    const { total = 0, version } = rows[0] ?? {}
    return { total, version: version ?? undefined }
  }
  const conditions = filter === undefined ? [] : [filterToSql(filter, scope)]
  const few = filter !== undefined && selectivityOf(filter, scope) === 'few'
  const { rows } = await sql<{ total: number }>`select count(*) as total
    from ${sql.table(resource.table)} as r where ${whereOf({ scope, conditions, few })}`.execute(db)
  return { total: rows[0]?.total ?? 0, version: undefined }
}

interface Count {
  readonly total: number
  /** For the list of all records on PostgreSQL: a string that changes with each insertion and removal. */
  readonly version: string | undefined
}

const NO_COUNT: Count = { total: 0, version: undefined }

/** SQLite's sign of writes by other processes, for every list; PostgreSQL shows them with the count. */
function foreignVersion(db: Db): number | undefined {
  const engine = engineOf(db)
  return engine.kind === 'sqlite' ? engine.sqlite.foreignVersion() : undefined
}

interface TotalRow {
  readonly total: number
  readonly version: string | null
}

const readTotal = hotQuery<ScimTables, { tenant: string; kind: string }, TotalRow>((db, value) => {
  // Each insertion and removal writes a row of the counts, which then has another `xmin`.
  const version =
    engineOf(db).kind === 'sqlite'
      ? sql`null`
      : sql`string_agg(shard || ' ' || xmin::text, ' ' order by shard)`
  return {
    compile: () =>
      sql<TotalRow>`select cast(coalesce(sum(total), 0) as bigint) as total, ${version} as version
        from scim_count where tenant = ${value('tenant')} and kind = ${value('kind')}
        limit 1`.compile(db),
  }
})

function listName(resource: ResourceColumns, tenant: string, query: ListQuery): string {
  const { filter, sort } = query
  const kind = filter === undefined && sort === undefined ? PLAIN_LIST : 'other'
  return JSON.stringify([kind, resource.kind, tenant, filter, sort]).replace('["', '')
}
