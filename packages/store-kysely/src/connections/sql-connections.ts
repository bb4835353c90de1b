import type { ComponentServices } from '@x/flow-engine/graph'
import { describeAddress, isSameDatabase, readDatabaseAddress } from './database-address.ts'
import { createGate } from './gate.ts'
import { queryPostgres } from './query-postgres.ts'
import { querySqlite } from './query-sqlite.ts'

type SqlConnections = NonNullable<ComponentServices['sql']>

/** Which databases flows may open, and what a query may cost. */
export interface SqlConnectionsOptions {
  /** `sqlite:PATH`, `postgres://host/database`; nothing else is opened. */
  readonly allow: readonly string[]
  /** Name of the operator's list of databases, for the error about an unlisted one. */
  readonly setting?: string
  /** Milliseconds of a query; 30,000. */
  readonly timeoutMs?: number
  /** Rows of a result; 10,000. */
  readonly rows?: number
  /** Queries at once; 4. */
  readonly concurrency?: number
  /** Queries that wait for one of those places; 100. More are refused. */
  readonly waiting?: number
}

/**
 * The databases of the SQL component (CO-77). PostgreSQL is reached with the credentials of the
 * flow's address; a query of SQLite runs in a child process, where it can be ended.
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
          const work = (): ReturnType<typeof querySqlite> =>
            address.kind === 'postgres'
              ? queryPostgres(address, sql, bounds)
              : querySqlite(found.kind === 'sqlite' ? (found.paths[0] ?? '') : '', sql, bounds)
          return gate(work, signal)
        },
        close: () => Promise.resolve(),
      })
    },
  }
}
