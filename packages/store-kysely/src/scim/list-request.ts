import type { ListQuery } from '@x/scim-core'
import type { ListCache } from './list-cache.ts'

/** A list that is asked for. */
export interface ListRequest {
  readonly tenant: string
  readonly query: ListQuery
  readonly cache: ListCache
}
