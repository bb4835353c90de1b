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

/** Keeps the last used prepared statements of one connection, so that a query is compiled once. */
export class StatementCache {
  readonly #database: SqliteDatabase
  readonly #limit: number
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, limit: number) {
    this.#database = database
    this.#limit = limit
  }

  get size(): number {
    return this.#statements.size
  }

  get(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) {
      this.#statements.delete(sql)
      this.#statements.set(sql, known)
      return known
    }
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    if (this.#statements.size > this.#limit) this.#dropOldest()
    return statement
  }

  clear(): void {
    this.#statements.clear()
  }

  #dropOldest(): void {
    const oldest = this.#statements.keys().next()
    if (oldest.done !== true) this.#statements.delete(oldest.value)
  }
}
