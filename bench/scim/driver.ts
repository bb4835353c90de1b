import { createRequire } from 'node:module'

/** The part of better-sqlite3 and libsql that the bound and the peer use; both share it. */
export interface Driver {
  exec(sql: string): unknown
  prepare(sql: string): Statement
}

export interface Statement {
  run(...values: readonly unknown[]): unknown
  get(...values: readonly unknown[]): unknown
  all(...values: readonly unknown[]): readonly unknown[]
}

/** The driver that the store opens on this Node, with the settings of the store. */
export function openDriver(path: string): Driver {
  const load = createRequire(new URL('../../packages/store-kysely/package.json', import.meta.url))
  const name = Number(process.versions.napi) >= 10 ? 'better-sqlite3' : 'libsql'
  const Database = load(name) as new (path: string) => Driver
  const database = new Database(path)
  database.exec('pragma journal_mode = WAL')
  database.exec('pragma synchronous = FULL')
  database.exec('pragma cache_size = -32768')
  return database
}
