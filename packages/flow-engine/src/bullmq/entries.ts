import { Queue, Worker, type Job } from 'bullmq'
import { Redis } from 'ioredis'
import { reaching } from './redis-records.ts'

/** Connection to a Redis server. */
export interface RedisAddress {
  readonly host?: string
  readonly port?: number
  readonly db?: number
  readonly username?: string
  readonly password?: string
  /** Options of `tls.connect`; `{}` for TLS alone. */
  readonly tls?: object
}

/** The data of a BullMQ entry: enough to find the job with BullMQ's own tools. */
export interface EntryData {
  readonly jobId: string
  readonly flowId: string
  readonly userId: string | null
  /** A job gets a new entry each time it is queued; older ones are void. */
  readonly epoch: number
}

export type Entry = Job<EntryData>

/** The entries of a queue in BullMQ: who comes next, and who has taken what. */
export interface Entries {
  /** Adds an entry unless it is there; `first`: before all others. */
  add(data: EntryData, options?: { readonly first?: boolean }): Promise<void>
  /** Takes the entry that comes next. */
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

/** An entry whose process died before it said so goes back into the queue after this time. */
export const LOCK_MS = 60_000

/** Going back is no failure: whether the job may run again is not BullMQ's to say. */
const ALWAYS = 1_000_000

export function createEntries(options: EntriesOptions): Entries {
  const { redis, name, prefix, keep, onError } = options
  const queue = new Queue<EntryData>(name, {
    connection: redis,
    prefix,
    defaultJobOptions: { removeOnComplete: { count: keep }, removeOnFail: { count: keep } },
  })
  // BullMQ wants a connection for it that never gives up.
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

/** A client of ioredis; each command is tried again so often when the connection is lost. */
export function connect(
  connection: string | RedisAddress,
  options: { readonly maxRetriesPerRequest: number | null },
): Redis {
  return typeof connection === 'string'
    ? new Redis(connection, options)
    : new Redis({ ...connection, ...options })
}

/** BullMQ takes no colons and no mere numbers; scripts put the same together. */
function entryId(jobId: string, epoch: number): string {
  return `${entryBase(jobId)}-${epoch}`
}

/** The ids of all entries of a job begin with it. */
export function entryBase(jobId: string): string {
  return encodeURIComponent(jobId)
}
