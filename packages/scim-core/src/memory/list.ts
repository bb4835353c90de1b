import { compareSortKeys } from '../filter/compare.ts'
import { compileFilter, sortKey } from '../filter/compile.ts'
import type { ResolvedFilter, SortKey } from '../filter/resolved.ts'
import type { ScimDocument } from '../base/document.ts'
import { compareCodePoints } from '../base/fold.ts'
import type { KeysetPosition, ListedRecords, ListQuery } from '../store/list-query.ts'
import { byCreation, type StoredRecord } from './table.ts'

interface Row<R> {
  readonly record: R
  readonly key: SortKey
}

/** A page of `candidates`, which are in default order. */
export function listPage<R extends StoredRecord>(
  candidates: readonly R[],
  query: ListQuery,
  resourceOf: (record: R) => ScimDocument,
): ListedRecords<R> {
  const { filter, sort, limit } = query
  const matches = filtered(candidates, filter, resourceOf)
  const rows = matches.map((record): Row<R> => ({
    record,
    key: sort === undefined ? null : sortKey(resourceOf(record), sort.path),
  }))
  const order = orderOf(query)
  const sorted = sort === undefined ? rows : rows.toSorted(order)
  const start = query.after === undefined ? (query.offset ?? 0) : behind(sorted, query.after, order)
  const page = sorted.slice(start, start + limit)
  return {
    total: matches.length,
    records: page.map(({ record }) => record),
    ...(sort !== undefined && { keys: page.map(({ key }) => key) }),
  }
}

function filtered<R>(
  candidates: readonly R[],
  filter: ResolvedFilter | undefined,
  resourceOf: (record: R) => ScimDocument,
): readonly R[] {
  if (filter === undefined) return candidates
  const matches = compileFilter(filter)
  return candidates.filter((record) => matches(resourceOf(record)))
}

type KeyedRecord = { readonly record: StoredRecord; readonly key: SortKey }

function orderOf({ sort }: ListQuery): (a: KeyedRecord, b: KeyedRecord) => number {
  if (sort === undefined) return (a, b) => byCreation(a.record, b.record)
  const sign = sort.descending ? -1 : 1
  return (a, b) =>
    sign * compareSortKeys(a.key, b.key) || compareCodePoints(a.record.id, b.record.id)
}

/** Index of the first row after a position. */
function behind(
  rows: readonly KeyedRecord[],
  { id, created, key }: KeysetPosition,
  order: (a: KeyedRecord, b: KeyedRecord) => number,
): number {
  const place: KeyedRecord = { record: { id, created, externalId: null, version: 0 }, key }
  const index = rows.findIndex((row) => order(row, place) > 0)
  return index === -1 ? rows.length : index
}

/** The string `filter` requires an attribute to equal, alone or as a term of `and`. */
export function requiredValue(filter: ResolvedFilter | undefined, key: string): string | undefined {
  switch (filter?.kind) {
    case 'and': {
      for (const term of filter.terms) {
        const text = requiredValue(term, key)
        if (text !== undefined) return text
      }
      return undefined
    }
    case 'compare': {
      const { path, operator, value } = filter
      return path.key === key && operator === 'eq' && typeof value === 'string' ? value : undefined
    }
    case 'element':
      return requiredValue(filter.where, key)
    default:
      return undefined
  }
}
