import type { TransactionRecord, VertexBuildRecord } from '../store/build-records.ts'
import type { ServiceKit } from './kit.ts'

/** Records wait that long, or until there are so many of them, and are then written together. */
const DELAY_MS = 100
const BATCH = 500

/** Writes what runs leave for the monitor, behind the runs' backs (monitor.md). */
export interface RecordWriter {
  build(record: VertexBuildRecord): void
  transaction(record: TransactionRecord): void
  /** Resolves when everything given so far is written; a store that fails is reported. */
  flush(): Promise<void>
}

export function createRecordWriter({
  store,
  settings,
  runtime,
  report,
}: Pick<ServiceKit, 'store' | 'settings' | 'runtime' | 'report'>): RecordWriter {
  const buildLimits = {
    perVertex: settings.maxVertexBuildsPerVertex,
    total: settings.maxVertexBuildsToKeep,
  }
  let builds: VertexBuildRecord[] = []
  let transactions: TransactionRecord[] = []
  let waiting = false
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    waiting = false
    const [newBuilds, newTransactions] = [builds, transactions]
    if (newBuilds.length + newTransactions.length === 0) return
    builds = []
    transactions = []
    try {
      await Promise.all([
        newBuilds.length === 0 ? undefined : store.vertexBuilds.append(newBuilds, buildLimits),
        newTransactions.length === 0
          ? undefined
          : store.transactions.append(newTransactions, settings.maxTransactionsToKeep),
      ])
    } catch (error) {
      report(error)
    }
  }
  const flush = (): Promise<void> => {
    writing = writing.then(write)
    return writing
  }
  const writeSoon = (): void => {
    if (builds.length + transactions.length >= BATCH) void flush()
    else if (!waiting) {
      waiting = true
      runtime.sleep(DELAY_MS).then(flush, () => undefined)
    }
  }

  return {
    build(record) {
      builds.push(record)
      writeSoon()
    },
    transaction(record) {
      transactions.push(record)
      writeSoon()
    },
    flush,
  }
}
