import { append } from '@x/wire'
import { sha256Hex } from '../../base/digest.ts'
import { invalidValue, ScimError } from '../../base/errors.ts'
import { sortKey } from '../../filter/compile.ts'
import type { Cursors, CursorScope, CursorState } from '../../resource/cursor.ts'
import { recordResource, referenceNeeds } from '../../resource/record-resource.ts'
import type { Call } from '../../rules/call.ts'
import { prepareQuery, readSlice, showRecords, type TypeQuery } from '../../rules/lists.ts'
import type { ResourceTypeName } from '../../schema/registry.ts'
import type { AnyRecord, Service } from '../../rules/service.ts'
import type { ListRequest } from '../../rules/list-request.ts'
import type { BodyText } from '../../resource/body-text.ts'
import { listedTypes } from './listed-types.ts'
import { listText } from '../list-text.ts'
import { reply, type Reply } from '../reply.ts'

interface CursorRequest {
  readonly type: ResourceTypeName | null
  readonly request: ListRequest
  /** Empty: the first page. */
  readonly cursor: string
  readonly cursors: Cursors
}

/** A page of a list with cursor paging (RFC 9865). */
export async function listByCursor(
  service: Service,
  call: Call,
  { type, request, cursor, cursors }: CursorRequest,
): Promise<Reply> {
  if (request.startIndex !== undefined) {
    throw invalidValue('cursor and startIndex cannot be used together.')
  }
  const scope: CursorScope = { fingerprint: fingerprintOf(type, request), tenant: call.tenant }
  const from = cursor === '' ? null : cursors.read(cursor, scope, call.now)
  const count = pageCount(service.config, request.count, from)
  const queries = (type === null ? listedTypes(service.config) : [type]).map((name) =>
    prepareQuery(service, call, { type: name, request, root: type === null }),
  )
  assertWalkable(queries, request)
  const { total, rows } = await collect(service, call, { queries, from, count })
  const page = rows.slice(0, count)
  const texts: BodyText[] = []
  for (const query of queries) {
    const records = page.filter((row) => row.query === query).map(({ record }) => record)
    const { projection } = query
    append(texts, await showRecords(service, call, { records, projection }))
  }
  const last = rows.length > count ? page.at(-1) : undefined
  const next = last && cursors.write({ ...placeOf(last), count }, scope, call.now)
  return reply(200, listText({ total, texts }, next === undefined ? '' : `,"nextCursor":"${next}"`))
}

function pageCount(
  { pageSize, maxPageSize }: { readonly pageSize: number; readonly maxPageSize: number },
  given: number | undefined,
  from: CursorState | null,
): number {
  const count = Math.max(0, given ?? from?.count ?? pageSize)
  if (count > maxPageSize)
    throw new ScimError('invalid_count', `A page has at most ${maxPageSize} resources.`)
  if (from !== null && count !== from.count) {
    throw new ScimError('invalid_count', 'count must be the same on every page of a cursor.')
  }
  return count
}

function fingerprintOf(type: ResourceTypeName | null, request: ListRequest): string {
  const { filter, sortBy, descending, attributes, excludedAttributes } = request
  return sha256Hex(
    JSON.stringify([type, filter, sortBy, descending, attributes ?? [], excludedAttributes ?? []]),
  )
}

/** Cursors are not supported for sort keys outside the record, or over several types. */
function assertWalkable(queries: readonly TypeQuery[], { sortBy }: ListRequest): void {
  const computed = queries.some(({ sort }) =>
    Object.values(referenceNeeds(undefined, sort?.path)).includes(true),
  )
  if (computed || (queries.length > 1 && sortBy !== undefined)) {
    throw new ScimError('too_many', 'This order cannot be walked by cursor.')
  }
}

interface Row {
  readonly record: AnyRecord
  readonly query: TypeQuery
}

/** Up to `count + 1` records after a position, from one list after the other. */
async function collect(
  service: Service,
  call: Call,
  {
    queries,
    from,
    count,
  }: {
    readonly queries: readonly TypeQuery[]
    readonly from: CursorState | null
    readonly count: number
  },
): Promise<{ total: number; rows: readonly Row[] }> {
  const start = queries.findIndex(({ schema }) => schema.resourceType === from?.type)
  const rows: Row[] = []
  let total = 0
  for (const [index, query] of queries.entries()) {
    const after = index === start ? from?.position : undefined
    const limit = index < start || count === 0 ? 0 : count + 1 - rows.length
    const slice = { limit, ...(after !== undefined && { after }) }
    const part = await readSlice(service, call, { query, slice })
    total += part.total
    for (const record of part.records) rows.push({ record, query })
  }
  return { total, rows }
}

function placeOf({ record, query }: Row): Omit<CursorState, 'count'> {
  const { created, id } = record
  const key = query.sort ? sortKey(recordResource(record), query.sort.path) : null
  return { type: query.schema.resourceType, position: { created, id, key } }
}
