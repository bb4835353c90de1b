import type { ListQuery } from '@x/scim-core'
import type { ListCache } from './list-cache.ts'

/** A requested list. */
export interface ListRequest {
  readonly tenant: string
  readonly query: ListQuery
  readonly cache: ListCache
}
