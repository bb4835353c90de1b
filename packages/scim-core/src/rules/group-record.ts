import { invalidValue } from '../errors.ts'
import { recordData, rememberData, type ScimDocument } from '../resource/document.ts'
import { fold } from '../resource/fold.ts'
import type { GroupRecord } from '../store/groups.ts'

/** All writable attributes of a group but its members. */
export function groupDocument(record: GroupRecord): ScimDocument {
  const { displayName, externalId } = record
  return { displayName, ...(externalId !== null && { externalId }), ...recordData(record) }
}

/** The fields of a record that follow from its attributes. */
export function groupFields(
  document: ScimDocument,
  uniqueNames: boolean,
): Pick<GroupRecord, 'displayName' | 'displayNameKey' | 'uniqueKey' | 'externalId' | 'data'> {
  const { displayName, externalId, ...rest } = document
  if (typeof displayName !== 'string') throw invalidValue('The attribute displayName is required.')
  const displayNameKey = fold(displayName)
  return {
    displayName,
    displayNameKey,
    uniqueKey: uniqueNames ? displayNameKey : null,
    externalId: typeof externalId === 'string' ? externalId : null,
    data: JSON.stringify(rest),
  }
}

/** The record with other attributes. */
export function withGroupDocument(
  record: GroupRecord,
  document: ScimDocument,
  uniqueNames: boolean,
): GroupRecord {
  const { displayName: _displayName, externalId: _externalId, ...rest } = document
  const next = { ...record, ...groupFields(document, uniqueNames) }
  rememberData(next, rest)
  return next
}
