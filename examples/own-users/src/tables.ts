import { openSqlite } from '@x/store-kysely/sqlite'
import { sql, type Generated, type Kysely } from 'kysely'

export type Role = 'member' | 'editor' | 'admin'

/** The app's tables. Those with the prefix `directory_` were added for SCIM. */
export interface Tables {
  organisations: { id: string; name: string }
  users: {
    id: string
    organisation_id: string
    email: string
    name: string | null
    status: 'active' | 'disabled'
  }
  memberships: { user_id: string; organisation_id: string; role: Role }
  directory_groups: { id: string; organisation_id: string; name: string }
  directory_group_members: { group_id: string; user_id: string }
  outbox: { id: Generated<number>; organisation_id: string; type: string; user_id: string }
}

export type Db = Kysely<Tables>

const STATEMENTS = [
  `create table if not exists organisations (id text primary key, name text not null)`,
  `create table if not exists users (id text primary key,
    organisation_id text not null references organisations (id), email text not null, name text,
    status text not null check (status in ('active', 'disabled')))`,
  `create unique index if not exists users_email on users (organisation_id, lower(email))`,
  `create table if not exists memberships (user_id text not null references users (id),
    organisation_id text not null references organisations (id), role text not null,
    primary key (user_id, organisation_id))`,
  `create table if not exists directory_groups (id text primary key,
    organisation_id text not null references organisations (id), name text not null)`,
  `create table if not exists directory_group_members (
    group_id text not null references directory_groups (id),
    user_id text not null references users (id), primary key (group_id, user_id))`,
  `create table if not exists outbox (id integer primary key autoincrement,
    organisation_id text not null, type text not null, user_id text not null)`,
  `insert or ignore into organisations values ('default', 'The first customer')`,
]

export async function openTables(path: string): Promise<Db> {
  const db = openSqlite<Tables>(path)
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  return db
}
