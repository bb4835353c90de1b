import { isObject } from '@x/wire'
import { fold, groupNameKey } from '../base/fold.ts'
import type { ScanGroup, ScanMember, ScanUser, ScanRequest } from './types.ts'

type Test<Row> = (row: Row) => boolean

const EVERY = (): boolean => true
const NONE = (): boolean => false

/**
 * Filters the requested rows. A host may return more, and creating records of them all would dominate the
 * cost of the request.
 */
export function userTest(wanted: ScanRequest['users']): Test<ScanUser> {
  if (typeof wanted === 'object' && 'userNameKey' in wanted) {
    return ({ userName }) => fold(userName) === wanted.userNameKey
  }
  if (typeof wanted === 'object' && 'addressKeys' in wanted) {
    const keys = new Set(wanted.addressKeys)
    return (row) => addressesOf(row).some((address) => keys.has(fold(address)))
  }
  return rowTest(wanted)
}

export function groupTest(wanted: ScanRequest['groups']): Test<ScanGroup> {
  if (typeof wanted === 'object' && 'displayNameKey' in wanted) {
    return ({ displayName }) => groupNameKey(displayName) === wanted.displayNameKey
  }
  return rowTest(wanted)
}

export function memberTest(wanted: ScanRequest['members']): Test<ScanMember> {
  if (wanted === 'all') return EVERY
  if (wanted === 'none') return NONE
  const ids = new Set('groupIds' in wanted ? wanted.groupIds : wanted.memberIds)
  return 'groupIds' in wanted
    ? ({ groupId }) => ids.has(groupId)
    : ({ memberId }) => ids.has(memberId)
}

/** The userName and all e-mail addresses of a user, as stored. */
export function addressesOf({ userName, attributes }: ScanUser): readonly string[] {
  const emails: unknown = attributes?.['emails']
  const values = Array.isArray(emails)
    ? emails.map((one: unknown) => isObject(one) && one['value'])
    : []
  return [userName, ...values.filter((value) => typeof value === 'string')]
}

function rowTest(
  wanted:
    | 'all'
    | 'none'
    | { readonly ids: readonly string[] }
    | { readonly externalId: string }
    | { readonly page: unknown },
): Test<ScanUser | ScanGroup> {
  if (wanted === 'none') return NONE
  if (wanted === 'all' || 'page' in wanted) return EVERY
  if ('externalId' in wanted) return ({ externalId }) => externalId === wanted.externalId
  const ids = new Set(wanted.ids)
  return ({ id }) => ids.has(id)
}
