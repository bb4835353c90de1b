import { append } from '@x/wire'
import { invalidValue, isScimError, ScimError, quoteValue } from '../base/errors.ts'
import { compareSortKeys } from '../filter/compare.ts'
import { parseFilter, parsePathAst } from '../filter/parse.ts'
import type { ResolvedFilter, SortKey } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import { resolveFilter, withPrefix } from '../filter/resolve.ts'
import type { ListRequest } from './list-request.ts'
import { compareCodePoints, fold } from '../base/fold.ts'
import type { BodyText } from '../resource/body-text.ts'
import { createProjection, type Projection } from '../resource/project.ts'
import {
  findPath,
  isNeverShown,
  toAttributePath,
  withValueSub,
  type PathQuirks,
} from '../schema/find-path.ts'
import { schemaOf, type ResourceSchema, type ResourceTypeName } from '../schema/registry.ts'
import type { KeysetPosition, ListedRecords, ListQuery } from '../store/list-query.ts'
import type { ResourceRecord } from '../store/resources.ts'
import { recordData, type ScimDocument } from '../base/document.ts'
import { fillAssigned, snapshotOf } from './assigned.ts'
import type { Call, Rules } from './call.ts'
import type { AnyRecord } from './service.ts'
import { checkFilterWork, checkMembershipWork, isFilterWork } from './filter-work.ts'
import { showGroups } from './show-groups.ts'
import { showUsers } from './show-users.ts'
import { sortKeys } from './sort-keys.ts'

/** A page of resources as JSON. */
export interface Page {
  readonly total: number
  readonly texts: readonly BodyText[]
}

/** A query resolved for one schema. */
export interface TypeQuery {
  readonly schema: ResourceSchema
  /** `false`: nothing matches; `true`: everything does. */
  readonly filter: ResolvedFilter | boolean
  /** null: unsorted, or sorted by a value that all resources of the type share. */
  readonly sort: ListQuery['sort'] | null
  /** That shared value if `sort` is null. */
  readonly constantKey: SortKey
  readonly projection: Projection
}

interface Slice {
  readonly offset?: number | undefined
  readonly after?: KeysetPosition | undefined
  readonly countUpTo?: number | undefined
  readonly limit: number
}

/** Maximum number of records a sorted query over all types may read (`tooMany`). */
const MAX_MERGED_ROWS = 10_000

/**
 * Resolves a query for the schema of a type.
 * @param root true if attributes the type lacks are absent rather than an error
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
  const schema = schemaOf(schemas, type)
  const { baseUrl } = call.presenter
  const filter =
    request.filter === undefined ||
    resolveFilter(parseFilter(request.filter, filterLimits), schema, {
      booleanStrings: quirks.booleanStrings,
      pathQuirks: quirks,
      unknownIsAbsent: root,
      baseUrl,
      versioned: etag,
    })
  const { sort, constantKey } = prepareSort(request, { schema, quirks, baseUrl, root })
  return {
    schema,
    filter,
    sort,
    constantKey,
    projection: createProjection(request, schema, quirks),
  }
}

function prepareSort(
  { sortBy, descending }: ListRequest,
  scope: {
    readonly schema: ResourceSchema
    readonly quirks: PathQuirks
    readonly baseUrl: string
    readonly root: boolean
  },
): Pick<TypeQuery, 'sort' | 'constantKey'> {
  if (sortBy === undefined) return { sort: null, constantKey: null }
  const { schema, quirks, baseUrl, root } = scope
  const found = findPath(schema, parseSortPath(sortBy), quirks)
  if (found === undefined && root) return { sort: null, constantKey: null }
  const whole = found && withValueSub(found)
  const path = whole && toAttributePath(whole)
  if (path === undefined || path.type === 'complex' || (whole && isNeverShown(whole))) {
    throw invalidValue(`Resources cannot be sorted by ${quoteValue(sortBy)}.`)
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
  throw invalidValue(`Resources cannot be sorted by ${quoteValue(text)}.`)
}

/** The records of one type in a slice of a query. */
export async function readSlice(
  rules: Rules,
  call: Call,
  { query, slice }: { readonly query: TypeQuery; readonly slice: Slice },
): Promise<ListedRecords<AnyRecord>> {
  const { filter, sort, schema, projection } = query
  if (filter === false) return { total: 0, records: [] }
  const list: { -readonly [Key in keyof ListQuery]: ListQuery[Key] } = {
    limit: slice.limit,
    withTotal: true,
    withGroups: projection.includes('groups'),
  }
  if (slice.offset !== undefined) list.offset = slice.offset
  if (slice.after !== undefined) list.after = slice.after
  if (slice.countUpTo !== undefined) list.countUpTo = slice.countUpTo
  if (filter !== true) list.filter = filter
  if (sort) list.sort = sort
  const lister = listerOf(rules, call, schema)
  const read = lister instanceof Promise ? await lister : lister
  const { store, limits } = rules.config
  const { filterComparisons } = limits
  const { countAll } = store.members
  const isPrincipal = schema.resourceType === 'User' || schema.resourceType === 'Group'
  if (filter !== true && isPrincipal && countAll !== undefined) {
    await checkMembershipWork(filter, filterComparisons, (most) => countAll(call.tenant, most))
  }
  if (filter !== true && isFilterWork(filter)) {
    const every: ListQuery = { limit: 0, withTotal: true, withGroups: false }
    await checkFilterWork(filter, filterComparisons, async () => (await read(every)).total)
  }
  return await read(list)
}

type List = (query: ListQuery) => Promise<ListedRecords<AnyRecord>>

/** Lists the resources of a type. */
function listerOf(
  rules: Rules,
  call: Call,
  { resourceType }: ResourceSchema,
): Promise<List> | List {
  const { store } = rules.config
  const { tenant } = call
  if (resourceType === 'User') return (query) => store.users.list(tenant, query)
  if (resourceType === 'Group') return (query) => store.groups.list(tenant, query)
  return snapshotOf(rules, call, resourceType).then(
    (snapshot) => async (query) => snapshot.list(tenant, query),
  )
}

/** Serialises records of one type. @throws ScimError tooMany */
export function showRecords(
  rules: Rules,
  call: Call,
  {
    records,
    projection,
    membersPerAnswer = rules.config.limits.membersPerAnswer,
  }: {
    readonly records: readonly AnyRecord[]
    readonly projection: Projection
    readonly membersPerAnswer?: number
  },
): Promise<BodyText[]> | BodyText[] {
  const { store, types } = rules.config
  const users = records.filter((record) => 'userName' in record)
  if (users.length > 0) {
    const texts = showUsers(store, call, { records: users, projection })
    if (types.size === 0) return texts
    return Promise.resolve(texts).then((whole) => fillAssigned(rules, call, whole))
  }
  const own = records.filter((record) => 'uniqueKeys' in record)
  if (own.length > 0) return own.map((record) => showResource(call, record, projection))
  const groups = records.filter((record) => 'displayNameKey' in record)
  return showGroups(store, call, { records: groups, projection, membersPerAnswer })
}

const ENTITLEMENT = 'urn:okta:scim:schemas:core:1.0:Entitlement'

/** Okta entitlements without a type show the name of their resource type. */
function withType(record: ResourceRecord, { urn, resourceType }: ResourceSchema): ResourceRecord {
  if (urn !== ENTITLEMENT) return record
  const data = recordData(record)
  if (data['type'] !== undefined) return record
  return { ...record, data: JSON.stringify({ type: resourceType, ...data }) }
}

function showResource(
  { presenter }: Call,
  record: ResourceRecord,
  { whole, apply, schema }: Projection,
): string {
  const text = presenter.resource(schema.resourceType, withType(record, schema))
  // The JSON was created by the presenter, so it is an object.
  return whole ? text : JSON.stringify(apply(JSON.parse(text) as ScimDocument))
}

/** A list with more results is no question about somebody. */
const FEW = 10

/** A page of one type, and the position of its last record. */
export async function listType(
  rules: Rules,
  call: Call,
  { query, ...slice }: { readonly query: TypeQuery } & Slice,
): Promise<Page & { readonly last: Pick<AnyRecord, 'id' | 'created'> | undefined }> {
  const { total, records } = await readSlice(rules, call, { query, slice })
  const isUser = query.schema.resourceType === 'User'
  if (isUser && records.length <= FEW) call.trace.listed = records.map(({ id }) => id)
  const texts = showRecords(rules, call, { records, projection: query.projection })
  return { total, texts: texts instanceof Promise ? await texts : texts, last: records.at(-1) }
}

/** A page over all types: users, groups, then the host's own; merged if it is sorted. */
export async function listAll(
  rules: Rules,
  call: Call,
  page: {
    readonly queries: readonly TypeQuery[]
    readonly offset: number
    readonly limit: number
    readonly sorted: boolean
    readonly descending: boolean
  },
): Promise<Page> {
  if (page.sorted) return listMerged(rules, call, page)
  const texts: BodyText[] = []
  let total = 0
  for (const query of page.queries) {
    const offset = Math.max(0, page.offset - total)
    const part = await listType(rules, call, { query, offset, limit: page.limit - texts.length })
    total += part.total
    append(texts, part.texts)
  }
  return { total, texts }
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
    readonly queries: readonly TypeQuery[]
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
    const page = await readSlice(rules, call, { query: ordered, slice })
    const { records } = page
    total += page.total
    const path = query.sort?.path
    const keys = path && (page.keys ?? (await sortKeys(store, call.tenant, { records, path })))
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

/** Serialises records of all types, type by type, and restores their order. */
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
