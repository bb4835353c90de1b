import type { ListedRecords, ListQuery } from './list-query.ts'

/** A stored resource of a host's own type. `data` as for users. */
export interface ResourceRecord {
  readonly tenant: string
  readonly id: string
  readonly externalId: string | null
  /** Values that are unique within tenant and type, folded unless they are case-exact. */
  readonly uniqueKeys: Readonly<Record<string, string>>
  readonly data: string
  readonly created: Date
  readonly lastModified: Date
  readonly version: number
}

/**
 * The resources of one type; the same rules apply as for `GroupStore`. Operations that need a missing
 * `insert`, `update` or `remove` are not offered.
 */
export interface ResourceStore {
  get(tenant: string, id: string): Promise<ResourceRecord | null>
  list(tenant: string, query: ListQuery): Promise<ListedRecords<ResourceRecord>>
  /** @throws UniqueConflictError `resource.` followed by the name of the attribute */
  insert?(tenant: string, record: ResourceRecord): Promise<void>
  /** @throws UniqueConflictError `resource.` followed by the name of the attribute */
  update?(tenant: string, record: ResourceRecord, expectedVersion: number): Promise<boolean>
  remove?(tenant: string, id: string): Promise<boolean>
  /** A snapshot for the reads of one request. */
  snapshot?(tenant: string): Promise<ResourceStore>
}
