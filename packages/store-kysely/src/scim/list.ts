import type {
  GroupRecord,
  ListedRecords,
  ListQuery,
  ResolvedFilter,
  ResourceRecord,
  SortKey,
  UserRecord,
} from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { preparedQuery } from '../query/prepared-query.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import type { ElementScope } from './element-lists.ts'
import { filterToSql } from './filter-to-sql.ts'
import { fromGroupRow, GROUP_RECORD_COLUMNS, type GroupRecordRow } from './group-row.ts'
import { PLAIN_LIST } from './list-cache.ts'
import { readPage, readPlainPage, whereOf, type PlacedRow } from './list-page.ts'
import type { Condition } from './filter-operators.ts'
import { findOne } from './list-one.ts'
import type { ListRequest } from './list-request.ts'
import { GROUPS, resourcesOf, USERS, type ResourceColumns } from './operands.ts'
import { fromResourceRow, RESOURCE_COLUMNS, type ResourceRecordRow } from './resource-row.ts'
import { orderOf } from './order.ts'
import { selectivityOf } from './selectivity.ts'
import { fromUserRow, USER_RECORD_COLUMNS, type UserRecordRow } from './user-row.ts'

type Db = Kysely<ScimTables>

/** A page of users. The database does filtering, ordering, limiting and counting. */
export function listUsers(db: Db, request: ListRequest): Promise<ListedRecords<UserRecord>> {
  const { tenant } = request
  const one = findOne(db, request)
  if (one !== undefined) return one
  return listRecords(db, request, {
    resource: USERS,
    columns: USER_RECORD_COLUMNS,
    read: (row: UserRecordRow) => fromUserRow(tenant, row),
  })
}

/** A page of groups, without their members. */
export function listGroups(db: Db, request: ListRequest): Promise<ListedRecords<GroupRecord>> {
  const { tenant } = request
  return listRecords(db, request, {
    resource: GROUPS,
    columns: GROUP_RECORD_COLUMNS,
    read: (row: GroupRecordRow) => fromGroupRow(tenant, row),
  })
}

/** A page of resources of a host's own type. */
export function listResources(
  db: Db,
  { type, ...request }: ListRequest & { readonly type: string },
): Promise<ListedRecords<ResourceRecord>> {
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

/** Above this many matches, testing rows in order until the page is full is faster than computing a set. */
const FEW = 2000

async function listRecords<
  Row extends PlacedRow,
  Read extends UserRecord | GroupRecord | ResourceRecord,
>(
  db: Db,
  { tenant, query, cache }: ListRequest,
  source: Source<Row, Read>,
): Promise<ListedRecords<Read>> {
  const { resource } = source
  const { filter, limit } = query
  const generation = cache.generation()
  const foreign = foreignVersion(db)
  const scope: ElementScope = { resource, tenant, dialect: engineOf(db).kind, mode: 'sets' }
  const together = isCountedWithPage(query, resource)
    ? await readCounted(db, { scope, query, source })
    : null
  if (together !== null) return together
  const counted = query.withTotal || filter !== undefined
  const { total, version = foreign } = counted ? await countRows(db, scope, query) : NO_COUNT
  if (limit === 0 || (filter !== undefined && total === 0)) return { total, records: [] }

  const some = foundOf(scope, query)
  const mode = total > (query.countUpTo ?? FEW) ? 'rows' : 'sets'
  const matches = filter === undefined ? [] : [some ?? filterToSql(filter, { ...scope, mode })]
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
    few: some !== null || (filter !== undefined && mode === 'sets' && isNarrow(filter, scope)),
  })
  const records = rows.map((row) => source.read(row))
  const last = records.at(-1)
  if (last !== undefined && query.after === undefined && rows.length === limit) {
    const { id, created } = last
    const position = { id, created, key: rows.at(-1)?.sort_key ?? null }
    cache.remember(name, offset + limit, position, view)
  }
  return { total, records, ...keysOf(rows, query) }
}

/**
 * Sorted groups and host resources are read together with their total: there are few, so sorting
 * them all costs less than a second query. Users may be many, and some of their orders are indexed.
 */
function isCountedWithPage({ sort, after, limit }: ListQuery, { kind }: ResourceColumns): boolean {
  return sort !== undefined && after === undefined && limit > 0 && kind !== 'user'
}

/** Null for an empty page after the start, which does not reveal the total. */
async function readCounted<
  Row extends PlacedRow,
  Read extends UserRecord | GroupRecord | ResourceRecord,
>(
  db: Db,
  {
    scope,
    query,
    source,
  }: {
    readonly scope: ElementScope
    readonly query: ListQuery
    readonly source: Source<Row, Read>
  },
): Promise<ListedRecords<Read> | null> {
  const { filter, sort, limit, offset = 0 } = query
  const rows = await readPage<Row>(db, {
    source,
    scope,
    limit,
    offset,
    order: orderOf(sort, scope),
    matches: filter === undefined ? [] : [filterToSql(filter, scope)],
    after: undefined,
    few: filter !== undefined && isNarrow(filter, scope),
    isCounted: true,
  })
  const [first] = rows
  if (first === undefined && offset > 0) return null
  const records = rows.map((row) => source.read(row))
  return { total: first?.hits ?? 0, records, ...keysOf(rows, query) }
}

/** The sort keys in the core's form, which has booleans. */
function keysOf(
  rows: readonly PlacedRow[],
  { sort }: ListQuery,
): { readonly keys?: readonly SortKey[] } {
  if (sort === undefined) return {}
  const isBoolean = sort.path.type === 'boolean'
  const keys = rows.map(({ sort_key: key = null }) =>
    isBoolean && key !== null ? Boolean(key) : key,
  )
  return { keys }
}

async function countRows(
  db: Db,
  scope: ElementScope,
  { filter, countUpTo }: Asked,
): Promise<Count> {
  const { resource, tenant } = scope
  // Users and groups are counted when written; host types are small.
  if (filter === undefined && resource.table !== 'scim_resource') {
    const { rows } = await readTotal.run(db, { tenant, kind: resource.kind })
    const { total = 0, version } = rows[0] ?? {}
    return { total, version: version ?? undefined }
  }
  const bound = countUpTo === undefined ? sql`` : sql` limit ${countUpTo + 1}`
  // Rows that are found one after another need not all be found.
  const mode = countUpTo === undefined ? 'sets' : 'rows'
  const some = foundOf(scope, { filter, countUpTo })
  const whole = filter === undefined ? [] : [filterToSql(filter, { ...scope, mode })]
  const conditions = some === null ? whole : [some]
  const few = filter !== undefined && selectivityOf(filter, scope) === 'few'
  const { rows } = await sql<{ total: number }>`select count(*) as total from (select 1
    from ${sql.table(resource.table)} as r where ${whereOf({ scope, conditions, few })}${bound})
    as counted`.execute(db)
  return { total: rows[0]?.total ?? 0, version: undefined }
}

/** What a total depends on. */
interface Asked {
  readonly filter?: ResolvedFilter | undefined
  readonly countUpTo?: number | undefined
}

const isNarrow = (filter: ResolvedFilter, scope: ElementScope): boolean =>
  selectivityOf(filter, scope) !== 'all'

/**
 * If a list is counted up to a bound, and indexes find its rows: the first of them, one more than the bound, in
 * the order of the indexes. All pages show rows of these. Null for other lists.
 */
function foundOf(scope: ElementScope, { filter, countUpTo }: Asked): Condition | null {
  if (filter === undefined || countUpTo === undefined || !isNarrow(filter, scope)) return null
  const branches = branchesOf(filter, scope).map((branch) => {
    const conditions = [filterToSql(branch, { ...scope, mode: 'ranges' })]
    return sql`select seq from (select r.seq from ${sql.table(scope.resource.table)} as r
      where ${whereOf({ scope, conditions, few: true })} limit ${countUpTo + 1}) as found`
  })
  return sql`r.seq in (${sql.join(branches, sql` union `)} limit ${countUpTo + 1})`
}

/** The alternatives of a filter, each with everything else that it demands: each is found by its own index. */
function branchesOf(filter: ResolvedFilter, scope: ElementScope): readonly ResolvedFilter[] {
  const terms = filter.kind === 'and' ? filter.terms : [filter]
  const found = terms.find((term) => term.kind === 'or' && isNarrow(term, scope))
  if (found?.kind !== 'or') return [filter]
  const rest = terms.filter((term) => term !== found)
  return found.terms.map((term) => ({ kind: 'and', terms: [...rest, term] }))
}

interface Count {
  readonly total: number
  /** For the list of all records on PostgreSQL: a string that changes with each insertion and removal. */
  readonly version: string | undefined
}

const NO_COUNT: Count = { total: 0, version: undefined }

/**
 * On SQLite: changes with writes by other processes, for every list. PostgreSQL reads it with the count.
 */
function foreignVersion(db: Db): number | undefined {
  const engine = engineOf(db)
  return engine.kind === 'sqlite' ? engine.sqlite.foreignVersion() : undefined
}

interface TotalRow {
  readonly total: number
  readonly version: string | null
}

const readTotal = preparedQuery<ScimTables, { tenant: string; kind: string }, TotalRow>(
  (db, value) => {
    // Each insertion and removal updates a row of the counts, which changes its `xmin`.
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
  },
)

function listName(resource: ResourceColumns, tenant: string, query: ListQuery): string {
  const { filter, sort } = query
  const kind = filter === undefined && sort === undefined ? PLAIN_LIST : 'other'
  return JSON.stringify([kind, resource.kind, tenant, filter, sort]).replace('["', '')
}
