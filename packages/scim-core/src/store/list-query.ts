import type { ResolvedFilter, SortKey } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'

/** The place of the last record of a page in the order of its list. */
export interface KeysetPosition {
  readonly created: Date
  readonly id: string
  /** `sortKey` of the record when the list is sorted, else null. */
  readonly key: SortKey
}

/** The result of a list. */
export interface ListedRecords<Item> {
  readonly total: number
  readonly records: Item[]
  /**
   * Optional, of a sorted list: the `sortKey` of each record, which a store has computed for the order. Without
   * them they are computed again where lists of several types are merged.
   */
  readonly keys?: readonly SortKey[]
}

/**
 * One page. Without `sort` the order is created, then id; with it, the sort key (records without
 * come last ascending and first descending), then id ascending (SC-31, SC-32).
 */
export interface ListQuery {
  readonly filter?: ResolvedFilter
  readonly sort?: { readonly path: AttributePath; readonly descending: boolean }
  /** Records left out at the start, 0 by default; never together with `after`. */
  readonly offset?: number
  /** Only records after this position. The total counts all. */
  readonly after?: KeysetPosition
  /** 0 asks for the total only. */
  readonly limit: number
  /** False: the total is not wanted and may be given as 0. */
  readonly withTotal: boolean
  /**
   * For users: their groups will be shown; a store may read them along, into `groups` of the records.
   */
  readonly withGroups?: boolean
}
