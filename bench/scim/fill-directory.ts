import { migratePortal } from '@x/store-kysely/portal'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { sql, type Kysely } from 'kysely'
import { toGroupRow } from '../../packages/store-kysely/src/scim/group-row.ts'
import { elementRows } from '../../packages/store-kysely/src/scim/search-keys.ts'
import { toUserRow } from '../../packages/store-kysely/src/scim/user-row.ts'
import { TENANT } from './data-set.ts'
import {
  groupRecord,
  membersOf,
  openAny,
  START,
  userRecord,
  type Directory,
} from './directory-data.ts'

type Db = Kysely<unknown>
type Row = Readonly<Record<string, unknown>>

const CHUNK = 5_000

/**
 * Fills an empty database with the rows that the store writes, in bulk: the first user and group through the store,
 * to know that nothing else is written, the others as rows, and the indexes last. A million people take minutes
 * instead of an hour. A database that has users stays as it is.
 */
export async function fillDirectory(address: string, directory: Directory): Promise<void> {
  const db = openAny(address, 0)
  const isServer = address.startsWith('postgres')
  await migrateScim(db)
  await migratePortal(db)
  const filled = await sql`select 1 from scim_user limit 1`.execute(db)
  if (filled.rows.length > 0) return db.destroy()
  const store = createScimStore(db)
  await store.transaction(TENANT, async (tx) => {
    await tx.users.insert(TENANT, userRecord(0))
    await tx.groups.insert(TENANT, groupRecord(0))
  })
  const insert = inserts(db, isServer)
  await withoutIndexes(db, isServer, async () => {
    for (let from = 1; from < directory.users; from += CHUNK) {
      const rows = numbers(from, directory.users).map((index) => {
        const row = toUserRow(userRecord(index))
        // The rows are in the order of their numbers: the first has 1.
        return { seq: index + 1, ...row }
      })
      await insert('scim_user', rows)
      await insert('scim_user_element', rows.flatMap(elementsOf))
    }
    for (let from = 1; from < directory.groups; from += CHUNK) {
      const indexes = numbers(from, directory.groups)
      await insert(
        'scim_group',
        indexes.map((index) => ({ seq: index + 1, ...toGroupRow(groupRecord(index)) })),
      )
    }
    await fillMembers(db, directory, insert)
  })
  if (isServer) {
    for (const table of ['scim_user', 'scim_group'])
      await sql`select setval(pg_get_serial_sequence(${table}, 'seq'), (select max(seq) from ${sql.table(table)}))`.execute(
        db,
      )
    await sql`analyze`.execute(db)
  }
  await db.destroy()
}

function numbers(from: number, end: number): number[] {
  return Array.from({ length: Math.min(CHUNK, end - from) }, (_, at) => from + at)
}

function elementsOf({ seq, data }: { readonly seq: number; readonly data: string }): Row[] {
  const document = JSON.parse(data) as Record<string, unknown>
  return elementRows(document).map((row) => ({ ...row, user_seq: seq, tenant: TENANT }))
}

/** Every group has people that follow one another, from the place that its number has among all. */
async function fillMembers(
  db: Db,
  directory: Directory,
  insert: ReturnType<typeof inserts>,
): Promise<void> {
  const { users, groups } = directory
  await sql`create table bench_range (group_id text, first bigint, size bigint)`.execute(db)
  for (let from = 0; from < groups; from += CHUNK) {
    const rows = numbers(from, groups).map((index) => {
      const size = Math.min(users, membersOf(directory, index))
      const place = Math.floor((index * users) / groups)
      const first = index < 2 ? 0 : Math.min(place, users - size)
      return { group_id: groupRecord(index).id, first, size }
    })
    await insert('bench_range', rows)
  }
  await sql`insert into scim_member (tenant, group_id, added_at, member_id)
    select ${TENANT}, r.group_id, ${START}, u.id from bench_range r join scim_user u
    on u.seq > r.first and u.seq <= r.first + r.size order by r.group_id, u.id`.execute(db)
  await sql`drop table bench_range`.execute(db)
}

/** Rows of a table from one parameter. */
function inserts(db: Db, isServer: boolean) {
  return async (table: string, rows: readonly Row[]): Promise<void> => {
    const [first] = rows
    if (first === undefined) return
    const names = Object.keys(first)
    const columns = sql.join(names.map((name) => sql.ref(name)))
    // A column of JSON is a text in SQLite.
    const values = isServer
      ? rows.map((row) =>
          'search' in row ? { ...row, search: JSON.parse(String(row['search'])) } : row,
        )
      : rows
    const from = isServer
      ? sql`select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(values)}::jsonb)`
      : sql`select ${sql.join(names.map((name) => sql`value ->> ${sql.lit(name)}`))} from json_each(${JSON.stringify(values)})`
    const identity = isServer && 'seq' in first ? sql`overriding system value` : sql``
    await sql`insert into ${sql.table(table)} (${columns}) ${identity} ${from}`.execute(db)
  }
}

/** Indexes that no constraint holds are made when the rows are there. */
async function withoutIndexes(db: Db, isServer: boolean, work: () => Promise<void>): Promise<void> {
  const { rows } = await (
    isServer
      ? sql<{ name: string; sql: string }>`select indexname as name, indexdef as sql from pg_indexes
        where schemaname = current_schema() and tablename like 'scim\_%' and not exists
        (select 1 from pg_constraint where conname = indexname)`
      : sql<{ name: string; sql: string }>`select name, sql from sqlite_master
        where type = 'index' and sql is not null and tbl_name like 'scim%'`
  ).execute(db)
  for (const { name } of rows) await sql`drop index ${sql.table(name)}`.execute(db)
  await work()
  for (const index of rows) await sql.raw(index.sql).execute(db)
}
