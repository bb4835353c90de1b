import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Kysely,
  type KyselyConfig,
} from 'kysely'
import { Client, Pool } from 'pg'
import { watchDatabase, watchPool, type DatabaseMetrics } from './engine/database-metrics.ts'
import { Database } from './engine/database.ts'
import { ENGINE, type Engine } from './engine/engine.ts'
import { PostgresDriver, PostgresEngine } from './engine/postgres/engine.ts'

/** Options of a PostgreSQL database. */
export interface PostgresOptions {
  /** Connections at most; 10 by default. */
  readonly maxConnections?: number
  /** Time that a query waits for a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number
  /** Prepares hot queries once on each connection; true by default. False behind a statement pooler. */
  readonly preparedStatements?: boolean
  /** Hears of idle connections that were lost; they are replaced when needed. */
  onConnectionLost?(error: Error): void
  /** Kysely's log: called for each query with its duration. Default: none. */
  readonly log?: NonNullable<KyselyConfig['log']>
  /** Counts statements and the use of the pool (OP-8); `createMetrics` of any `/metrics`. */
  readonly metrics?: DatabaseMetrics
}

/**
 * A Kysely over PostgreSQL 14 or newer. Nothing is connected before the first query, which rejects
 * with a DatabaseError of kind `unreachable` when there is no server. Close it with `db.destroy()`.
 *
 * @param source `postgres://...`, or a pool of the host's own `pg`, which the host ends itself
 * @throws TypeError when the text is no address of a PostgreSQL database
 */
export function openPostgres<Tables>(
  source: string | Pool,
  options: PostgresOptions = {},
): Kysely<Tables> {
  const ownsPool = typeof source === 'string'
  const pool = ownsPool ? createPool(source, options) : source
  const engine = new PostgresEngine({
    pool,
    ownsPool,
    prepared: options.preparedStatements ?? true,
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    createClient: () => new Client(pool.options),
    watch: options.metrics && watchDatabase(options.metrics, 'postgres'),
  })
  if (options.metrics !== undefined) engine.onClose(watchPool(options.metrics, pool))
  return new Database<Tables>(createDialect(engine), { engine, log: options.log })
}

function createPool(url: string, options: PostgresOptions): Pool {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new TypeError('The address of a PostgreSQL database begins with postgres://')
  }
  const pool = new Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    allowExitOnIdle: true,
  })
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => options.onConnectionLost?.(error))
  return pool
}

function createDialect(engine: PostgresEngine): Dialect {
  return {
    createAdapter: () => new EngineAdapter(engine),
    createDriver: () => new PostgresDriver(engine),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

class EngineAdapter extends PostgresAdapter {
  readonly [ENGINE]: Engine

  constructor(postgres: PostgresEngine) {
    super()
    this[ENGINE] = { kind: 'postgres', postgres }
  }
}
