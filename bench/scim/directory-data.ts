import { fold, type GroupRecord, type UserRecord } from '@x/scim-core'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'
import { TENANT, userBody, userId, userName, uuid } from './data-set.ts'

/** The sizes of a directory. */
export interface Directory {
  readonly users: number
  readonly groups: number
}

export const START = Date.UTC(2026, 0, 1)
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
/** One of so many is inactive. */
const INACTIVE = 50

export const groupId = (index: number): string => uuid(`group ${index}`)

/** Half of all people, a twentieth of them, then 10 to 200; the last one is empty. */
export function membersOf({ users, groups }: Directory, index: number): number {
  if (index === 0) return Math.floor(users / 2)
  // At least the people of a page, so that a page of either directory shows the same.
  if (index === 1) return Math.max(100, Math.floor(users / 20))
  if (index === groups - 1) return 0
  return index === 2 ? 10 : 10 + ((index * 37) % 190)
}

/** A database of a server or a file; `statementTimeoutMs` of a server, 0: none. */
export function openAny(address: string, statementTimeoutMs?: number): Kysely<unknown> {
  return address.startsWith('postgres')
    ? openPostgres<unknown>(address, statementTimeoutMs === undefined ? {} : { statementTimeoutMs })
    : openSqlite<unknown>(address)
}

export function userRecord(index: number): UserRecord {
  const { userName: _name, externalId: _id, active: _is, schemas: _urns, ...data } = userBody(index)
  const at = new Date(START + index)
  return {
    tenant: TENANT,
    id: userId(index),
    externalId: `ext-${index}`,
    userName: userName(index),
    userNameKey: fold(userName(index)),
    active: index % INACTIVE !== 1,
    data: JSON.stringify({ ...data, [ENTERPRISE]: { department: `D${index % 100}` } }),
    created: at,
    lastModified: at,
    version: 1,
    deletedAt: null,
  }
}

export function groupRecord(index: number): GroupRecord {
  const at = new Date(START + index)
  const name = `Group ${index}`
  return {
    tenant: TENANT,
    id: groupId(index),
    externalId: null,
    displayName: name,
    displayNameKey: fold(name),
    uniqueKey: fold(name),
    data: '{}',
    created: at,
    lastModified: at,
    version: 1,
  }
}
