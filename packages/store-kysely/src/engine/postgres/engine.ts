import { setTimeout as startTimer } from 'node:timers'
import type { Pool, PoolClient } from 'pg'
import type {
  CompiledQuery,
  DatabaseConnection,
  Driver,
  QueryResult,
  TransactionSettings,
} from 'kysely'
import { columnTypes } from './types.ts'
import type { DatabaseWatch } from '../database-metrics.ts'
import { statementNameOf } from '../statement-name.ts'
import { transactionEnded } from '../transaction-ended.ts'
import { translateError } from '../translate-error.ts'

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
  /** Observes each statement. */
  readonly watch: DatabaseWatch | undefined
  readonly #closers: (() => Promise<void>)[] = []
  readonly #ownsPool: boolean

  constructor(options: {
    readonly pool: Pool
    readonly ownsPool: boolean
    readonly prepared: boolean
    readonly connectTimeoutMs: number
    /** Creates a separate connection outside the pool. */
    readonly createClient: () => ListenClient
    readonly watch?: DatabaseWatch | undefined
  }) {
    this.watch = options.watch
    this.createClient = options.createClient
    this.pool = options.pool
    this.prepared = options.prepared
    this.connectTimeoutMs = options.connectTimeoutMs
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

/** Kysely's driver over a `PostgresEngine`, with errors translated. */
export class PostgresDriver implements Driver {
  readonly #engine: PostgresEngine
  readonly #states = new WeakMap<PoolClient, ClientState>()

  constructor(engine: PostgresEngine) {
    this.#engine = engine
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<PostgresConnection> {
    try {
      const client = await within(this.#engine.pool.connect(), this.#engine.connectTimeoutMs)
      let state = this.#states.get(client)
      if (state === undefined) {
        const fresh = { broken: false }
        client.on('error', () => {
          fresh.broken = true
        })
        this.#states.set(client, fresh)
        state = fresh
      }
      return new PostgresConnection(client, state, this.#engine)
    } catch (error) {
      throw translateError(error)
    }
  }

  async beginTransaction(
    connection: PostgresConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const isolation = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`
    const access = accessMode === undefined ? '' : ` ${accessMode}`
    await connection.send(`start transaction${isolation}${access}`)
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.send('commit')
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    // On a lost connection the server has already rolled back, and the error would hide the first one.
    if (!connection.broken) await connection.send('rollback')
  }

  releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release()
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return this.#engine.close()
  }
}

/**
 * A host's pool may wait for a connection without limit (SH-15). A connection that arrives too late is
 * released.
 * @throws Error with the same message as `pg`
 */
async function within(connected: Promise<PoolClient>, timeoutMs: number): Promise<PoolClient> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = startTimer(() => {
      connected.then(
        (client) => client.release(),
        () => undefined,
      )
      reject(new Error('timeout exceeded when trying to connect'))
    }, timeoutMs)
  })
  try {
    return await Promise.race([connected, expired])
  } finally {
    clearTimeout(timer)
  }
}

/** State of a pool client, shared by all of its uses. */
interface ClientState {
  /** Set when the connection was lost, so that the pool does not reuse it. */
  broken: boolean
}

/** One use of a client, from acquiring to releasing it. */
class PostgresConnection implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #state: ClientState
  readonly #engine: PostgresEngine
  #hasEnded = false

  constructor(client: PoolClient, state: ClientState, engine: PostgresEngine) {
    this.#client = client
    this.#state = state
    this.#engine = engine
  }

  get broken(): boolean {
    return this.#state.broken
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#hasEnded) throw transactionEnded()
    const name = this.#engine.prepared ? statementNameOf(query) : undefined
    const { rows, rowCount, command } = await this.#run({
      text: query.sql,
      values: query.parameters.map(bindable),
      types: columnTypes,
      ...(name === undefined ? {} : { name }),
    })
    return command === 'SELECT'
      ? { rows: rows as Row[] }
      : { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
  }

  // The stores read page by page, so that no connection waits for a slow reader.
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  async send(text: string): Promise<void> {
    await this.#run({ text })
  }

  release(): void {
    this.#hasEnded = true
    this.#client.release(this.broken)
  }

  async #run(query: {
    text: string
    values?: unknown[]
    name?: string
    types?: typeof columnTypes
  }) {
    const { watch } = this.#engine
    const start = watch === undefined ? 0 : performance.now()
    try {
      const result = await this.#client.query<Record<string, unknown>>(query)
      watch?.called(query.text, start)
      return result
    } catch (error) {
      watch?.called(query.text, start, true)
      const failure = translateError(error)
      if (failure.kind === 'unreachable') this.#state.broken = true
      throw failure
    }
  }
}

/**
 * PostgreSQL rejects U+0000. Strings in records are encoded already; the others are ids and literals in
 * queries. They become U+0001, which no record contains, so nothing is found.
 */
function bindable(value: unknown): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\u0001') : value
  return Array.isArray(value) ? value.map(bindable) : value
}
