/** The part of better-sqlite3's statement that is used; libsql has the same. */
export interface SqliteStatement {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): {
    changes: number | bigint
    lastInsertRowid: number | bigint
  }
}

/** The part of better-sqlite3's database that is used; libsql has the same. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  pragma(text: string): unknown
  exec(sql: string): void
  close(): void
}

/** A prepared statement, and whether it gives rows: asking the driver costs as much as a small query. */
export interface PreparedStatement {
  readonly statement: SqliteStatement
  readonly reader: boolean
}

/**
 * Keeps the last used prepared statements of one connection, so that a query is compiled once. They
 * are kept in two generations: when the young one is full it becomes the old one, and what was not
 * used since is dropped. Finding a statement thus moves nothing.
 */
export class StatementCache {
  readonly #database: SqliteDatabase
  readonly #generation: number
  #young = new Map<string, PreparedStatement>()
  #old = new Map<string, PreparedStatement>()

  /** `limit` is the most that is kept. */
  constructor(database: SqliteDatabase, limit: number) {
    this.#database = database
    this.#generation = Math.max(1, Math.floor(limit / 2))
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(sql: string): PreparedStatement {
    const known = this.#young.get(sql)
    if (known !== undefined) return known
    const prepared = this.#old.get(sql) ?? this.#prepare(sql)
    this.#old.delete(sql)
    if (this.#young.size >= this.#generation) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(sql, prepared)
    return prepared
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  #prepare(sql: string): PreparedStatement {
    const statement = this.#database.prepare(sql)
    return { statement, reader: statement.reader }
  }
}
