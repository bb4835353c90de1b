import { DatabaseError } from '../database-error.ts'
import type { SqliteSession } from './session.ts'

/** A transaction whose work is done and whose commit is pending. */
interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Maximum number of transactions that share a commit, and the maximum delay between the first and the last.
 */
const SHARED_BY = 32
const SHARED_MS = 4

/**
 * The transactions of the write connection, run one after the other. A commit waits for the disk, so
 * transactions that arrive in the same turn of the event loop, or queue up, share one: the first begins a
 * database transaction, the following ones use savepoints within it, and all resolve once it is committed.
 * Failures are rolled back individually. The caller must hold the connection.
 */
export class SqliteTransactions {
  readonly #session: SqliteSession
  readonly #onCommit: () => void
  #waiting: Waiting[] = []
  #since = 0
  #isInside = false

  constructor(session: SqliteSession, onCommit: () => void) {
    this.#session = session
    this.#onCommit = onCommit
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** True once no further transaction may join. */
  get isFull(): boolean {
    const { length } = this.#waiting
    return length >= SHARED_BY || (length > 0 && performance.now() - this.#since > SHARED_MS)
  }

  /** Joins the pending transaction; false if there is none. */
  join(): boolean {
    if (this.#waiting.length === 0) return false
    this.#session.run('savepoint x_member', [])
    this.#isInside = true
    return true
  }

  /** Resolves after the commit, which `settle` performs. */
  async commit(): Promise<void> {
    if (!this.#session.database.inTransaction) throw this.#lose()
    if (this.#isInside) this.#session.run('release x_member', [])
    this.#isInside = false
    if (this.#waiting.length === 0) this.#since = performance.now()
    await this.#settled()
  }

  /**
   * Rolls back to `join`, or to the start of the transaction. Its failure may depend on the work of pending
   * transactions, so it resolves after their commit.
   */
  async rollback(): Promise<void> {
    // SQLite itself rolls back if the disk is full or fails.
    if (!this.#session.database.inTransaction) {
      this.#lose()
      return
    }
    if (!this.#isInside) {
      this.#session.run('rollback', [])
      return
    }
    this.#isInside = false
    this.#session.run('rollback to x_member', [])
    this.#session.run('release x_member', [])
    await this.#settled().catch(() => undefined)
  }

  /** Commits the pending transactions. */
  settle(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    try {
      this.#session.run('commit', [])
    } catch (error) {
      if (this.#session.database.inTransaction) this.#session.run('rollback', [])
      for (const { reject } of waiting) reject(error)
      return
    } finally {
      this.#onCommit()
    }
    for (const { resolve } of waiting) resolve()
  }

  #settled(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** The work of all pending transactions was rolled back together with another's. */
  #lose(): DatabaseError {
    const error = new DatabaseError(
      'busy',
      'The transaction was rolled back together with another one that failed',
    )
    this.#isInside = false
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    return error
  }
}
