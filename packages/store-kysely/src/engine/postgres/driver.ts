import { setTimeout as startTimer } from 'node:timers'
import type { PoolClient } from 'pg'
import type { Driver, TransactionSettings } from 'kysely'
import { translateError } from '../translate-error.ts'
import { PostgresConnection, type PooledClient } from './connection.ts'
import type { PostgresEngine } from './engine.ts'

/** Kysely's driver over a `PostgresEngine`, with errors translated. */
export class PostgresDriver implements Driver {
  readonly #engine: PostgresEngine
  readonly #pooled = new WeakMap<PoolClient, PooledClient>()

  constructor(engine: PostgresEngine) {
    this.#engine = engine
  }

  init(): Promise<void> {
    return Promise.resolve()
  }

  async acquireConnection(): Promise<PostgresConnection> {
    const acquire = (): Promise<PooledClient> => this.#acquire()
    return new PostgresConnection(await acquire(), acquire, this.#engine)
  }

  async #acquire(): Promise<PooledClient> {
    try {
      const client = await within(this.#engine.pool.connect(), this.#engine.connectTimeoutMs)
      let pooled = this.#pooled.get(client)
      if (pooled === undefined) {
        const fresh = { client, broken: false }
        client.on('error', () => {
          fresh.broken = true
        })
        this.#pooled.set(client, fresh)
        pooled = fresh
      }
      return pooled
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
 * A host's pool may wait for a connection without limit. A connection that arrives too late is
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
