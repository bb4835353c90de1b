import type { ListedRecords, ListQuery } from './list-query.ts'

/** A resource of a host's own type as it is stored. `data` as for users. */
export interface ResourceRecord {
  readonly tenant: string
  readonly id: string
  readonly externalId: string | null
  /** The values that are unique within tenant and type, folded unless they are case-exact. */
  readonly uniqueKeys: Readonly<Record<string, string>>
  readonly data: string
  readonly created: Date
  readonly lastModified: Date
  readonly version: number
}

/**
 * The resources of one type; the methods follow the same rules as those of `GroupStore`. A store without
 * `insert`, `update` or `remove` does not offer the operations that need them.
 */
export interface ResourceStore {
  get(tenant: string, id: string): Promise<ResourceRecord | null>
  list(tenant: string, query: ListQuery): Promise<ListedRecords<ResourceRecord>>
  /** @throws UniqueConflictError `resource.` and the name of the attribute */
  insert?(tenant: string, record: ResourceRecord): Promise<void>
  /** @throws UniqueConflictError likewise */
  update?(tenant: string, record: ResourceRecord, expectedVersion: number): Promise<boolean>
  remove?(tenant: string, id: string): Promise<boolean>
  /** The same as it stands now, for the reads of one request. */
  snapshot?(tenant: string): Promise<ResourceStore>
}
