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
