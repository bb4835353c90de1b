import { invalidValue } from '../base/errors.ts'
import { recordData, cacheParsedData, type ScimDocument } from '../base/document.ts'
import { groupNameKey } from '../base/fold.ts'
import type { GroupRecord } from '../store/groups.ts'

/** All writable attributes of a group except its members. */
export function groupDocument(record: GroupRecord): ScimDocument {
  const { displayName, externalId } = record
  const named = externalId === null ? { displayName } : { displayName, externalId }
  return Object.assign(named, recordData(record))
}

/** The record fields derived from its attributes. */
export function groupFields(
  document: ScimDocument,
  uniqueNames: boolean,
): Pick<GroupRecord, 'displayName' | 'displayNameKey' | 'uniqueKey' | 'externalId' | 'data'> {
  const { displayName, externalId, ...rest } = document
  if (typeof displayName !== 'string') throw invalidValue('The attribute displayName is required.')
  if (displayName.trim() === '') {
    throw invalidValue('The attribute displayName must not be white space only.')
  }
  const displayNameKey = groupNameKey(displayName)
  return {
    displayName,
    displayNameKey,
    uniqueKey: uniqueNames ? displayNameKey : null,
    externalId: typeof externalId === 'string' ? externalId : null,
    data: JSON.stringify(rest),
  }
}

/** The next version of a record with other attributes. */
export function withGroupDocument(
  record: GroupRecord,
  document: ScimDocument,
  { uniqueNames, at }: { readonly uniqueNames: boolean; readonly at: Date },
): GroupRecord {
  const { displayName: _displayName, externalId: _externalId, ...rest } = document
  const { tenant, id, created, version } = record
  const fields = groupFields(document, uniqueNames)
  const uniqueKey =
    fields.displayName === record.displayName ? keptKey(record, uniqueNames) : fields.uniqueKey
  const next = { tenant, id, ...fields, uniqueKey, created, lastModified: at, version: version + 1 }
  cacheParsedData(next, rest)
  return next
}

/** The next version of a record if only its members changed. */
export function touchedGroup(
  record: GroupRecord,
  { uniqueNames, at }: { readonly uniqueNames: boolean; readonly at: Date },
): GroupRecord {
  const uniqueKey = keptKey(record, uniqueNames)
  const next = { ...record, uniqueKey, lastModified: at, version: record.version + 1 }
  cacheParsedData(next, recordData(record))
  return next
}

/** A group from before a rule about names keeps its key until it is renamed. */
function keptKey(record: GroupRecord, uniqueNames: boolean): string | null {
  return uniqueNames ? (record.uniqueKey ?? record.displayNameKey) : null
}
