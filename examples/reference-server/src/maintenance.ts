import type { FlowStore } from '@x/flow-engine'
import { createSystemRuntime, type Runtime } from '@x/flow-engine/graph'
import { optimizeDatabase } from '@x/store-kysely'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export interface MaintenanceOptions {
  readonly db: Parameters<typeof optimizeDatabase>[0]
  readonly store: Pick<FlowStore, 'messages' | 'vertexBuilds' | 'transactions'>
  /** Removes files of strangers that are older than a day. */
  readonly sweepUploads?: () => Promise<void>
  /** What public builds leave behind stays that long, in milliseconds. */
  readonly retentionMs: number
  readonly runtime?: Runtime
  readonly onError: (error: unknown) => void
}

/**
 * What a database needs now and then: a minute after the start and then each hour, messages, build
 * records and transactions of public builds and files of strangers are removed that are too old; once
 * a day the query planner is told what the tables hold. Finished jobs are removed by the engine.
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
