import type { KeysetPosition, SortKey } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { jsonRows } from '../query/json-rows.ts'
import { shapedQueries } from '../query/shaped-query.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import type { ElementScope } from './element-lists.ts'
import type { ResourceColumns } from './operands.ts'
import { afterPosition, type ListOrder } from './order.ts'
import { joinConditions, type Condition } from './filter-operators.ts'

type Db = Kysely<ScimTables>

/** A row of a sorted page. */
export interface PlacedRow {
  readonly id: string
  readonly sort_key?: SortKey
  /** Only in a page that includes the count. */
  readonly hits?: number
}

/** A page of one table. */
export interface PageRequest {
  readonly source: { readonly resource: ResourceColumns; readonly columns: readonly string[] }
  readonly scope: ElementScope
  readonly order: ListOrder
  readonly matches: readonly Condition[]
  /** The page starts after this position. */
  readonly after: KeysetPosition | undefined
  readonly limit: number
  readonly offset: number
  /** Few rows match: they are found first, then sorted. */
  readonly few: boolean
  /** The page includes the number of all matches. */
  readonly isCounted?: boolean
}

/** The rows of a page. */
export async function readPage<Row>(db: Db, page: PageRequest): Promise<Row[]> {
  const { after, order } = page
  const place = after === undefined ? [] : [afterPosition(order, after)]
  const { rows } = await pageQuery(page, place).execute(db)
  return rowsOf<Row>(page, rows)
}

/** A page of a list without filter or sort, the most frequent query: compiled once. */
export async function readPlainPage<Row>(db: Db, page: PageRequest): Promise<Row[]> {
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
  const [count, hits] =
    page.isCounted === true ? [sql`, count(*) over () as hits`, sql`, page.hits`] : [sql``, sql``]
  // Far into a list, only the index is scanned; documents are read for the page alone.
  const query =
    page.offset === 0 && page.isCounted !== true
      ? sql`select ${columns}${key} ${rest}`
      : sql`select ${columns}${pageKey}${hits} from (select r.seq${key}${count} ${rest}) as page
          join ${table} as r on r.seq = page.seq order by ${order.termsOver(sql`page.sort_key`)}`
  return isPacked(page)
    ? sql`select ${jsonRows('sqlite', source.columns.filter(isSmall))} as page,
        group_concat(data, char(${sql.lit(SEPARATOR)})) as documents from (${query}) limit 1`
    : query
}

/** Documents are JSON already, in which U+001E never occurs: as part of other JSON they would be escaped. */
const SEPARATOR = 0x1e
const BETWEEN_DOCUMENTS = String.fromCodePoint(SEPARATOR)

function isSmall(column: string): boolean {
  return column !== 'data'
}

/** A sort key may be a number with more digits than SQLite writes in JSON. */
function isPacked({ scope, order }: PageRequest): boolean {
  return scope.dialect === 'sqlite' && order.key === null
}

function rowsOf<Row>(page: PageRequest, rows: readonly unknown[]): Row[] {
  if (!isPacked(page)) return rows as Row[]
  const [packed] = rows as readonly PackedPage[]
  if (packed === undefined || packed.documents === null) return []
  const values = JSON.parse(packed.page) as readonly (readonly unknown[])[]
  const documents = packed.documents.split(BETWEEN_DOCUMENTS)
  const names = page.source.columns.filter(isSmall)
  return values.map((row, index) => toRow(names, row, documents[index])) as Row[]
}

/** A page in one row; `documents` is null if it is empty. */
interface PackedPage {
  readonly page: string
  readonly documents: string | null
}

/** A row keyed by its column names. */
function toRow(
  names: readonly string[],
  values: readonly unknown[],
  data: string | undefined,
): Record<string, unknown> {
  const row: Record<string, unknown> = { data }
  for (let i = 0; i < names.length; i += 1) row[names[i] ?? ''] = values[i]
  return row
}

/** The condition of a list: tenant, not deleted, and further ones. */
export function whereOf({
  scope,
  conditions,
  few,
}: Pick<PageRequest, 'scope' | 'few'> & { readonly conditions: readonly Condition[] }): Condition {
  // The unary plus keeps SQLite from scanning the whole list in order if few rows match.
  const tenant =
    few && scope.dialect === 'sqlite'
      ? sql`+r.tenant = ${scope.tenant}`
      : sql`r.tenant = ${scope.tenant}`
  return joinConditions('and', [tenant, scope.resource.alive, ...conditions])
}
