import type { AuditStore, FlowStore } from '@x/flow-service/store'
import { createSystemRuntime, type Runtime } from '@x/flow-engine'
import { optimizeDatabase } from '@x/store-kysely'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const AUDIT_DAYS = 90

export interface MaintenanceOptions {
  readonly db: Parameters<typeof optimizeDatabase>[0]
  readonly store: Pick<FlowStore, 'messages' | 'vertexBuilds' | 'transactions'>
  /** Audit records are kept for 90 days (OP-11). */
  readonly audit?: Pick<AuditStore, 'trim'>
  /** Removes anonymous uploads older than a day. */
  readonly sweepUploads?: () => Promise<void>
  /** Age in milliseconds at which data of public builds is removed. */
  readonly retentionMs: number
  readonly runtime?: Runtime
  readonly onError: (error: unknown) => void
}

/**
 * Maintains the database. A minute after the start and then hourly, it removes expired messages, build
 * records and transactions of public builds, and anonymous uploads; once a day it updates the query
 * planner's statistics. The engine removes finished jobs.
 */
export function startMaintenance(options: MaintenanceOptions): { stop(): Promise<void> } {
  const { db, store, retentionMs, runtime = createSystemRuntime(), onError } = options
  const stopping = new AbortController()

  const trim = async (): Promise<void> => {
    const before = new Date(runtime.now().getTime() - retentionMs)
    await store.messages.trimPublic(before)
    await store.vertexBuilds.trimPublic(before)
    await store.transactions.trimPublic(before)
    await options.sweepUploads?.()
    await options.audit?.trim(new Date(runtime.now().getTime() - AUDIT_DAYS * 24 * HOUR_MS))
  }
  const goOn = async (): Promise<void> => {
    await runtime.sleep(MINUTE_MS, stopping.signal)
    for (let hour = 0; ; hour = (hour + 1) % 24) {
      await trim().catch(onError)
      if (hour === 0) await optimizeDatabase(db).catch(onError)
      await runtime.sleep(HOUR_MS, stopping.signal)
    }
  }
  const ended = goOn().catch((error: unknown) => {
    if (!stopping.signal.aborted) onError(error)
  })
  return {
    async stop() {
      stopping.abort()
      await ended
    },
  }
}
