import type { ComponentServices } from '@x/flow-engine'
import { describeAddress, isSameDatabase, readDatabaseAddress } from './database-address.ts'
import { createGate } from './gate.ts'
import { querySqlite } from './query-sqlite.ts'

type SqlConnections = NonNullable<ComponentServices['sql']>

/** The databases flows may open, and the limits of a query. */
export interface SqlConnectionsOptions {
  /** `sqlite:PATH` or `postgres://host/database`; no other database is opened. */
  readonly allow: readonly string[]
  /** Name of the operator's setting that lists the databases, for error messages. */
  readonly setting?: string
  /** Maximum milliseconds of a query. Default 30,000. */
  readonly timeoutMs?: number
  /** Maximum rows of a result. Default 10,000. */
  readonly rows?: number
  /** Concurrent queries. Default 4. */
  readonly concurrency?: number
  /** Queued queries; further ones are rejected. Default 100. */
  readonly waiting?: number
}

/**
 * The databases of the SQL component. PostgreSQL uses the credentials in the flow's address;
 * SQLite queries run in a child process, where they can be stopped.
 * @throws TypeError for an invalid entry of `allow`
 */
export function createSqlConnections(options: SqlConnectionsOptions): SqlConnections {
  const { timeoutMs = 30_000, rows = 10_000, setting = 'the option allow' } = options
  const limits = { timeoutMs, rows }
  const gate = createGate({ places: options.concurrency ?? 4, waiting: options.waiting ?? 100 })
  const allowed = options.allow.map((entry) => {
    const address = readDatabaseAddress(entry)
    if (address !== null) return address
    throw new TypeError(`${setting}: ${entry} must be sqlite:PATH or postgres://host/database`)
  })
  return {
    connect(url) {
      const address = readDatabaseAddress(url)
      const found = allowed.find((each) => address !== null && isSameDatabase(address, each))
      if (address === null || found === undefined) {
        const text = `${describeAddress(address)} is not open to flows: the operator of the server lists databases in ${setting}`
        return Promise.reject(new Error(text))
      }
      return Promise.resolve({
        query(sql, { signal, parameters = [] } = {}) {
          const bounds = { ...limits, signal, parameters }
          const work = async (): ReturnType<typeof querySqlite> => {
            if (address.kind !== 'postgres')
              return querySqlite(found.kind === 'sqlite' ? (found.paths[0] ?? '') : '', sql, bounds)
            // The library of PostgreSQL is an optional peer.
            const { queryPostgres } = await import('./query-postgres.ts')
            return queryPostgres(address, sql, bounds)
          }
          return gate(work, signal)
        },
        close: () => Promise.resolve(),
      })
    },
  }
}
