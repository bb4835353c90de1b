import { fold, type GroupRecord, type UserRecord } from '@x/scim-core'
import { migratePortal } from '@x/store-kysely/portal'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { sql, type Kysely } from 'kysely'
import { TENANT, userBody, userId, userName, uuid } from './data-set.ts'

/** The sizes of a directory. */
export interface Directory {
  readonly users: number
  readonly groups: number
}

const START = Date.UTC(2026, 0, 1)
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
/** Transactions at once, and users of each. */
const WRITERS = 8
const CHUNK = 2_000
/** One of so many is inactive. */
const INACTIVE = 50

export const groupId = (index: number): string => uuid(`group ${index}`)

/** Half of all people, a twentieth of them, then 10 to 200; the last one is empty. */
export function membersOf({ users, groups }: Directory, index: number): number {
  if (index === 0) return Math.floor(users / 2)
  if (index === 1) return Math.floor(users / 20)
  if (index === groups - 1) return 0
  return index === 2 ? 10 : 10 + ((index * 37) % 190)
}

/** A database of a server or a file. */
export function openAny(address: string): Kysely<unknown> {
  return address.startsWith('postgres')
    ? openPostgres<unknown>(address)
    : openSqlite<unknown>(address)
}

/** Fills an empty database through the store, and has PostgreSQL look at it. */
export async function fillDirectory(address: string, directory: Directory): Promise<void> {
  const db = openAny(address)
  await migrateScim(db)
  await migratePortal(db)
  const store = createScimStore(db)
  const { users, groups } = directory
  let next = 0
  const writer = async (): Promise<void> => {
    while (next < users) {
      const from = next
      next += CHUNK
      await store.transaction(TENANT, async (tx) => {
        for (let index = from; index < Math.min(users, from + CHUNK); index += 1)
          await tx.users.insert(TENANT, userRecord(index))
      })
    }
  }
  const isServer = address.startsWith('postgres')
  await Promise.all(Array.from({ length: isServer ? WRITERS : 1 }, writer))
  for (let from = 0; from < groups; from += CHUNK) {
    await store.transaction(TENANT, async (tx) => {
      for (let index = from; index < Math.min(groups, from + CHUNK); index += 1) {
        await tx.groups.insert(TENANT, groupRecord(index))
        const size = Math.min(users, membersOf(directory, index))
        const first = size > 200 ? 0 : (index * 97) % users
        const ids = Array.from({ length: size }, (_, at) => userId((first + at) % users))
        for (let at = 0; at < size; at += 10_000)
          await tx.members.add(TENANT, groupId(index), ids.slice(at, at + 10_000), new Date(START))
      }
    })
  }
  if (isServer) await sql`analyze`.execute(db)
  await db.destroy()
}

function userRecord(index: number): UserRecord {
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

function groupRecord(index: number): GroupRecord {
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
