import { invalidValue, isScimError, ScimError, shown } from '../base/errors.ts'
import { compareSortKeys } from '../filter/compare.ts'
import { parseFilter, parsePathAst } from '../filter/parse.ts'
import type { ResolvedFilter, SortKey } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { resolveFilter, withPrefix } from '../filter/resolve.ts'
import type { ListRequest } from './list-request.ts'
import { compareCodePoints, fold } from '../base/fold.ts'
import type { BodyText } from '../resource/body-text.ts'
import { createProjection, type Projection } from '../resource/project.ts'
import { findPath, isNeverShown, toAttributePath, withValueSub } from '../schema/find-path.ts'
import type { ResourceSchema, ResourceTypeName } from '../schema/registry.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { KeysetPosition, ListQuery } from '../store/list-query.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import type { Call, Rules } from './call.ts'
import { showGroups } from './show-groups.ts'
import { showUsers } from './show-users.ts'
import { sortKeys } from './sort-keys.ts'

/** One page of resources as JSON texts. */
export interface Page {
  readonly total: number
  readonly texts: readonly BodyText[]
}

/** A query looked up in one schema. */
export interface TypeQuery {
  readonly schema: ResourceSchema
  /** `false`: nothing matches; `true`: everything does. */
  readonly filter: ResolvedFilter | boolean
  /** null: not sorted, or by something that all resources of the type share. */
  readonly sort: ListQuery['sort'] | null
  /** The key all resources of the type have when `sort` is null. */
  readonly constantKey: SortKey
  readonly projection: Projection
}

interface Slice {
  readonly offset?: number
  readonly after?: KeysetPosition
  readonly limit: number
}

type AnyRecord = UserRecord | GroupRecord

/** How many records a sorted query over both types may walk over (SC-11 `tooMany`). */
const MAX_MERGED_ROWS = 10_000

/**
 * Looks a query up in the schema of a type.
 * @param root whether attributes the type lacks are absent rather than an error (SC-41)
 * @throws ScimError invalid_filter, invalid_value
 */
export function prepareQuery(
  rules: Rules,
  call: Call,
  {
    type,
    request,
    root,
  }: { readonly type: ResourceTypeName; readonly request: ListRequest; readonly root: boolean },
): TypeQuery {
  const { schemas, quirks, etag, filterLimits } = rules.config
  const schema = schemas[type]
  const unprefixed = quirks.unprefixedExtension
  const { baseUrl } = call.presenter
  const filter =
    request.filter === undefined ||
    resolveFilter(parseFilter(request.filter, filterLimits), schema, {
      booleanStrings: quirks.booleanStrings,
      unprefixedExtension: unprefixed,
      unknownIsAbsent: root,
      baseUrl,
      versioned: etag,
    })
  const { sort, constantKey } = prepareSort(request, { schema, unprefixed, baseUrl, root })
  return {
    schema,
    filter,
    sort,
    constantKey,
    projection: createProjection(request, schema, unprefixed),
  }
}

function prepareSort(
  { sortBy, descending }: ListRequest,
  scope: {
    readonly schema: ResourceSchema
    readonly unprefixed: boolean
    readonly baseUrl: string
    readonly root: boolean
  },
): Pick<TypeQuery, 'sort' | 'constantKey'> {
  if (sortBy === undefined) return { sort: null, constantKey: null }
  const { schema, unprefixed, baseUrl, root } = scope
  const found = findPath(schema, parseSortPath(sortBy), unprefixed)
  if (found === undefined && root) return { sort: null, constantKey: null }
  const whole = found && withValueSub(found)
  const path = whole && toAttributePath(whole)
  if (path === undefined || path.type === 'complex' || (whole && isNeverShown(whole))) {
    throw invalidValue(`Resources cannot be sorted by ${shown(sortBy)}.`)
  }
  if (path.key === 'schemas') return { sort: null, constantKey: fold(schema.urn) }
  if (path.key === 'meta.resourceType') {
    return { sort: null, constantKey: schema.resourceType }
  }
  return {
    sort: { path: withPrefix(path, schema, baseUrl), descending },
    constantKey: null,
  }
}

function parseSortPath(text: string): { urn: string | null; name: string; sub: string | null } {
  try {
    const { path, end } = parsePathAst(text)
    if (end === text.length && path.where === null) return path
  } catch (error) {
    if (!isScimError(error)) throw error
  }
  throw invalidValue(`Resources cannot be sorted by ${shown(text)}.`)
}

/** The records of one type in a slice of a query. */
export async function readSlice(
  store: ScimStore,
  { tenant }: Call,
  { query, slice }: { readonly query: TypeQuery; readonly slice: Slice },
): Promise<{ total: number; records: AnyRecord[] }> {
  const { filter, sort, schema, projection } = query
  if (filter === false) return { total: 0, records: [] }
  const list: { -readonly [Key in keyof ListQuery]: ListQuery[Key] } = {
    limit: slice.limit,
    withTotal: true,
    withGroups: projection.includes('groups'),
  }
  if (slice.offset !== undefined) list.offset = slice.offset
  if (slice.after !== undefined) list.after = slice.after
  if (filter !== true) list.filter = filter
  if (sort) list.sort = sort
  return schema.resourceType === 'User'
    ? store.users.list(tenant, list)
    : store.groups.list(tenant, list)
}

/** The JSON texts of records of one type. @throws ScimError tooMany */
export function showRecords(
  { config }: Rules,
  call: Call,
  {
    records,
    projection,
    membersPerAnswer = config.limits.membersPerAnswer,
  }: {
    readonly records: readonly AnyRecord[]
    readonly projection: Projection
    readonly membersPerAnswer?: number
  },
): Promise<BodyText[]> | BodyText[] {
  const users = records.filter((record) => 'userName' in record)
  if (users.length > 0) return showUsers(config.store, call, { records: users, projection })
  const groups = records.filter((record) => 'displayNameKey' in record)
  return showGroups(config.store, call, { records: groups, projection, membersPerAnswer })
}

/** A page of one type by offset. */
export async function listType(
  rules: Rules,
  call: Call,
  {
    query,
    offset,
    limit,
  }: { readonly query: TypeQuery; readonly offset: number; readonly limit: number },
): Promise<Page> {
  const { store } = rules.config
  const { total, records } = await readSlice(store, call, { query, slice: { offset, limit } })
  return { total, texts: await showRecords(rules, call, { records, projection: query.projection }) }
}

/** A page over both types (SC-35): users, then groups; merged when it is sorted. */
export async function listBoth(
  rules: Rules,
  call: Call,
  page: {
    readonly queries: readonly [users: TypeQuery, groups: TypeQuery]
    readonly offset: number
    readonly limit: number
    readonly sorted: boolean
    readonly descending: boolean
  },
): Promise<Page> {
  const { queries, offset, limit } = page
  if (page.sorted) return listMerged(rules, call, page)
  const users = await listType(rules, call, { query: queries[0], offset, limit })
  const groups = await listType(rules, call, {
    query: queries[1],
    offset: Math.max(0, offset - users.total),
    limit: limit - users.texts.length,
  })
  return { total: users.total + groups.total, texts: [...users.texts, ...groups.texts] }
}

interface MergedRow {
  readonly record: AnyRecord
  readonly key: SortKey
  readonly projection: Projection
}

async function listMerged(
  rules: Rules,
  call: Call,
  {
    queries,
    offset,
    limit,
    descending,
  }: {
    readonly queries: readonly [users: TypeQuery, groups: TypeQuery]
    readonly offset: number
    readonly limit: number
    readonly descending: boolean
  },
): Promise<Page> {
  if (offset + limit > MAX_MERGED_ROWS) {
    throw new ScimError('too_many', 'The query reaches too far; query one resource type instead.')
  }
  const { store } = rules.config
  const rows: MergedRow[] = []
  let total = 0
  for (const query of queries) {
    const ordered = query.sort === null ? { ...query, sort: BY_ID } : query
    const slice = { limit: offset + limit }
    const { total: count, records } = await readSlice(store, call, { query: ordered, slice })
    total += count
    const path = query.sort?.path
    const keys = path && (await sortKeys(store, call.tenant, { records, path }))
    for (const [index, record] of records.entries()) {
      const key = keys?.[index] ?? query.constantKey
      rows.push({ record, key, projection: query.projection })
    }
  }
  const sign = descending ? -1 : 1
  const sorted = rows.toSorted(
    (a, b) => sign * compareSortKeys(a.key, b.key) || compareCodePoints(a.record.id, b.record.id),
  )
  return { total, texts: await showMerged(rules, call, sorted.slice(offset, offset + limit)) }
}

/** The texts of records of both types, shown type by type and put back into their order (SH-77). */
async function showMerged(
  rules: Rules,
  call: Call,
  rows: readonly MergedRow[],
): Promise<readonly BodyText[]> {
  const texts = new Map<AnyRecord, BodyText>()
  for (const projection of new Set(rows.map((row) => row.projection))) {
    const records = rows.filter((row) => row.projection === projection).map(({ record }) => record)
    const page = await showRecords(rules, call, { records, projection })
    for (const [index, record] of records.entries()) texts.set(record, page[index] ?? '')
  }
  return rows.map(({ record }) => texts.get(record) ?? '')
}

const ID_PATH: AttributePath = {
  key: 'id',
  urn: null,
  name: 'id',
  sub: null,
  type: 'string',
  caseExact: true,
  multiValued: false,
}
const BY_ID: NonNullable<TypeQuery['sort']> = { path: ID_PATH, descending: false }
