import { hostname } from 'node:os'
import type { Settings } from './read-settings.ts'

/** How many builds run and wait, and how long finished ones are kept. */
export function queueOptions(settings: Settings) {
  const { SERVICE_MAX_CONCURRENT_BUILDS: all, SERVICE_MAX_BUILDS_PER_USER: perUser } = settings
  const role = (settings.SERVICE_ROLE ?? 'all') as 'all' | 'web' | 'worker'
  const leaseMs = (settings.SERVICE_LEASE_SECONDS ?? 15) * 1000
  return {
    leaseMs,
    ...(role === 'web' ? { work: false } : {}),
    process: {
      name: settings.SERVICE_PROCESS_NAME ?? `${hostname()}:${process.pid}`,
      role,
    },
    ...(all === undefined ? {} : { concurrency: all }),
    ...(perUser === undefined ? {} : { concurrencyPerUser: perUser }),
    maxQueued: settings.SERVICE_MAX_QUEUED_BUILDS ?? 1000,
    retention: {
      maxAgeMs: (settings.SERVICE_JOB_RETENTION_HOURS ?? 24) * 3_600_000,
      maxJobs: settings.SERVICE_JOB_RETENTION_COUNT ?? 1000,
    },
  }
}

export const isPostgres = ({ SERVICE_DATABASE_URL: address = '' }: Settings): boolean =>
  address.startsWith('postgres')

/** How long a start waits for the database, and a statement for its answer. */
export function databaseOptions(settings: Settings) {
  return {
    maxConnections: settings.SERVICE_DATABASE_CONNECTIONS ?? 10,
    statementTimeoutMs: (settings.SERVICE_DATABASE_STATEMENT_SECONDS ?? 10) * 1000,
    waitMs: (settings.SERVICE_DATABASE_WAIT_SECONDS ?? 30) * 1000,
  }
}
