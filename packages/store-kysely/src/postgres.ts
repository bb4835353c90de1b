import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Kysely,
  type KyselyConfig,
} from 'kysely'
import { Client, Pool, type ClientConfig } from 'pg'
import { watchDatabase, watchPool, type DatabaseMetrics } from './engine/database-metrics.ts'
import { Database } from './engine/database.ts'
import { ENGINE, type Engine } from './engine/engine.ts'
import { PostgresDriver } from './engine/postgres/driver.ts'
import { PostgresEngine } from './engine/postgres/engine.ts'

/** Options of a PostgreSQL database. */
export interface PostgresOptions {
  /** Maximum number of connections. Default 10. */
  readonly maxConnections?: number
  /** Maximum wait of a query for a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number
  /**
   * Maximum time of a statement, in milliseconds: the server cancels it then, and a connection without an
   * answer a second later is given up. 0: no limit. Migrations have none. Default 10,000.
   */
  readonly statementTimeoutMs?: number
  /** Prepares frequent queries once per connection. Default true; set false behind a statement pooler. */
  readonly preparedStatements?: boolean
  /** Called when an idle connection is lost; it is replaced when needed. */
  onConnectionLost?(error: Error): void
  /** Kysely's log: called for each query with its duration. Default: none. */
  readonly log?: NonNullable<KyselyConfig['log']>
  /**
   * Counts statements and pool usage; created with `createMetrics` from any `/metrics` entry point.
   */
  readonly metrics?: DatabaseMetrics
}

/**
 * Creates a Kysely instance for PostgreSQL 14 or newer. Connects on the first query, which rejects with
 * a DatabaseError of kind `unreachable` if there is no server. Close it with `db.destroy()`.
 * @param source `postgres://...`, or a `pg` pool of the host, which the host closes itself
 * @throws TypeError if the string is not a PostgreSQL URL
 */
export function openPostgres<Tables>(
  source: string | Pool,
  options: PostgresOptions = {},
): Kysely<Tables> {
  const ownsPool = typeof source === 'string'
  const { statementTimeoutMs: statementMs = 10_000 } = options
  const pool = ownsPool ? createPool(source, options) : source
  const engine = new PostgresEngine({
    pool,
    ownsPool,
    prepared: options.preparedStatements ?? true,
    connectTimeoutMs: options.connectTimeoutMs ?? 5000,
    answerTimeoutMs: statementMs === 0 ? 0 : statementMs + 1000,
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
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    ...limitsOf(url, options),
  })
  // Without a listener, losing an idle connection would crash the process.
  pool.on('error', (error) => options.onConnectionLost?.(error))
  return pool
}

/**
 * Limits that the server enforces on each connection, so that a process that stops in the middle of a
 * transaction holds no lock for long. Those in the address win; a pooler of statements refuses such
 * parameters.
 */
function limitsOf(
  url: string,
  { statementTimeoutMs = 10_000, preparedStatements = true }: PostgresOptions,
): ClientConfig {
  if (!preparedStatements) return {}
  const given = decodeURIComponent(new URL(url).search)
  const limits = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: 5000,
    idle_in_transaction_session_timeout: 10_000,
  }
  return Object.fromEntries(Object.entries(limits).filter(([name]) => !given.includes(name)))
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
