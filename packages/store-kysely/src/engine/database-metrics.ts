type Labels = Readonly<Record<string, string>>

interface Spec {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
}

/** The part of a metrics registry (`createMetrics` from any `/metrics` entry point) used by a database. */
export interface DatabaseMetrics {
  counter(spec: Spec): { add(labels?: Labels, by?: number): void }
  gauge(spec: Spec): { set(labels: Labels, value: number): void }
  histogram(spec: Spec): { observe(labels: Labels, value: number): void }
  onCollect(collect: () => void): () => void
}

/** Observes statements and lock waits. */
export interface DatabaseWatch {
  /** Records the duration of a statement that began at `start` (`performance.now()`). */
  called(sql: string, start: number, failed?: boolean): void
  /** Records how long a write waited for SQLite's write connection, in milliseconds. */
  waited(ms: number): void
}

/** Maximum number of cached statement texts; the frequent ones are few and repeat. */
const MAX_KNOWN = 500

const KINDS: ReadonlySet<string> = new Set(['select', 'insert', 'update', 'delete'])

/** Counts statements by their kind, never by their text. */
export function watchDatabase(
  metrics: DatabaseMetrics,
  database: 'sqlite' | 'postgres',
): DatabaseWatch {
  const labels = ['database', 'kind']
  const durations = metrics.histogram({
    name: 'store_call_duration_seconds',
    help: 'Time of statements, transactions begun and ended included.',
    labels,
  })
  const failures = metrics.counter({
    name: 'store_call_failures_total',
    help: 'Statements that failed, conflicts that stores expect included.',
    labels,
  })
  const waits =
    database === 'sqlite'
      ? metrics.histogram({
          name: 'store_writer_wait_seconds',
          help: 'Time that writing waited for the writing connection of SQLite.',
        })
      : undefined
  const kinds = new Map<string, string>()
  const kindOf = (sql: string): string => {
    const known = kinds.get(sql)
    if (known !== undefined) return known
    if (kinds.size >= MAX_KNOWN) kinds.clear()
    const kind = readKind(sql)
    kinds.set(sql, kind)
    return kind
  }
  return {
    called(sql, start, failed = false) {
      const kind = kindOf(sql)
      durations.observe({ database, kind }, (performance.now() - start) / 1000)
      if (failed) failures.add({ database, kind })
    },
    waited: (ms) => waits?.observe({}, ms / 1000),
  }
}

/** The first word of a statement; statements starting with `with` count as other. */
function readKind(sql: string): string {
  const [word = ''] = /^\s*[a-z]+/i.exec(sql.slice(0, 40)) ?? []
  const kind = word.trim().toLowerCase()
  if (KINDS.has(kind)) return kind
  return /^(begin|start|commit|rollback|savepoint|release)$/.test(kind) ? 'transaction' : 'other'
}

/** State of a connection pool. */
export interface PoolFigures {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** Reports pool usage when the metrics are read; the returned function stops it. */
export function watchPool(metrics: DatabaseMetrics, pool: PoolFigures): () => void {
  const connections = metrics.gauge({
    name: 'store_pool_connections',
    help: 'Connections to the database, by whether they are in use.',
    labels: ['state'],
  })
  const waiting = metrics.gauge({
    name: 'store_pool_waiting',
    help: 'Callers that wait for a connection to the database.',
  })
  return metrics.onCollect(() => {
    const { totalCount, idleCount, waitingCount } = pool
    connections.set({ state: 'idle' }, idleCount)
    connections.set({ state: 'used' }, totalCount - idleCount)
    waiting.set({}, waitingCount)
  })
}
