/** The used part of better-sqlite3's statement; libsql has the same. */
export interface SqliteStatement {
  readonly reader: boolean
  /** Makes `all` and `get` return rows as arrays of values. */
  raw(on: true): unknown
  columns(): { readonly name: string }[]
  all(parameters: readonly unknown[]): unknown[]
  get(parameters: readonly unknown[]): unknown
  run(parameters: readonly unknown[]): {
    changes: number | bigint
    lastInsertRowid: number | bigint
  }
}

/** The used part of better-sqlite3's database; libsql has the same. */
export interface SqliteDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): SqliteStatement
  pragma(text: string): unknown
  exec(sql: string): void
  close(): void
}

/** Statements that return at most one row, after all their changes are made. */
const SINGLE =
  /^\s*select\b[^]*\blimit 1$|^\s*update\b[^]*\blimit 1\)\s+returning\b|^pragma data_version$/i

/** A prepared statement with its metadata cached: asking the driver is as slow as a small query. */
export class PreparedStatement {
  readonly reader: boolean
  readonly #statement: SqliteStatement
  #names: readonly string[]
  readonly #single: boolean

  constructor(statement: SqliteStatement, sql: string) {
    this.reader = statement.reader
    this.#statement = statement
    this.#single = SINGLE.test(sql)
    if (this.reader) statement.raw(true)
    this.#names = this.reader ? namesOf(statement) : []
  }

  /** Reads all rows. Building the objects here is faster than in the driver. */
  read(parameters: readonly unknown[]): object[] {
    if (!this.#single) return this.#statement.all(parameters).map((row) => this.#objectOf(row))
    const row = this.#statement.get(parameters)
    return row === undefined ? [] : [this.#objectOf(row)]
  }

  write(parameters: readonly unknown[]): ReturnType<SqliteStatement['run']> {
    return this.#statement.run(parameters)
  }

  #objectOf(row: unknown): object {
    const values = valuesOf(row)
    // Columns were added to the table.
    if (values.length !== this.#names.length) this.#names = namesOf(this.#statement)
    const object: Record<string, unknown> = {}
    let index = 0
    for (const name of this.#names) {
      object[name] = values[index]
      index += 1
    }
    return object
  }
}

function namesOf(statement: SqliteStatement): string[] {
  return statement.columns().map(({ name }) => name)
}

/** The result of `raw` statements. */
function valuesOf(row: unknown): readonly unknown[] {
  return row as readonly unknown[]
}

/**
 * Caches the most recently used prepared statements of a connection in two generations: when the young one
 * is full it becomes the old one, and statements not used since are dropped. A lookup thus moves nothing.
 */
export class StatementCache {
  readonly #database: SqliteDatabase
  readonly #generation: number
  #young = new Map<string, PreparedStatement>()
  #old = new Map<string, PreparedStatement>()

  /** `limit`: maximum number of cached statements. */
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
    return new PreparedStatement(this.#database.prepare(sql), sql)
  }
}
