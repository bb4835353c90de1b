import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { SqliteEngine } from './engine.ts'
import { transactionEnded } from '../transaction-ended.ts'

/**
 * Kysely's driver over a `SqliteEngine`. Transactions begin IMMEDIATE: they wait for other writers at the
 * start instead of failing halfway.
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

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    await connection.rollback()
    // A handle kept after its transaction must not write on a connection that serves another one.
    if (!connection.hasEnded) this.#idle.push(connection)
  }

  beginTransaction(
    connection: SqliteConnection,
    { accessMode, isolationLevel }: TransactionSettings,
  ): Promise<void> {
    if (accessMode === 'read only') return connection.beginReading()
    return connection.begin(isolationLevel === 'serializable')
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.rollback()
  }

  destroy(): Promise<void> {
    return this.#engine.close()
  }
}

/** Takes the write connection only during a transaction. */
class SqliteConnection implements DatabaseConnection {
  readonly #engine: SqliteEngine
  #held = false
  #isReading = false
  /** True after the end of the transaction it belonged to. */
  hasEnded = false

  constructor(engine: SqliteEngine) {
    this.#engine = engine
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.hasEnded) throw transactionEnded()
    return this.#held
      ? this.#engine.writer.run<Row>(query.sql, query.parameters)
      : this.#engine.query<Row>(query)
  }

  // An open cursor would keep the write-ahead log from being reset; the stores read page by page.
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  /** `alone`: starts after the commit of finished transactions, which then need not wait for it. */
  begin(alone: boolean): Promise<void> {
    return this.#take(() => {
      if (alone) this.#engine.transactions.settle()
      else if (this.#engine.transactions.join()) return
      this.#engine.syncCommits(true)
      this.#engine.writer.run('begin immediate', [])
    })
  }

  /** Starts a snapshot that other work does not join and that takes no write lock. */
  beginReading(): Promise<void> {
    return this.#take(() => {
      this.#engine.transactions.settle()
      this.#engine.writer.run('begin', [])
      this.#engine.setSnapshotOpen(true)
      this.#isReading = true
    })
  }

  async commit(): Promise<void> {
    const committed = this.#engine.transactions.commit()
    if (this.#isReading) this.#engine.transactions.settle()
    this.#giveBack()
    await committed
  }

  /** Does nothing if the transaction has ended. */
  async rollback(): Promise<void> {
    if (!this.#held) return
    const undone = this.#engine.transactions.rollback()
    this.#giveBack()
    await undone
  }

  async #take(begin: () => void): Promise<void> {
    await this.#engine.lock()
    try {
      await this.#engine.patiently(begin)
      this.#held = true
      this.#engine.transactionBegun()
    } catch (error) {
      this.#engine.unlock()
      throw error
    }
  }

  #giveBack(): void {
    this.#held = false
    this.hasEnded = true
    this.#engine.transactionEnded()
    this.#isReading = false
    this.#engine.setSnapshotOpen(false)
    this.#engine.unlock()
  }
}
