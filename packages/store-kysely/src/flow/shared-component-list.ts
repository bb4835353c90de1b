import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Page } from '@x/flow-engine/store'
import type {
  SharedComponentOrder,
  SharedComponentQuery,
  SharedComponentRecord,
  SharedComponentView,
  TagRecord,
} from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import { idList } from '../query/id-list.ts'
import { bytesOf, keyParts, placeList, type RowKey } from '../records/row-parts.ts'
import type { FlowDb } from './context.ts'
import { componentMapping, tagMapping, userMapping } from './mappings.ts'
import { sliceOf } from './slices.ts'

interface ViewRow {
  readonly seq: number
  readonly owner_name: string | null
  readonly likes: number
  readonly liked: number
}

/** Components that are searched in one statement. */
const SEARCHED = 100
/** Generous estimate for the name and id of a tag. */
const TAG_BYTES = 600
/** Characters of a string that order a list. */
const SORTED_BY = 1000

/** A page of shared components with the owners, tags and likes shown in lists. */
export async function listComponents(
  db: FlowDb,
  query: SharedComponentQuery,
): Promise<Page<SharedComponentView>> {
  const where = await conditionOf(db, query)
  const items: SharedComponentView[] = []
  for await (const part of partsOf(db, query, where)) for (const item of part) items.push(item)
  const whole = (query.offset ?? 0) === 0 && (query.limit ?? null) === null
  return { items, total: whole ? items.length : await countOf(db, where) }
}

/** The items of the page in parts, each read on demand. */
export async function* componentParts(
  db: FlowDb,
  query: SharedComponentQuery,
): AsyncGenerator<readonly SharedComponentView[]> {
  yield* partsOf(db, query, await conditionOf(db, query))
}

async function* partsOf(
  db: FlowDb,
  query: SharedComponentQuery,
  where: RawBuilder<unknown>,
): AsyncGenerator<readonly SharedComponentView[]> {
  const { rows: keys } = await sql<RowKey>`select r.seq,
      ${bytesOf(['r.description', 'r.metadata'])} + ${TAG_BYTES} * (select count(*)
        from flow_component_tag as c where c.component_id = r.id) as size
    from flow_component as r left join flow_user as u on u.id = r.owner_id
    where ${where} order by ${orderOf(query)} ${sliceOf(query)}`.execute(db)
  yield* keyParts(keys, (group) => viewsOf(db, query.viewerId, group))
}

async function viewsOf(
  db: FlowDb,
  viewerId: string,
  keys: readonly RowKey[],
): Promise<Map<number, SharedComponentView>> {
  const columns = componentMapping.columns.filter((column) => column !== 'data')
  const { rows } = await sql<ViewRow & Parameters<typeof componentMapping.fromRow>[0]>`
    select r.seq, ${sql.join(columns.map((column) => sql.ref(`r.${column}`)))},
      u.username as owner_name, ${LIKES} as likes,
      case when exists (select 1 from flow_like as l
        where l.component_id = r.id and l.user_id = ${viewerId}) then 1 else 0 end as liked
    from flow_component as r left join flow_user as u on u.id = r.owner_id
    where r.seq in ${placeList(db, keys)}`.execute(db)
  const tags = await tagsOf(
    db,
    rows.map(({ id }) => id),
  )
  return new Map(rows.map((row) => [row.seq, toView(row, tags.get(row.id) ?? [])]))
}

const LIKES = sql`(select count(*) from flow_like as l where l.component_id = r.id)`

function toView(
  row: ViewRow & Parameters<typeof componentMapping.fromRow>[0],
  tags: readonly TagRecord[],
): SharedComponentView {
  const record: SharedComponentRecord = componentMapping.fromRow({ ...row, data: '' })
  const { data: _data, ...shown } = record
  return {
    ...shown,
    ownerName: row.owner_name === null ? '' : userMapping.decode('username', row.owner_name),
    tags,
    likes: row.likes,
    likedByViewer: row.liked === 1,
  }
}

async function countOf(db: FlowDb, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total
    from flow_component as r left join flow_user as u on u.id = r.owner_id
    where ${where}`.execute(db)
  return rows[0]?.total ?? 0
}

/** The tags of each component, by name. */
async function tagsOf(db: FlowDb, ids: readonly string[]): Promise<Map<string, TagRecord[]>> {
  const found = new Map<string, TagRecord[]>()
  if (ids.length === 0) return found
  const { rows } = await sql<{ component_id: string; id: string; name: string }>`
    select c.component_id, t.id, t.name from flow_component_tag as c
    join flow_tag as t on t.id = c.tag_id
    where c.component_id in (select ids.id from ${idList(db, ids)}) order by t.name`.execute(db)
  for (const { component_id, ...row } of rows) {
    const tag = tagMapping.fromRow(row)
    const tags = found.get(component_id)
    if (tags === undefined) found.set(component_id, [tag])
    else tags.push(tag)
  }
  return found
}

/** The condition of a query. Strings are searched in steps, because descriptions may be long. */
async function conditionOf(db: FlowDb, query: SharedComponentQuery): Promise<RawBuilder<unknown>> {
  const where = sql.join(conditionsOf(query), sql` and `)
  const { search = '' } = query
  if (search === '') return where
  const found: { readonly seq: number }[] = []
  const wanted = contains(db, search)
  for (let seq = 0; ;) {
    const { rows } = await sql<{ seq: number; wanted: number }>`select r.seq,
      case when ${wanted} then 1 else 0 end as wanted
      from flow_component as r left join flow_user as u on u.id = r.owner_id
      where ${where} and r.seq > ${seq} order by r.seq limit ${SEARCHED}`.execute(db)
    for (const row of rows) if (row.wanted === 1) found.push(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < SEARCHED) break
    seq = last.seq
    await nextTurn()
  }
  return sql`r.seq in ${placeList(db, found)}`
}

function conditionsOf(query: SharedComponentQuery): RawBuilder<unknown>[] {
  const { viewerId, id, tags = [], isPrivate, isComponent, liked = false } = query
  const conditions = [scopeOf(query)]
  if (id !== undefined) conditions.push(sql`r.id = ${id}`)
  if (isPrivate !== undefined) conditions.push(sql`r.is_private = ${Number(isPrivate)}`)
  if (isComponent !== undefined) conditions.push(sql`r.is_component = ${Number(isComponent)}`)
  if (liked) {
    conditions.push(sql`exists (select 1 from flow_like as l
      where l.component_id = r.id and l.user_id = ${viewerId})`)
  }
  for (const tag of new Set(tags)) conditions.push(hasTag(sql`t.name = ${encodeText(tag)}`))
  return conditions
}

function scopeOf({ scope, viewerId }: SharedComponentQuery): RawBuilder<unknown> {
  if (scope === 'public') return sql`r.is_private = 0`
  const own = sql`r.owner_id = ${viewerId}`
  return scope === 'own' ? own : sql`(r.is_private = 0 or ${own})`
}

function hasTag(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select 1 from flow_component_tag as c join flow_tag as t on t.id = c.tag_id
    where c.component_id = r.id and ${condition})`
}

function contains(db: FlowDb, search: string): RawBuilder<unknown> {
  const part = encodeText(search.toLowerCase())
  const position = sql.raw(engineOf(db).kind === 'sqlite' ? 'instr' : 'strpos')
  const within = (column: string): RawBuilder<unknown> =>
    sql`${position}(${sql.ref(column)}, ${part}) > 0`
  return sql`(${within('r.name_key')} or ${within('r.description_key')}
    or ${within('u.username_key')} or ${hasTag(within('t.name_key'))})`
}

const SORT_COLUMNS: Readonly<Record<SharedComponentOrder, RawBuilder<unknown>>> = {
  name: sql`r.name_key`,
  description: sql`substr(r.description_key, 1, ${sql.lit(SORTED_BY)})`,
  isComponent: sql`r.is_component`,
  isPrivate: sql`r.is_private`,
  lastTestedVersion: sql`r.last_tested_version_key`,
  createdAt: sql`r.created_at`,
  updatedAt: sql`r.updated_at`,
  likes: LIKES,
  downloads: sql`r.downloads`,
  ownerName: sql`coalesce(u.username_key, '')`,
}

/** Null first, reversed if descending; ties by latest insertion. */
function orderOf({ sort }: SharedComponentQuery): RawBuilder<unknown> {
  const terms = sort.map(({ by, descending }) => {
    const direction = descending ? sql`desc` : sql`asc`
    const key = SORT_COLUMNS[by]
    return sql`(${key} is not null) ${direction}, ${key} ${direction}`
  })
  return sql.join([...terms, sql`r.seq desc`])
}
