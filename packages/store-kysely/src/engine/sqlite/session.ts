import type { QueryResult } from 'kysely'
import { StatementCache, type SqliteDatabase } from './statement-cache.ts'
import type { DatabaseWatch } from '../database-metrics.ts'
import { translateError } from '../translate-error.ts'

/** A connection with its prepared statements. All its methods are synchronous. */
export class SqliteSession {
  readonly database: SqliteDatabase
  readonly statements: StatementCache
  readonly #watch: DatabaseWatch | undefined

  constructor(database: SqliteDatabase, preparedStatements: number, watch?: DatabaseWatch) {
    this.database = database
    this.#watch = watch
    this.statements = new StatementCache(database, preparedStatements)
  }

  /** @throws DatabaseError */
  run<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    if (this.#watch === undefined) return this.#run<Row>(sql, parameters)
    const start = performance.now()
    try {
      const result = this.#run<Row>(sql, parameters)
      this.#watch.called(sql, start)
      return result
    } catch (error) {
      this.#watch.called(sql, start, true)
      throw error
    }
  }

  #run<Row>(sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    try {
      const statement = this.statements.get(sql)
      const bound = parameters.map(bindable)
      if (statement.reader) return { rows: rowsOf<Row>(statement.read(bound)) }
      const { changes, lastInsertRowid } = statement.write(bound)
      return {
        rows: [],
        numAffectedRows: BigInt(changes),
        insertId: BigInt(lastInsertRowid),
      }
    } catch (error) {
      throw translateError(error)
    }
  }
}

/** The driver returns rows in the shape the query selects. */
function rowsOf<Row>(rows: unknown[]): Row[] {
  return rows as Row[]
}

/** libsql crashes the process on values of unknown types, so they are rejected here. */
function bindable(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'undefined':
      return null
    default:
      if (value === null || value instanceof Uint8Array) return value
      throw new TypeError(`A ${typeof value} cannot be a SQL parameter`)
  }
}
