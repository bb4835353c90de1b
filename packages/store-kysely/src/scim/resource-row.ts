import { recordData, type ResourceRecord } from '@x/scim-core'
import { date } from '../records/columns.ts'
import type { ScimResourceRow } from '../schema/tables/scim.ts'
import { searchDocument } from './search-keys.ts'

/** The columns needed for a record; tenant and type are known. */
export const RESOURCE_COLUMNS = [
  'id',
  'external_id',
  'created',
  'modified',
  'version',
  'data',
] as const

export type ResourceRecordRow = Pick<ScimResourceRow, (typeof RESOURCE_COLUMNS)[number]>

/** A row to write, without its key. */
export function toResourceRow(
  record: ResourceRecord,
): Omit<ScimResourceRow, 'seq' | 'tenant' | 'type' | 'id'> {
  return {
    external_id: record.externalId,
    created: date.encode(record.created),
    modified: date.encode(record.lastModified),
    version: record.version,
    search: searchDocument(recordData(record), NO_COLUMNS),
    data: record.data,
  }
}

const NO_COLUMNS: ReadonlySet<string> = new Set()

/** The unique values are not read, because the core recomputes them on writes. */
export function fromResourceRow(tenant: string, row: ResourceRecordRow): ResourceRecord {
  return {
    tenant,
    id: row.id,
    externalId: row.external_id,
    uniqueKeys: {},
    data: row.data,
    created: date.decode(row.created),
    lastModified: date.decode(row.modified),
    version: row.version,
  }
}
