import type { ClaimedJob, JobQueue } from '../store/job-store.ts'
import { QueueFullError, UniqueConflictError } from '../store/store-error.ts'
import {
  connect,
  createEntries,
  entryBase,
  LOCK_MS,
  type Entries,
  type Entry,
  type RedisAddress,
} from './entries.ts'
import { formatFixed, parseFields, toClaimedJob, toListedJob, toStoredJob } from './record.ts'
import { createRedisRecords } from './redis-records.ts'

/** Options of a BullMQ queue. */
export interface BullMqQueueOptions {
  /** `redis://...` (`rediss://` for TLS), or its parts. */
  readonly connection: string | RedisAddress
  /** Queue name in BullMQ. Default `flow-builds`. */
  readonly name?: string
  /** Prefix of all keys. Default `{flow}`: the braces place them in the same Redis cluster slot. */
  readonly prefix?: string
  /** Finished entries kept for BullMQ's tools. Default 1,000. */
  readonly keepEntries?: number
  /** Called with connection errors; connections are re-established automatically. */
  onError?(error: unknown): void
}

const MIN_LOOK_MS = 100

/** A job queue shared by any number of processes. */
export interface BullMqQueue extends JobQueue {
  /** Closes its connections. */
  close(): Promise<void>
}

/**
 * Creates a job queue backed by BullMQ on Redis, for a job store whose log is in a shared database.
 * BullMQ orders the jobs, hands each to one worker and shows them in its tools; the state that decides about
 * a job is a separate record, changed atomically by scripts. Methods throw StoreUnavailableError if Redis
 * does not respond.
 */
export function createBullMqQueue(options: BullMqQueueOptions): BullMqQueue {
  const { name = 'flow-builds', prefix = '{flow}', keepEntries = 1000 } = options
  const onError = (error: unknown): void => options.onError?.(error)
  const redis = connect(options.connection, { maxRetriesPerRequest: 2 })
  redis.on('error', onError)
  const records = createRedisRecords(redis, `${prefix}:${name}:flow:`)
  const { connection } = options
  const lanes = new Map<string, Entries>()
  /** One BullMQ queue for each lane, because BullMQ hands out entries strictly in order. */
  const entriesOf = (lane: string): Entries => {
    const made = lanes.get(lane)
    if (made !== undefined) return made
    const own = lane === '' ? name : `${name}-${lane}`
    const entries = createEntries({
      redis,
      connection,
      name: own,
      prefix,
      keep: keepEntries,
      onError,
    })
    lanes.set(lane, entries)
    return entries
  }
  /** Missing entries are searched for once per lease; a claim tells its length. */
  let lookEveryMs = 30_000
  /** Entries of the jobs this process runs. */
  const held = new Map<string, Entry>()

  const addEntry = async (jobId: string, epoch: number, first = false): Promise<void> => {
    const job = await get(jobId)
    if (job === null) return
    const { flowId, userId } = job
    await entriesOf(job.lane).add({ jobId, flowId, userId, epoch }, { first })
  }
  /**
   * Adds a job that waited for another job of the same user; it goes ahead, as it was queued before most
   * others.
   */
  const addFreed = async (freed: unknown): Promise<void> => {
    if (Array.isArray(freed) && freed.length === 2)
      await addEntry(String(freed[0]), Number(freed[1]), true)
  }
  const get: JobQueue['get'] = async (jobId) => {
    const fields = parseFields(await records.read(jobId))
    return fields.size === 0 ? null : toStoredJob(fields)
  }
  /** Ends the entry of a job. It may fail, because it is only informational. */
  const endEntry = async (jobId: string, worker: string, failure?: string): Promise<void> => {
    const entry = held.get(jobId)
    held.delete(jobId)
    if (entry === undefined) return
    const end =
      failure === undefined
        ? entry.moveToCompleted(null, worker, false)
        : entry.moveToFailed(new Error(failure), worker, false)
    await end.catch(onError)
  }

  return {
    shared: true,

    async enqueue({ maxQueued, ...job }) {
      const { id, flowId, userId, resumable, maxRunningPerUser, lane } = job
      const answer = await records.run(
        'ENQUEUE',
        id,
        formatFixed(job),
        userId === null ? '' : lane === '' ? userId : `${lane}/${userId}`,
        maxRunningPerUser ?? '',
        resumable ? 1 : 0,
        maxQueued ?? '',
        lane,
        flowId,
        entryBase(id),
        markedSession(job.sessionId),
        job.createdAt.getTime(),
        job.flowVersion ?? '',
      )
      if (answer === 'taken') throw new UniqueConflictError('job.id')
      if (answer === 'full') throw new QueueFullError(maxQueued ?? 0)
      await entriesOf(lane).add({ jobId: id, flowId, userId, epoch: Number(answer) })
    },

    async claim(worker, leaseUntil, now, open = ['', ...lanes.keys()]) {
      if (!(await records.anyQueued())) return null
      const asked = [...new Set(open)].map(entriesOf)
      lookEveryMs = Math.max(MIN_LOOK_MS, leaseUntil.getTime() - now.getTime())
      for (;;) {
        const entry = await firstOf(asked, worker)
        if (entry === undefined) return null
        const { jobId, epoch } = entry.data
        const times = [leaseUntil.getTime(), now.getTime()]
        const answer = await records.run('CLAIM', jobId, epoch, worker, ...times)
        if (Array.isArray(answer)) {
          held.set(jobId, entry)
          return toClaimedJob(parseFields(answer))
        }
        await entry.moveToCompleted(null, worker, false).catch(onError)
      }
    },

    async heartbeat(jobId, worker, leaseUntil) {
      const answer = await records.run('HEARTBEAT', jobId, worker, leaseUntil.getTime())
      if (answer !== 'lost') await held.get(jobId)?.extendLock(worker, LOCK_MS).catch(onError)
      return answer === 'kept' || answer === 'cancel' ? answer : 'lost'
    },

    async finish(jobId, worker, { state, finishedAt, error, usage }) {
      const outcome = [state, finishedAt.getTime(), JSON.stringify(error ?? null), jsonText(usage)]
      const freed = await records.run('FINISH', jobId, worker, ...outcome)
      await endEntry(jobId, worker, state === 'failed' ? (error?.detail ?? state) : undefined)
      await addFreed(freed)
      return freed !== null
    },

    async release(jobId, worker) {
      const released = await records.run('RELEASE', jobId, worker)
      await endEntry(jobId, worker)
      if (released === null) return false
      const [epoch, freed] = listOf(released)
      await addEntry(jobId, Number(epoch))
      await addFreed(freed)
      return true
    },

    async suspend(jobId, worker, { question, askedAt, wakeAt, usage }) {
      const times = [askedAt.getTime(), wakeAt?.getTime() ?? '']
      const rest = [JSON.stringify(question ?? null), ...times, jsonText(usage)]
      const freed = await records.run('SUSPEND', jobId, worker, ...rest)
      await endEntry(jobId, worker)
      await addFreed(freed)
      return freed !== null
    },

    async resume(jobId, answer, _now, attempts) {
      const given = JSON.stringify(answer ?? null)
      const epoch = await records.run('RESUME', jobId, given, attempts ?? '')
      if (epoch === null) return false
      await addEntry(jobId, Number(epoch))
      return true
    },

    async due(now) {
      const woken = listOf(await records.run('DUE', now.getTime())).map(listOf)
      for (const [jobId, epoch] of woken) await addEntry(String(jobId), Number(epoch))
      return woken.map(([jobId]) => String(jobId))
    },

    async pending({ userId = '', flowId = '', after = '', limit }) {
      const found = await records.run('PENDING', after, limit, userId, flowId)
      return listOf(found).map((fields) => toStoredJob(parseFields(listOf(fields))))
    },

    async requestCancel(jobId, now) {
      const answer = await records.run('CANCEL', jobId, now.getTime())
      if (answer === null) return false
      if (answer !== 'running') {
        const lane = (await get(jobId))?.lane ?? ''
        await entriesOf(lane).remove(jobId, Number(answer))
      }
      return true
    },

    async expired(now) {
      const late: ClaimedJob[] = []
      for (const found of listOf(await records.run('EXPIRED', now.getTime()))) {
        const [jobId, before, epoch, freed] = listOf(found)
        late.push(toClaimedJob(parseFields(listOf(before))))
        if (Number(epoch) > 0) await addEntry(String(jobId), Number(epoch))
        await addFreed(freed)
      }
      await addMissing()
      return late
    },

    get,

    async now() {
      const [seconds = 0, microseconds = 0] = listOf(await redis.time()).map(Number)
      return new Date(seconds * 1000 + Math.floor(microseconds / 1000))
    },

    async countOpen() {
      const [queued = 0, running = 0, suspended = 0] = listOf(await records.run('COUNT')).map(
        Number,
      )
      return { queued, running, suspended }
    },

    async list({ userId, flowId = '', sessionId, states, lanes: among, from, to, offset, limit }) {
      const marked = markedSession(sessionId ?? null)
      const named = [userId, flowId, marked, namesText(states), namesText(among)]
      const times = [from?.getTime() ?? '-inf', to?.getTime() ?? '+inf']
      const [total, found] = listOf(await records.run('LIST', ...named, ...times, offset, limit))
      const items = listOf(found).map((fields) => toListedJob(parseFields(listOf(fields)), userId))
      return { items, total: Number(total) }
    },

    async trim({ before, keep, spare, once }) {
      const spared = spare === undefined ? '+inf' : spare.getTime()
      const asked = once === undefined ? '+inf' : once.getTime()
      return listOf(await records.run('TRIM', before.getTime(), keep, spared, asked)).map(String)
    },

    async close() {
      await Promise.all([...lanes.values()].map((entries) => entries.close()))
      redis.disconnect()
    },
  }

  /**
   * A process may have died between writing a record and its entry, or an operator may have removed the
   * entry. One of the processes checks once per lease.
   */
  async function addMissing(): Promise<void> {
    const missing = await records.run('MISSING', lookEveryMs, `${prefix}:${name}`)
    for (const [id, epoch] of listOf(missing).map(listOf)) {
      const [jobId, number] = [String(id), Number(epoch)]
      const { lane = '' } = (await get(jobId)) ?? {}
      await entriesOf(lane).remove(jobId, number)
      await addEntry(jobId, number)
    }
  }
}

/** The next entry of the first lane that has one. */
async function firstOf(lanes: readonly Entries[], worker: string): Promise<Entry | undefined> {
  for (const entries of lanes) {
    const entry = await entries.take(worker)
    if (entry !== undefined) return entry
  }
  return undefined
}

/** The mark distinguishes an empty session from none. */
const markedSession = (session: string | null): string => (session === null ? '' : `=${session}`)

const namesText = (names: readonly string[] | undefined): string =>
  names === undefined ? '' : `,${names.join(',')},`

const jsonText = (value: object | undefined): string =>
  value === undefined ? '' : JSON.stringify(value)

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
