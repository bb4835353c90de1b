import { DatabaseError } from '../database-error.ts'
import type { SqliteSession } from './session.ts'

/** A transaction whose work is done and whose commit is to come. */
interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** A commit is shared by this many at most, and by none that begins later than this after the first. */
const SHARED_BY = 32
const SHARED_MS = 4

/**
 * The transactions of the writing connection, which are one after the other. A commit waits for the
 * disk, so those that come in one turn of the event loop, or queue up, share one: the first begins a
 * transaction of the database, those behind it stand behind savepoints inside, and all are answered once
 * it is committed. What fails is undone alone. Its caller holds the connection.
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

  /** True once no transaction may join. */
  get isFull(): boolean {
    const { length } = this.#waiting
    return length >= SHARED_BY || (length > 0 && performance.now() - this.#since > SHARED_MS)
  }

  /** Begins inside the transaction of those that wait; false when none do. */
  join(): boolean {
    if (this.#waiting.length === 0) return false
    this.#session.run('savepoint x_member', [])
    this.#isInside = true
    return true
  }

  /** Resolves after the commit, which `settle` makes. */
  async commit(): Promise<void> {
    if (!this.#session.database.inTransaction) throw this.#lose()
    if (this.#isInside) this.#session.run('release x_member', [])
    this.#isInside = false
    if (this.#waiting.length === 0) this.#since = performance.now()
    await this.#settled()
  }

  /**
   * Undoes what was done since `join`, or since the transaction began. What it was undone for may
   * stand on the work of those that wait, so it resolves after their commit.
   */
  async rollback(): Promise<void> {
    // SQLite rolls back by itself when the disk is full or fails.
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

  /** Commits what waits. */
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

  /** The work of all that wait was undone with that of another. */
  #lose(): DatabaseError {
    const error = new DatabaseError('busy', 'The transaction was undone with another that failed')
    this.#isInside = false
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    return error
  }
}
