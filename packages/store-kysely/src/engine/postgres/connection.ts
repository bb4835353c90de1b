import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { PoolClient, QueryConfig, QueryResult as Answer } from 'pg'
import type { DatabaseError } from '../database-error.ts'
import { WITHOUT_TIME_LIMIT } from './without-time-limit.ts'
import { statementNameOf } from '../statement-name.ts'
import { transactionEnded } from '../transaction-ended.ts'
import { translateError } from '../translate-error.ts'
import type { PostgresEngine } from './engine.ts'
import { columnTypes } from './types.ts'

/** A client of the pool, and the state that all of its uses share. */
export interface PooledClient {
  readonly client: PoolClient
  /** Set when the connection was lost, so that the pool does not reuse it. */
  broken: boolean
}

/** One use of a client, from acquiring to releasing it. */
export class PostgresConnection implements DatabaseConnection {
  #pooled: PooledClient
  readonly #acquire: () => Promise<PooledClient>
  readonly #engine: PostgresEngine
  #isFresh = true
  #isUnlimited = false
  #hasEnded = false

  /** @param acquire gives another client, if this one turns out to be lost before its first use */
  constructor(pooled: PooledClient, acquire: () => Promise<PooledClient>, engine: PostgresEngine) {
    this.#pooled = pooled
    this.#acquire = acquire
    this.#engine = engine
  }

  get broken(): boolean {
    return this.#pooled.broken
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
    this.#pooled.client.release(this.broken)
  }

  async #run(query: QueryConfig): Promise<Answer<Record<string, unknown>>> {
    const isFirst = this.#isFresh
    this.#isFresh = false
    if (query.text === WITHOUT_TIME_LIMIT[0]) this.#isUnlimited = true
    try {
      return await this.#ask(query)
    } catch (error) {
      const failure = error as DatabaseError
      if (!isFirst || !hadNoEffect(failure, query.text)) throw failure
      this.#pooled.client.release(true)
      this.#pooled = await this.#acquire().catch((unreachable: unknown) => {
        // The released client is not released again.
        this.#pooled = { client: NO_CLIENT, broken: true }
        throw unreachable
      })
      return await this.#ask(query)
    }
  }

  /** @throws DatabaseError */
  async #ask(query: QueryConfig): Promise<Answer<Record<string, unknown>>> {
    const { watch, answerTimeoutMs } = this.#engine
    const limited =
      this.#isUnlimited || answerTimeoutMs === 0 || MAINTENANCE.test(query.text)
        ? query
        : { ...query, query_timeout: answerTimeoutMs }
    const start = watch === undefined ? 0 : performance.now()
    try {
      const result = await this.#pooled.client.query<Record<string, unknown>>(limited)
      watch?.called(query.text, start)
      return result
    } catch (error) {
      watch?.called(query.text, start, true)
      const failure = translateError(error)
      if (failure.kind === 'unreachable') this.#pooled.broken = true
      throw failure
    }
  }
}

/** Statements outside of transactions that may take any time. */
const MAINTENANCE = /^(?:vacuum|analyze)\b/i

/** In the place of a client that was lost and could not be replaced. */
const NO_CLIENT = { release: () => undefined } as unknown as PoolClient

/** Codes with which a server refuses a statement because it ends the connection. */
const ENDED = new Set(['57P01', '57P02', '57P03'])

/**
 * True if a lost connection cannot have carried out the first statement of its use: it only begins or
 * reads, or the server said that it ended the connection instead.
 */
function hadNoEffect({ kind, cause }: DatabaseError, text: string): boolean {
  if (kind !== 'unreachable') return false
  const { code, message } = Object(cause) as { readonly code?: unknown; readonly message?: unknown }
  if (message === 'Query read timeout') return false
  return ENDED.has(String(code)) || /^\s*(?:start transaction|select)\b/i.test(text)
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
