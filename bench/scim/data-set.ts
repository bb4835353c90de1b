import { createHash } from 'node:crypto'
import {
  fold,
  createScimService,
  type GroupRecord,
  type ScimStore,
  type UserRecord,
} from '@x/scim-core'
import { migrateFlow } from '@x/store-kysely/flow'
import { linkUsers } from '@x/store-kysely/link'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { openDriver } from './driver.ts'

export const TENANT = 'default'
export const BASE_URL = 'https://scim.example.com/api/v1/scim/v2'
export const TOKEN = 'bench-token-0123456789'
/** `SCIM_BENCH_QUICK=1` fills less: figures of a first look. */
export const USERS = process.env['SCIM_BENCH_QUICK'] === '1' ? 32_000 : 110_000
export const LARGE = { id: uuid('group large'), members: USERS - 10_000 }
export const MIDDLE = { id: uuid('group middle'), members: 20_000 }
export const SMALL = { id: uuid('group small'), members: 10 }

const START = Date.UTC(2026, 0, 1)

/** The id of the user with this number. */
export function userId(index: number): string {
  return uuid(`user ${index}`)
}

export function userName(index: number): string {
  return `user${index}@example.com`
}

/** The body a client sends for the user with this number. */
export function userBody(index: number): Record<string, unknown> {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: `ext-${index}`,
    userName: userName(index),
    ...attributes(index),
    active: true,
  }
}

/** A database of 110,000 users with groups of three sizes, for our server. */
export async function fillStore(path: string): Promise<void> {
  const db = openSqlite(path)
  await migrateScim(db)
  await fill(createScimStore(db))
  await db.destroy()
}

/** The same for the shipped server, whose flow service has the same users. */
export async function fillShipped(path: string): Promise<void> {
  const db = openSqlite(path)
  await migrateFlow(db)
  await migrateScim(db)
  await fill(linkUsers(db).scim)
  await db.destroy()
}

async function fill(store: ScimStore): Promise<void> {
  const groups = [LARGE, MIDDLE, SMALL]
  await store.transaction(TENANT, async (tx) => {
    for (let index = 0; index < USERS; index += 1) await tx.users.insert(TENANT, userRecord(index))
    for (const { id, members } of groups) {
      await tx.groups.insert(TENANT, groupRecord(id))
      const ids = Array.from({ length: members }, (_, index) => userId(index))
      await tx.members.add(TENANT, id, ids, new Date(START))
    }
  })
}

/** The same users as finished JSON texts in one table, for the bound. */
export async function fillBound(path: string, from: string): Promise<void> {
  const db = openSqlite(from)
  const { users } = createScimService({
    store: createScimStore(db),
    baseUrl: BASE_URL,
    auth: { kind: 'token', token: TOKEN },
    maxPageSize: 5000,
  })
  const driver = openDriver(path)
  driver.exec(`create table user (seq integer primary key, id text unique,
    user_name_key text unique, json text)`)
  const insert = driver.prepare('insert into user (id, user_name_key, json) values (?, ?, ?)')
  for (let startIndex = 1; startIndex <= USERS; startIndex += 5000) {
    const { Resources } = await users.list(TENANT, { startIndex, count: 5000 })
    driver.exec('begin')
    for (const user of Resources) insert.run(user.id, fold(user.userName), JSON.stringify(user))
    driver.exec('commit')
  }
  await db.destroy()
}

function attributes(index: number): Record<string, unknown> {
  const [given, family] = [`Given${index}`, `Family${index % 1000}`]
  return {
    displayName: `${given} ${family}`,
    name: { givenName: given, familyName: family },
    title: 'Engineer',
    emails: [{ value: userName(index), type: 'work', primary: true }],
  }
}

function userRecord(index: number): UserRecord {
  const at = new Date(START + index)
  return {
    tenant: TENANT,
    id: userId(index),
    externalId: `ext-${index}`,
    userName: userName(index),
    userNameKey: fold(userName(index)),
    active: true,
    data: JSON.stringify(attributes(index)),
    created: at,
    lastModified: at,
    version: 1,
    deletedAt: null,
  }
}

function groupRecord(id: string): GroupRecord {
  const at = new Date(START)
  return {
    tenant: TENANT,
    id,
    externalId: null,
    displayName: id,
    displayNameKey: fold(id),
    uniqueKey: fold(id),
    data: '{}',
    created: at,
    lastModified: at,
    version: 1,
  }
}

export function uuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([a, b]) => hex.slice(a, b))
    .join('-')
}
