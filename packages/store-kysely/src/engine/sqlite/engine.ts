import { setTimeout as startTimer } from 'node:timers'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import { DatabaseError } from '../database-error.ts'
import type { DatabaseWatch } from '../database-metrics.ts'
import { SqliteTransactions } from './transactions.ts'
import type { SqliteSession } from './session.ts'

/**
 * Writes complete within one turn of the event loop, so a loop over them would starve requests. The engine
 * yields after this number of writes, and after this many milliseconds of them, because on a slow disk few
 * writes take as long as many.
 */
const TURNS = 64
const TURN_MS = 20

/**
 * A SQLite database within one process: a write connection, held by the running transaction, and a read
 * connection for reads outside transactions, which therefore never wait for one. An in-memory database has
 * only the write connection.
 */
export class SqliteEngine {
  readonly writer: SqliteSession
  /** The transactions of the write connection. */
  readonly transactions: SqliteTransactions
  readonly #reader: SqliteSession | null
  readonly #waiting = new Set<() => void>()
  readonly #beforeClose: (() => Promise<void>)[] = []
  readonly #busyTimeoutMs: number
  readonly #watch: DatabaseWatch | undefined
  readonly #closing: (() => void) | undefined
  #locked = false
  #settles = false
  /** Writes, and the milliseconds they took, since the last turn of the event loop. */
  #taken = 0
  #took = 0
  #takenAt = 0
  #closed = false
  #durable = true
  /** Counter behind `stamp`, and the last seen version of the file. */
  #stamp = 0
  #version: unknown
  /** The version read in this task of the event loop, if `#readAt` is still the number of commits. */
  #read: unknown
  #readAt = -1
  readonly #forgetRead = (): void => {
    this.#readAt = -1
  }
  #snapshotOpen = false
  /** The number of the running transaction; 0 if there is none. */
  #running = 0
  #begun = 0

  constructor(options: {
    readonly writer: SqliteSession
    readonly reader: SqliteSession | null
    /** Maximum wait of a write for another process, in milliseconds. */
    readonly busyTimeoutMs: number
    readonly watch?: DatabaseWatch | undefined
    /** Called when both connections are closed. */
    readonly closed?: (() => void) | undefined
  }) {
    this.#closing = options.closed
    this.#watch = options.watch
    this.writer = options.writer
    this.transactions = new SqliteTransactions(options.writer, () => this.changed())
    this.#reader = options.reader
    this.#busyTimeoutMs = options.busyTimeoutMs
  }

  /** Runs a query outside any transaction; a read of a file at once. @throws DatabaseError */
  query<Row>(query: CompiledQuery): QueryResult<Row> | Promise<QueryResult<Row>> {
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
   * A number that changes whenever rows may have changed: by a commit of this process, unless all its work
   * is marked `invalidatesNothing` (`GroupedWork`), or by any commit of another process or connection.
   * Undefined while that is unknown.
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

  /** Changes with each commit of another connection; undefined while that is unknown. */
  foreignVersion(): number | undefined {
    if (this.#snapshotOpen || this.#closed) return undefined
    const version = this.#readVersion()
    return version === undefined ? undefined : Number(version)
  }

  /**
   * Changes with commits of all connections except the one that asks. Read once in each task of the event
   * loop, since it costs as much as a small query and a request asks several times; later requests arrive
   * in later tasks.
   */
  #readVersion(): unknown {
    if (this.#readAt === commits) return this.#read
    try {
      this.#read = this.writer.run<{ data_version: unknown }>(VERSION, []).rows[0]?.data_version
      this.#readAt = commits
      process.nextTick(this.#forgetRead)
      return this.#read
    } catch {
      // Another process is recovering the file; a read waits for that or reports why it cannot.
      return undefined
    }
  }

  /** Called in the same turn as each commit that must change `stamp`. */
  changed(): void {
    this.#stamp += 1
    commits += 1
  }

  /** True if the write connection is in a transaction with an older snapshot. */
  setSnapshotOpen(open: boolean): void {
    this.#snapshotOpen = open
  }

  /**
   * Sets whether commits of the write connection wait for the disk. Requires the lock, before the
   * transaction begins.
   */
  syncCommits(durable: boolean): void {
    if (this.#durable === durable) return
    this.writer.run(`pragma synchronous = ${durable ? 'full' : 'normal'}`, [])
    this.#durable = durable
  }

  /** Runs synchronous work on the write connection between transactions. */
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
   * Runs the lock holder's work, retrying while another process or connection writes. SQLite could wait
   * itself, but would block this process, perhaps even the transaction it waits for; therefore the write
   * connection has no busy timeout. Work refused for this reason has changed nothing.
   * @throws DatabaseError `busy` after the busy timeout
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
   * Resolves when the write connection is free.
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

  /** The running transaction, for handles that may outlive it; 0 if there is none. */
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

  /**
   * Requests that arrived together have joined their transactions by the end of this turn of the event
   * loop.
   */
  #settleSoon(): void {
    if (!this.transactions.isWaiting || this.#settles) return
    this.#settles = true
    setImmediate(() => {
      this.#settles = false
      if (!this.#locked) this.transactions.settle()
    })
  }

  /** Registers work to await before the connections are closed, such as pending group commits. */
  beforeClose(settled: () => Promise<void>): void {
    this.#beforeClose.push(settled)
  }

  /** Waits for the running transaction, then closes both connections. Idempotent. */
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
    this.#closing?.()
    this.unlock()
  }

  #session(session: SqliteSession | null): SqliteSession {
    if (this.#closed || session === null) {
      throw new DatabaseError('unreachable', 'The database has been closed')
    }
    return session
  }
}

/** Commits of all engines of this process, which may share a file. */
let commits = 0

const HELD = 'The database is held by another transaction of this process'
const VERSION = 'pragma data_version'

function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return true
  return query.kind === 'RawNode' && /^\s*select\b/i.test(sql)
}
