import type { ResolvedFilter, SortKey } from '../filter/resolved.ts'
import type { AttributePath } from '../schema/attribute-path.ts'

/** The position of a page's last record in the order of its list. */
export interface KeysetPosition {
  readonly created: Date
  readonly id: string
  /** `sortKey` of the record if the list is sorted, else null. */
  readonly key: SortKey
}

/** The result of a list. */
export interface ListedRecords<Item> {
  readonly total: number
  readonly records: Item[]
  /**
   * Optional, for sorted lists: the `sortKey` of each record, as computed by the store. Otherwise they are
   * recomputed when lists of several types are merged.
   */
  readonly keys?: readonly SortKey[]
}

/**
 * Parameters of a page. Without `sort` the order is created, then id; with it, the sort key (records
 * without one come last ascending and first descending), then id ascending.
 */
export interface ListQuery {
  readonly filter?: ResolvedFilter
  readonly sort?: { readonly path: AttributePath; readonly descending: boolean }
  /** Records to skip. Default 0; never combined with `after`. */
  readonly offset?: number
  /** Only records after this position. The total counts all. */
  readonly after?: KeysetPosition
  /** 0 requests only the total. */
  readonly limit: number
  /** False: the total is not needed and may be returned as 0. */
  readonly withTotal: boolean
  /**
   * The total may be counted no further than to one more than this; of more matches, a store may list the first
   * ones that its indexes find. Default: without a bound.
   */
  readonly countUpTo?: number
  /** For users: their groups will be shown; a store may read them too, into `groups` of the records. */
  readonly withGroups?: boolean
}
