import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { SqliteEngine } from './sqlite-engine.ts'

/**
 * Kysely's driver over a `SqliteEngine`. Transactions begin IMMEDIATE: a transaction that writes
 * never fails half way because another process wrote meanwhile; it waits at its start.
 */
export class SqliteDriver implements Driver {
  readonly #engine: SqliteEngine
  readonly #idle: SqliteConnection[] = []

  constructor(engine: SqliteEngine) {
    this.#engine = engine
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  acquireConnection(): Promise<SqliteConnection> {
    return Promise.resolve(this.#idle.pop() ?? new SqliteConnection(this.#engine))
  }

  releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.leave()
    this.#idle.push(connection)
    return Promise.resolve()
  }

  beginTransaction(
    connection: SqliteConnection,
    { accessMode }: TransactionSettings,
  ): Promise<void> {
    return connection.begin(accessMode === 'read only' ? 'begin' : 'begin immediate')
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    connection.end('commit')
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.end('rollback')
  }

  destroy(): Promise<void> {
    return this.#engine.close()
  }
}

/** Takes the writing connection only while a transaction lasts. */
class SqliteConnection implements DatabaseConnection {
  readonly #engine: SqliteEngine
  #held = false

  constructor(engine: SqliteEngine) {
    this.#engine = engine
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#held
      ? this.#engine.writer.run<Row>(query.sql, query.parameters)
      : this.#engine.query<Row>(query)
  }

  // An open cursor would keep the write-ahead log from being reset; the stores read page by page.
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  async begin(statement: string): Promise<void> {
    await this.#engine.lock()
    try {
      await this.#engine.patiently(() => {
        this.#engine.syncCommits(true)
        this.#engine.writer.run(statement, [])
        this.#engine.lookBack(statement === 'begin')
      })
      this.#held = true
    } catch (error) {
      this.#engine.unlock()
      throw error
    }
  }

  end(statement: 'commit' | 'rollback'): void {
    // SQLite rolls back by itself when the disk is full or fails.
    if (statement === 'rollback' && !this.#engine.writer.database.inTransaction) return
    try {
      this.#engine.writer.run(statement, [])
    } finally {
      if (statement === 'commit') this.#engine.changed()
    }
  }

  leave(): void {
    if (!this.#held) return
    this.#held = false
    this.#engine.lookBack(false)
    try {
      this.end('rollback')
    } finally {
      this.#engine.unlock()
    }
  }
}
