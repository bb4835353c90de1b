import { setTimeout as startTimer } from 'node:timers'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import { DatabaseError } from '../database-error.ts'
import type { DatabaseWatch } from '../database-metrics.ts'
import { SqliteTransactions } from './transactions.ts'
import type { SqliteSession } from './session.ts'

/**
 * Writes complete without a turn of the event loop, so a loop over them would starve requests. It
 * yields once per this number of writes, and after so many milliseconds of them: on a slow disk a few
 * take as long as many.
 */
const TURNS = 64
const TURN_MS = 20

/**
 * A SQLite database as one process uses it: one writing connection, which a transaction holds while
 * it lasts, and one for reads outside transactions, which therefore never wait for a transaction.
 * A database in memory has the writing connection alone.
 */
export class SqliteEngine {
  readonly writer: SqliteSession
  /** The transactions of the writing connection. */
  readonly transactions: SqliteTransactions
  readonly #reader: SqliteSession | null
  readonly #waiting = new Set<() => void>()
  readonly #beforeClose: (() => Promise<void>)[] = []
  readonly #busyTimeoutMs: number
  readonly #watch: DatabaseWatch | undefined
  #locked = false
  #settles = false
  /** Writes, and milliseconds that they took, since the event loop had a turn. */
  #taken = 0
  #took = 0
  #takenAt = 0
  #closed = false
  #durable = true
  /** Counts what `stamp` tells apart, and the version of the file that it was told last. */
  #stamp = 0
  #version: unknown
  #snapshotOpen = false
  /** The number of the running transaction; 0 while there is none. */
  #running = 0
  #begun = 0

  constructor(options: {
    readonly writer: SqliteSession
    readonly reader: SqliteSession | null
    /** Time that a write waits for another process, in milliseconds. */
    readonly busyTimeoutMs: number
    readonly watch?: DatabaseWatch | undefined
  }) {
    this.#watch = options.watch
    this.writer = options.writer
    this.transactions = new SqliteTransactions(options.writer, () => this.changed())
    this.#reader = options.reader
    this.#busyTimeoutMs = options.busyTimeoutMs
  }

  /** A query outside any transaction. */
  async query<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#reader !== null && isRead(query)) {
      return this.#session(this.#reader).run<Row>(query.sql, query.parameters)
    }
    return this.exclusive(() => {
      this.syncCommits(true)
      const result = this.writer.run<Row>(query.sql, query.parameters)
      if (!isRead(query)) this.changed()
      return result
    })
  }

  /**
   * A number that is another one as soon as rows may have changed: by a commit of this process, unless
   * all its work invalidates nothing (`GroupedWork`), or by any commit of another process or connection.
   * Undefined while that cannot be told.
   */
  stamp(): number | undefined {
    if (this.#snapshotOpen || this.#closed) return undefined
    const version = this.#readVersion()
    if (version === undefined) return undefined
    if (version !== this.#version) {
      this.#version = version
      this.#stamp += 1
    }
    return this.#stamp
  }

  /** Another number after each commit of another connection; undefined while that cannot be told. */
  foreignVersion(): number | undefined {
    if (this.#snapshotOpen || this.#closed) return undefined
    const version = this.#readVersion()
    return version === undefined ? undefined : Number(version)
  }

  /** Changes with the commits of all connections but the one that asks. */
  #readVersion(): unknown {
    try {
      return this.writer.run<{ data_version: unknown }>(VERSION, []).rows[0]?.data_version
    } catch {
      // Another process repairs the file; a read waits for that or reports why it cannot.
      return undefined
    }
  }

  /** Called in the same turn as each commit that `stamp` is to tell of. */
  changed(): void {
    this.#stamp += 1
  }

  /** True if the writing connection is in a transaction with an older snapshot. */
  setSnapshotOpen(open: boolean): void {
    this.#snapshotOpen = open
  }

  /**
   * Sets whether the commits of the writing connection wait for the disk. Call it with the lock,
   * before the transaction begins.
   */
  syncCommits(durable: boolean): void {
    if (this.#durable === durable) return
    this.writer.run(`pragma synchronous = ${durable ? 'full' : 'normal'}`, [])
    this.#durable = durable
  }

  /** Runs synchronous work on the writing connection between transactions. */
  async exclusive<T>(work: () => T): Promise<T> {
    await this.lock()
    try {
      this.transactions.settle()
      return await this.patiently(work)
    } finally {
      this.unlock()
    }
  }

  /**
   * Runs the work of the holder of the lock, again while another process or connection writes. SQLite
   * would wait by itself, but hold up everything else in this process, perhaps the very transaction it
   * waits for: therefore the writing connection has no busy timeout of its own. Work that is refused
   * for this reason has changed nothing.
   * @throws DatabaseError `busy` when that took too long
   */
  async patiently<T>(work: () => T): Promise<T> {
    for (let waited = 0, pause = 1; ; waited += pause, pause = Math.min(pause * 2, 50)) {
      try {
        this.#session(this.writer)
        return work()
      } catch (error) {
        const busy = error instanceof DatabaseError && error.kind === 'busy'
        if (!busy || waited >= this.#busyTimeoutMs) throw error
      }
      await delay(pause)
    }
  }

  /**
   * Resolves when the writing connection is free.
   * @throws DatabaseError `busy` after the busy timeout, or `waitMs` milliseconds
   */
  lock(waitMs = this.#busyTimeoutMs): Promise<void> {
    if (!this.#locked) {
      this.#locked = true
      this.#watch?.waited(0)
      return this.#isTurnDue() ? nextTurn().then(() => this.#granted()) : this.#granted()
    }
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const start = this.#watch === undefined ? 0 : performance.now()
      const granted = (): void => {
        clearTimeout(timer)
        this.#watch?.waited(performance.now() - start)
        resolve(this.#granted())
      }
      this.#waiting.add(granted)
      if (waitMs === Number.POSITIVE_INFINITY) return
      timer = startTimer(() => {
        if (this.#waiting.delete(granted)) reject(new DatabaseError('busy', HELD))
      }, waitMs)
    })
  }

  /** The running transaction, for handles that may outlive it; 0: there is none. */
  get runningTransaction(): number {
    return this.#running
  }

  transactionBegun(): void {
    this.#begun += 1
    this.#running = this.#begun
  }

  transactionEnded(): void {
    this.#running = 0
  }

  unlock(): void {
    const [next] = this.#waiting
    if (next !== undefined) this.#waiting.delete(next)
    if (this.transactions.isFull) this.transactions.settle()
    this.#took += performance.now() - this.#takenAt
    if (next === undefined) {
      this.#locked = false
      this.#settleSoon()
      return
    }
    if (this.#isTurnDue()) setImmediate(next)
    else next()
  }

  #granted(): Promise<void> {
    this.#takenAt = performance.now()
    return Promise.resolve()
  }

  #isTurnDue(): boolean {
    this.#taken += 1
    if (this.#taken < TURNS && this.#took < TURN_MS) return false
    this.#taken = 0
    this.#took = 0
    return true
  }

  /** Requests that came together have come to their transactions when this turn of the event loop ends. */
  #settleSoon(): void {
    if (!this.transactions.isWaiting || this.#settles) return
    this.#settles = true
    setImmediate(() => {
      this.#settles = false
      if (!this.#locked) this.transactions.settle()
    })
  }

  /** What is awaited before the connections are closed, such as work that gathers for a commit. */
  beforeClose(settled: () => Promise<void>): void {
    this.#beforeClose.push(settled)
  }

  /** Waits for the running transaction, then closes both connections. Safe to call twice. */
  async close(): Promise<void> {
    for (const settled of this.#beforeClose) await settled()
    await this.lock(Number.POSITIVE_INFINITY)
    if (this.#closed) {
      this.unlock()
      return
    }
    this.transactions.settle()
    this.#closed = true
    for (const session of [this.#reader, this.writer]) {
      session?.statements.clear()
      session?.database.close()
    }
    this.unlock()
  }

  #session(session: SqliteSession | null): SqliteSession {
    if (this.#closed || session === null) {
      throw new DatabaseError('unreachable', 'The database has been closed')
    }
    return session
  }
}

const HELD = 'The database is held by another transaction of this process'
const VERSION = 'pragma data_version'

function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return true
  return query.kind === 'RawNode' && /^\s*select\b/i.test(sql)
}
