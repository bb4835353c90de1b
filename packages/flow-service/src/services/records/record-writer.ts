import type { TransactionRecord, VertexBuildRecord } from '../../store/build-records.ts'
import type { RunTraceRecord } from '../../store/run-traces.ts'
import type { Runtime } from '@x/wire'
import type { FlowSettings } from '../../settings.ts'
import type { FlowStore } from '../../store/flow-store.ts'

/**
 * Flush after 100 ms or 120 records: V8's garbage collector promotes larger batches to the old generation,
 * which costs more than the saved writes.
 */
const DELAY_MS = 100
const BATCH = 120
const MAX_TRACES = 10_000

/** A vertex build that is waiting to be written. */
export interface PendingBuild extends Pick<VertexBuildRecord, 'flowId' | 'vertexId'> {
  /** Creates the record when it is written. Not called if enough newer builds of the vertex are pending. */
  readonly make: () => VertexBuildRecord
}

/** Writes monitor records in the background. */
export interface RecordWriter {
  build(build: PendingBuild): void
  transaction(record: TransactionRecord): void
  trace(record: RunTraceRecord): void
  /** Resolves when everything so far is written; store failures are reported. */
  flush(): Promise<void>
}

export interface RecordWriterOptions {
  readonly store: FlowStore
  readonly settings: FlowSettings
  readonly runtime: Runtime
  /** Called with store failures. */
  readonly report: (error: unknown) => void
}

export function createRecordWriter({
  store,
  settings,
  runtime,
  report,
}: RecordWriterOptions): RecordWriter {
  const limits = {
    perVertex: settings.maxVertexBuildsPerVertex,
    perOwner: settings.maxVertexBuildsToKeep,
  }
  const builds = createPendingBuilds(limits.perVertex)
  let transactions: TransactionRecord[] = []
  let traces: RunTraceRecord[] = []
  let waiting = false
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    waiting = false
    const newTransactions = transactions
    transactions = []
    const newTraces = traces
    traces = []
    try {
      const newBuilds = builds.take()
      await Promise.all([
        newBuilds.length === 0 ? undefined : store.vertexBuilds.append(newBuilds, limits),
        newTransactions.length === 0
          ? undefined
          : store.transactions.append(newTransactions, settings.maxTransactionsToKeep),
        newTraces.length === 0
          ? undefined
          : store.runTraces.append(newTraces, keptTraces(settings)),
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
    if (builds.size + transactions.length >= BATCH) void flush()
    else if (!waiting) {
      waiting = true
      runtime.sleep(DELAY_MS).then(flush, () => undefined)
    }
  }

  return {
    build(build) {
      builds.add(build)
      writeSoon()
    },
    transaction(record) {
      transactions.push(record)
      writeSoon()
    },
    trace(record) {
      traces.push(record)
      writeSoon()
    },
    flush,
  }
}

/** Maximum traces kept per owner, as a page of traces may have to read all of them. */
export function keptTraces({
  maxRunTracesToKeep,
}: Pick<FlowSettings, 'maxRunTracesToKeep'>): number {
  return Math.min(maxRunTracesToKeep, MAX_TRACES)
}

/** Keeps only the newest builds of each vertex, as the same write would remove older ones. */
function createPendingBuilds(perVertex: number) {
  const waiting = new Set<PendingBuild>()
  const vertices = new Map<string, PendingBuild[]>()
  return {
    get size() {
      return waiting.size
    },
    add(build: PendingBuild): void {
      const vertex = `${build.flowId}\n${build.vertexId}`
      const newest = vertices.get(vertex) ?? []
      vertices.set(vertex, newest)
      newest.push(build)
      waiting.add(build)
      const [oldest] = newest
      if (newest.length <= perVertex || oldest === undefined) return
      newest.shift()
      waiting.delete(oldest)
    },
    /** Removes and returns all records, in the order they were added. */
    take(): VertexBuildRecord[] {
      const builds = [...waiting]
      waiting.clear()
      vertices.clear()
      return builds.map(({ make }) => make())
    },
  }
}
