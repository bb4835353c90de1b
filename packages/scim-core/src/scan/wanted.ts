import { fold } from '../base/fold.ts'
import type { ScanGroup, ScanMember, ScanUser, ScanWant } from './types.ts'

type Test<Row> = (row: Row) => boolean

const EVERY = (): boolean => true
const NONE = (): boolean => false

/**
 * Filters the requested rows. A host may return more, and creating records of them all would dominate the
 * cost of the request.
 */
export function userTest(want: ScanWant['users']): Test<ScanUser> {
  if (typeof want === 'object' && 'userNameKey' in want) {
    return ({ userName }) => fold(userName) === want.userNameKey
  }
  return rowTest(want)
}

export function groupTest(want: ScanWant['groups']): Test<ScanGroup> {
  if (typeof want === 'object' && 'displayNameKey' in want) {
    return ({ displayName }) => fold(displayName) === want.displayNameKey
  }
  return rowTest(want)
}

export function memberTest(want: ScanWant['members']): Test<ScanMember> {
  if (want === 'all') return EVERY
  if (want === 'none') return NONE
  const ids = new Set('groupIds' in want ? want.groupIds : want.memberIds)
  return 'groupIds' in want
    ? ({ groupId }) => ids.has(groupId)
    : ({ memberId }) => ids.has(memberId)
}

function rowTest(
  want:
    | 'all'
    | 'none'
    | { readonly ids: readonly string[] }
    | { readonly externalId: string }
    | { readonly page: unknown },
): Test<ScanUser | ScanGroup> {
  if (want === 'none') return NONE
  if (want === 'all' || 'page' in want) return EVERY
  if ('externalId' in want) return ({ externalId }) => externalId === want.externalId
  const ids = new Set(want.ids)
  return ({ id }) => ids.has(id)
}
