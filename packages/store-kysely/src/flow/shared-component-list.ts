import type {
  Page,
  SharedComponentOrder,
  SharedComponentQuery,
  SharedComponentRecord,
  SharedComponentView,
  TagRecord,
} from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { engineOf } from '../engine/engine.ts'
import { idList } from '../query/id-list.ts'
import type { FlowDb } from './context.ts'
import { componentMapping, tagMapping, userMapping } from './mappings.ts'
import { sliceOf } from './slices.ts'

interface ViewRow {
  readonly owner_name: string | null
  readonly likes: number
  readonly liked: number
}

/** A page of shared components with the owners, tags and likes shown in lists. */
export async function listComponents(
  db: FlowDb,
  query: SharedComponentQuery,
): Promise<Page<SharedComponentView>> {
  const where = sql.join(conditionsOf(db, query), sql` and `)
  const columns = componentMapping.columns.filter((column) => column !== 'data')
  const { rows } = await sql<ViewRow & Parameters<typeof componentMapping.fromRow>[0]>`
    select ${sql.join(columns.map((column) => sql.ref(`r.${column}`)))},
      u.username as owner_name, ${LIKES} as likes,
      case when exists (select 1 from flow_like as l
        where l.component_id = r.id and l.user_id = ${query.viewerId}) then 1 else 0 end as liked
    from flow_component as r left join flow_user as u on u.id = r.owner_id
    where ${where} order by ${orderOf(query)} ${sliceOf(query)}`.execute(db)
  const tags = await tagsOf(
    db,
    rows.map(({ id }) => id),
  )
  const items = rows.map((row) => toView(row, tags.get(row.id) ?? []))
  const whole = (query.offset ?? 0) === 0 && (query.limit ?? null) === null
  return { items, total: whole ? items.length : await countOf(db, where) }
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
  for (const { component_id, ...tag } of rows) {
    found.set(component_id, [...(found.get(component_id) ?? []), tagMapping.fromRow(tag)])
  }
  return found
}

function conditionsOf(db: FlowDb, query: SharedComponentQuery): RawBuilder<unknown>[] {
  const { viewerId, id, search, tags = [], isPrivate, isComponent, liked = false } = query
  const conditions = [scopeOf(query)]
  if (id !== undefined) conditions.push(sql`r.id = ${id}`)
  if (isPrivate !== undefined) conditions.push(sql`r.is_private = ${Number(isPrivate)}`)
  if (isComponent !== undefined) conditions.push(sql`r.is_component = ${Number(isComponent)}`)
  if (liked) {
    conditions.push(sql`exists (select 1 from flow_like as l
      where l.component_id = r.id and l.user_id = ${viewerId})`)
  }
  for (const tag of new Set(tags)) conditions.push(hasTag(sql`t.name = ${encodeText(tag)}`))
  if (search !== undefined && search !== '') conditions.push(contains(db, search))
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
  description: sql`r.description_key`,
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
