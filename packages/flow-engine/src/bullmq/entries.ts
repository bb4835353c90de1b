import { Queue, Worker, type Job } from 'bullmq'
import { Redis } from 'ioredis'
import { reaching } from './redis-records.ts'

/** Connection settings of a Redis server. */
export interface RedisAddress {
  readonly host?: string
  readonly port?: number
  readonly db?: number
  readonly username?: string
  readonly password?: string
  /** Options of `tls.connect`; `{}` enables TLS with defaults. */
  readonly tls?: object
}

/** The data of a BullMQ entry: enough to find the job in BullMQ's own tools. */
export interface EntryData {
  readonly jobId: string
  readonly flowId: string
  readonly userId: string | null
  /** Incremented each time the job is queued; older entries are void. */
  readonly epoch: number
}

export type Entry = Job<EntryData>

/** The BullMQ entries of a queue: their order and who has claimed them. */
export interface Entries {
  /** Adds an entry unless it exists. `first`: ahead of all others. */
  add(data: EntryData, options?: { readonly first?: boolean }): Promise<void>
  /** Claims the next entry. */
  take(token: string): Promise<Entry | undefined>
  remove(jobId: string, epoch: number): Promise<void>
  close(): Promise<void>
}

export interface EntriesOptions {
  readonly redis: Redis
  readonly connection: string | RedisAddress
  readonly name: string
  readonly prefix: string
  readonly keep: number
  readonly onError: (error: unknown) => void
}

/** An entry whose process died is returned to the queue after this time. */
export const LOCK_MS = 60_000

/** Returning an entry is not a failure: BullMQ does not decide whether the job may run again. */
const ALWAYS = 1_000_000

export function createEntries(options: EntriesOptions): Entries {
  const { redis, name, prefix, keep, onError } = options
  const queue = new Queue<EntryData>(name, {
    connection: redis,
    prefix,
    defaultJobOptions: { removeOnComplete: { count: keep }, removeOnFail: { count: keep } },
  })
  // BullMQ requires a connection with unlimited retries for this.
  const patient = connect(options.connection, { maxRetriesPerRequest: null })
  const worker = new Worker<EntryData>(name, undefined, {
    connection: patient,
    prefix,
    autorun: false,
    lockDuration: LOCK_MS,
    maxStalledCount: ALWAYS,
  })
  queue.on('error', onError)
  worker.on('error', onError)
  patient.on('error', onError)
  let watching: Promise<void> | undefined

  return {
    async add(data, { first = false } = {}) {
      const jobId = entryId(data.jobId, data.epoch)
      await reaching(() => queue.add('build', data, { jobId, ...(first ? { lifo: true } : {}) }))
    },
    async take(token) {
      watching ??= worker.startStalledCheckTimer().catch(onError)
      return reaching(() => worker.getNextJob(token, { block: false }))
    },
    async remove(jobId, epoch) {
      await queue.remove(entryId(jobId, epoch)).catch(() => 0)
    },
    async close() {
      await worker.close()
      await watching
      await queue.close()
      patient.disconnect()
    },
  }
}

/** Creates an ioredis client; commands are retried this often when the connection is lost. */
export function connect(
  connection: string | RedisAddress,
  options: { readonly maxRetriesPerRequest: number | null },
): Redis {
  return typeof connection === 'string'
    ? new Redis(connection, options)
    : new Redis({ ...connection, ...options })
}

/** BullMQ does not allow colons or purely numeric ids; the scripts compose the same id. */
function entryId(jobId: string, epoch: number): string {
  return `${entryBase(jobId)}-${epoch}`
}

/** The common prefix of the ids of a job's entries. */
export function entryBase(jobId: string): string {
  return encodeURIComponent(jobId)
}
