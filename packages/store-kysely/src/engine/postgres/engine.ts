import type { Pool } from 'pg'
import type { DatabaseWatch } from '../database-metrics.ts'

/** The part of `pg`'s client used for LISTEN. */
export interface ListenClient {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: () => void): unknown
  on(
    event: 'notification',
    listener: (message: { readonly payload?: string | undefined }) => void,
  ): unknown
}

/** A PostgreSQL database within one process: the pool, and what must be closed before it. */
export class PostgresEngine {
  readonly pool: Pool
  /** True if frequent queries are prepared under a name on each connection. */
  readonly prepared: boolean
  readonly createClient: () => ListenClient
  /** Maximum wait of a query for a connection, in milliseconds. */
  readonly connectTimeoutMs: number
  /** Wait for the answer to a statement, in milliseconds, before its connection is given up; 0: any. */
  readonly answerTimeoutMs: number
  /** Observes each statement. */
  readonly watch: DatabaseWatch | undefined
  readonly #closers: (() => Promise<void>)[] = []
  readonly #ownsPool: boolean

  constructor(options: {
    readonly pool: Pool
    readonly ownsPool: boolean
    readonly prepared: boolean
    readonly connectTimeoutMs: number
    readonly answerTimeoutMs: number
    /** Creates a separate connection outside the pool. */
    readonly createClient: () => ListenClient
    readonly watch?: DatabaseWatch | undefined
  }) {
    this.watch = options.watch
    this.createClient = options.createClient
    this.pool = options.pool
    this.prepared = options.prepared
    this.connectTimeoutMs = options.connectTimeoutMs
    this.answerTimeoutMs = options.answerTimeoutMs
    // Without a listener, a connection that is lost before its first use ends the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined))
    this.#ownsPool = options.ownsPool
  }

  /** Registers `close` to run when the database is destroyed, while the pool still works. */
  beforeClose(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  onClose(close: () => void): void {
    this.beforeClose(() => Promise.resolve(close()))
  }

  async close(): Promise<void> {
    await Promise.all(this.#closers.splice(0).map((close) => close()))
    if (this.#ownsPool && !this.pool.ending) await this.pool.end()
  }
}
