import type { Page, Slice } from '@x/flow-engine/store'
import { sql, type RawBuilder } from 'kysely'
import type { Rows } from '../records/rows.ts'

/** `limit` and `offset` of a slice; empty if all rows are requested. */
export function sliceOf({ offset = 0, limit = null }: Slice): RawBuilder<unknown> {
  if (limit === null && offset === 0) return sql``
  return sql`limit ${limit ?? Number.MAX_SAFE_INTEGER} offset ${offset}`
}

/** A slice of the rows that match `where`, and their total number. */
export async function pageOf<Value>(
  rows: Rows<Value>,
  slice: Slice,
  query: { readonly where: RawBuilder<unknown>; readonly order: RawBuilder<unknown> },
): Promise<Page<Value>> {
  const { where, order } = query
  const items = await rows.select(sql`where ${where} order by ${order} ${sliceOf(slice)}`)
  const whole = (slice.offset ?? 0) === 0 && (slice.limit ?? null) === null
  return { items, total: whole ? items.length : await rows.count(where) }
}
