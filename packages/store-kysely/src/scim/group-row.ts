import { recordData, type GroupRecord } from '@x/scim-core'
import { date } from '../records/columns.ts'
import type { ScimGroupRow } from '../schema/tables/scim.ts'
import { GROUP_COLUMNS, searchDocument } from './search-keys.ts'

/** The columns needed for a record; `tenant` is known. */
export const GROUP_RECORD_COLUMNS = [
  'id',
  'external_id',
  'display_name',
  'display_name_key',
  'unique_key',
  'created',
  'modified',
  'version',
  'data',
] as const

export type GroupRecordRow = Pick<ScimGroupRow, (typeof GROUP_RECORD_COLUMNS)[number]>

/** A row to write. */
export type GroupValues = Omit<ScimGroupRow, 'seq'>

export function fromGroupRow(tenant: string, row: GroupRecordRow): GroupRecord {
  return {
    tenant,
    id: row.id,
    externalId: row.external_id,
    displayName: row.display_name,
    displayNameKey: row.display_name_key,
    uniqueKey: row.unique_key,
    data: row.data,
    created: date.decode(row.created),
    lastModified: date.decode(row.modified),
    version: row.version,
  }
}

export function toGroupRow(record: GroupRecord): GroupValues {
  return {
    tenant: record.tenant,
    id: record.id,
    external_id: record.externalId,
    display_name: record.displayName,
    display_name_key: record.displayNameKey,
    unique_key: record.uniqueKey,
    created: date.encode(record.created),
    modified: date.encode(record.lastModified),
    version: record.version,
    search: searchDocument(recordData(record), GROUP_COLUMNS),
    data: record.data,
  }
}
