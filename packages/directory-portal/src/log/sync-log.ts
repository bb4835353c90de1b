import { fold, type ScimObservation } from '@x/scim-core'
import { createSystemRuntime, type Runtime } from '@x/wire'
import type { FactsChange, LogBatch, PortalStore } from '../store/portal-store.ts'
import { isUserWrite, searchText, type LogEntry } from './log-entry.ts'
import { outcomeOf } from './outcome.ts'

export interface SyncLogOptions {
  readonly store: PortalStore
  readonly runtime?: Runtime
  /** Called when a batch cannot be written, and with the number of requests lost while 10,000 waited. */
  readonly onError?: (error: unknown) => void
}

/** Writes what connections send, in batches beside the requests. */
export interface SyncLog {
  /** For `createScimService`. */
  readonly observe: (request: ScimObservation) => void
  /** Resolves when everything observed so far is written. */
  flush(): Promise<void>
  /** Resolves at the next write for this connection by this process; rejects with the signal's reason. */
  changed(connectionId: string, signal: AbortSignal): Promise<void>
  /** Writes what is left; later requests are not observed. */
  close(): Promise<void>
}

const BATCH_MS = 200
const BATCH_SIZE = 100
const MINUTE = 60_000
/** Entries that wait for a database that does not answer; the oldest are dropped. */
const MAX_WAITING = 10_000
const MAX_BODY = 65_536
const MAX_TEXT = 1_000

/** The log of all connections; one for each process. */
export function createSyncLog({
  store,
  runtime = createSystemRuntime(),
  onError = () => undefined,
}: SyncLogOptions): SyncLog {
  const waiting: ScimObservation[] = []
  /** Ends the time in which a batch is collected. */
  let collecting: AbortController | null = null
  /** The batch on its way; never two, so that a slow database has one to finish. */
  let writing: Promise<void> | null = null
  /** How many were observed, and how many of them were written or lost. */
  const count = { seen: 0, done: 0, dropped: 0 }
  let isClosed = false
  /** When an entry about a refused secret was last written, by connection and outcome. */
  const refusals = new Map<string, { at: number; missed: number }>()
  const watchers = new Map<string, Set<() => void>>()

  const writeBatch = async (): Promise<void> => {
    const taken = waiting.splice(0, BATCH_SIZE)
    const batch = batchOf(taken, refusals)
    try {
      await store.log.append(batch)
    } catch (error) {
      onError(error)
    }
    count.done += taken.length
    if (count.dropped > 0)
      onError(new Error(`The sync log lost ${count.dropped} requests: the database was too slow.`))
    count.dropped = 0
    writing = null
    for (const { connectionId } of batch.facts)
      for (const wake of watchers.get(connectionId) ?? []) wake()
  }
  /** Waits for what was observed before, not for what arrives meanwhile. */
  const flush = async (): Promise<void> => {
    collecting?.abort()
    collecting = null
    const target = count.seen
    while (count.done < target) await (writing ??= writeBatch())
  }
  const collect = (): void => {
    collecting = new AbortController()
    // It is aborted by whoever writes the batch earlier.
    void runtime.sleep(BATCH_MS, collecting.signal).then(flush, () => undefined)
  }

  return {
    observe(request) {
      if (isClosed || request.tenant === null) return
      const isOwn = request.connectionId !== undefined
      if (!isOwn && !(request.resourceType === 'User' && request.status < 300)) return
      waiting.push(request)
      count.seen += 1
      if (waiting.length > MAX_WAITING) {
        waiting.shift()
        count.done += 1
        count.dropped += 1
      }
      if (waiting.length >= BATCH_SIZE && writing === null) void flush()
      else if (collecting === null) collect()
    },
    flush,
    changed: (connectionId, signal) =>
      new Promise((resolve, reject) => {
        const known = watchers.get(connectionId) ?? new Set()
        const leave = (): void => {
          known.delete(wake)
          if (known.size === 0) watchers.delete(connectionId)
          signal.removeEventListener('abort', stop)
        }
        const wake = (): void => {
          leave()
          resolve()
        }
        const stop = (): void => {
          leave()
          reject(signal.reason as Error)
        }
        if (signal.aborted) {
          reject(signal.reason as Error)
          return
        }
        watchers.set(connectionId, known.add(wake))
        signal.addEventListener('abort', stop, { once: true })
      }),
    close() {
      isClosed = true
      return flush()
    },
  }
}

type Refusals = Map<string, { at: number; missed: number }>

function batchOf(requests: readonly ScimObservation[], refusals: Refusals): LogBatch {
  const log: LogBatch['log'][number][] = []
  const received: LogBatch['received'][number][] = []
  const writers: LogBatch['writers'][number][] = []
  const facts = new Map<string, FactsChange>()
  for (const request of requests) {
    const { tenant, connectionId = null } = request
    if (tenant === null) continue
    const at = new Date(request.at)
    const entry = entryOf(request)
    const { resourceId } = entry
    if (isUserWrite(entry) && resourceId !== null)
      writers.push({ tenant, userId: resourceId, connectionId, at })
    if (connectionId === null) continue
    const count = countOf(refusals, { connectionId, entry, at: at.getTime() })
    if (count === 0) continue
    const { requestId, outcome, op } = entry
    const counted = { ...entry, count }
    const search = searchText(counted, fold)
    log.push({ tenant, connectionId, at, requestId, outcome, op, search, entry: counted })
    if (request.body !== undefined)
      received.push({
        tenant,
        connectionId,
        requestId,
        at,
        userId: resourceId,
        userName: entry.name,
        op,
        body: JSON.stringify(request.body).length > MAX_BODY ? '(too long)' : request.body,
        ignored: request.ignored,
      })
    addFacts(facts, { tenant, connectionId, entry, at })
  }
  return { log, received, writers, facts: [...facts.values()] }
}

function addFacts(
  facts: Map<string, FactsChange>,
  {
    tenant,
    connectionId,
    entry,
    at,
  }: {
    readonly tenant: string
    readonly connectionId: string
    readonly entry: LogEntry
    readonly at: Date
  },
): void {
  const known = facts.get(connectionId)
  // A refused credential is no request of the connection.
  const isRequest = !isRefusal(entry)
  const { resourceId, name } = entry
  const isFirst = isUserWrite(entry) && resourceId !== null
  facts.set(connectionId, {
    tenant,
    connectionId,
    requests: (known?.requests ?? 0) + (isRequest ? 1 : 0),
    lastRequestAt: isRequest ? at : (known?.lastRequestAt ?? null),
    firstUser: known?.firstUser ?? (isFirst ? { id: resourceId, userName: name, at } : null),
  })
}

const isRefusal = ({ outcome }: LogEntry): boolean => outcome.endsWith('_secret')

/** How many requests an entry stands for; 0: it is left out, because one like it was written this minute. */
function countOf(
  refusals: Refusals,
  {
    connectionId,
    entry,
    at,
  }: { readonly connectionId: string; readonly entry: LogEntry; readonly at: number },
): number {
  if (!isRefusal(entry)) return 1
  const key = `${connectionId} ${entry.outcome}`
  const last = refusals.get(key)
  if (last !== undefined && at - last.at < MINUTE) {
    last.missed += 1
    return 0
  }
  if (refusals.size >= MAX_WAITING) refusals.clear()
  refusals.set(key, { at, missed: 0 })
  return 1 + (last?.missed ?? 0)
}

function entryOf(request: ScimObservation): LogEntry {
  const { members, scimType, op, status } = request
  const outcome = outcomeOf(request)
  return {
    requestId: request.requestId.slice(0, MAX_TEXT),
    at: request.at,
    op,
    resourceType: request.resourceType,
    resourceId: cut(request.resourceId),
    name: cut(request.name),
    status,
    outcome,
    scimType: scimType ?? null,
    detail: cut(request.path !== null && op === 'other' ? request.path : request.detail),
    changed: request.changed,
    ignored: request.ignored.map(({ path }) => path),
    members: members ?? null,
    durationMs: request.durationMs,
    secretId: request.secretId,
    clientAddress: request.clientAddress,
    count: 1,
  }
}

const cut = (text: string | null): string | null => text && text.slice(0, MAX_TEXT)
