import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Runtime } from '@x/wire'
import { FlowError, invalidRequest, limitExceeded } from '../errors.ts'
import type { ScheduleStore, StoredSchedule } from '../store/schedules.ts'
import { isQueueFull, isStoreUnavailable, isUniqueConflict } from '../store/store-error.ts'
import type { ScheduleEntry, ScheduleRecord } from './build-jobs.ts'
import type { BuildRequest } from './build-request.ts'
import { readCron } from './cron-times.ts'
import type { JobSeal } from './job-seal.ts'
import { formatStoredRequest, UNSTORABLE, parseStoredRequest } from './request-codec.ts'

export interface SchedulesOptions {
  readonly store: ScheduleStore | undefined
  readonly runtime: Runtime
  readonly seal: JobSeal
  /** Milliseconds after which a time that no process has taken counts as missed. */
  readonly patienceMs: number
  /** Maximum number of schedules per user. */
  readonly most: number
  /** Queues a job with that id. @throws UniqueConflictError `job.id`; QueueFullError */
  readonly enqueue: (jobId: string, request: BuildRequest) => Promise<void>
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** Jobs started on a schedule. */
export interface Schedules {
  schedule(id: string, entry: ScheduleEntry): Promise<ScheduleRecord>
  schedules(query?: { userId?: string }): Promise<ScheduleRecord[]>
  unschedule(id: string, options?: { userId?: string }): Promise<boolean>
  /** Starts the due jobs. */
  look(): Promise<void>
}

const DUE_AT_ONCE = 100
const MAX_ID_LENGTH = 200

export function createSchedules(options: SchedulesOptions): Schedules {
  const { store, runtime, seal, most } = options
  const kept = (): ScheduleStore => {
    if (store !== undefined) return store
    throw new FlowError('not_resumable', 'This job store does not support schedules')
  }
  return {
    async schedule(id, { cron, timeZone = 'UTC', request, missed = 'skip', until = null }) {
      const schedules = kept()
      checkEntry(id, { request, missed, until })
      const times = await readCron({ cron, timeZone, until })
      const before = await schedules.get(id)
      const userId = request.userId ?? null
      if (before !== null && before.userId !== userId)
        throw new FlowError('conflict', `The schedule ${id} belongs to another user`)
      // Hosts register schedules again when they start; times missed meanwhile are not forgotten.
      const isSame =
        before?.cron === cron &&
        before.timeZone === timeZone &&
        Number(before.until) === Number(until)
      const nextAt = isSame ? before.nextAt : times.next(runtime.now())
      if (nextAt === null && !isSame) throw invalidRequest(`cron "${cron}" matches no future time`)
      const stored: StoredSchedule = {
        id,
        cron,
        timeZone,
        userId,
        flowId: request.flowId ?? null,
        request: await formatStoredRequest(contextOf(id), request, seal),
        missed,
        until,
        nextAt,
        lastAt: null,
        lastJobId: null,
      }
      if (!(await schedules.put(stored, most)))
        throw limitExceeded('maxSchedules', `a user may have ${most} schedules`, 429)
      const { lastAt = null, lastJobId = null } = before ?? {}
      return toRecord({ ...stored, lastAt, lastJobId })
    },
    schedules: async ({ userId } = {}) => (await kept().list({ userId })).map(toRecord),
    async unschedule(id, { userId } = {}) {
      const found = await kept().get(id)
      if (found === null || (userId !== undefined && found.userId !== userId)) return false
      return await kept().remove(id)
    },
    async look() {
      if (store === undefined) return
      const seen = new Set<string>()
      for (;;) {
        const now = runtime.now()
        const due = await store.due(now, DUE_AT_ONCE)
        // A schedule that could not be started is tried again at the next check.
        const fresh = due.filter(({ id, nextAt }) => !seen.has(`${Number(nextAt)} ${id}`))
        for (const { id, nextAt } of fresh) seen.add(`${Number(nextAt)} ${id}`)
        for (const schedule of fresh) await take(options, store, { schedule, now })
        if (fresh.length === 0) return
      }
    },
  }
}

function checkEntry(
  id: string,
  {
    request,
    missed,
    until,
  }: Required<Pick<ScheduleEntry, 'request' | 'missed'>> & {
    readonly until: Date | null
  },
): void {
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH)
    throw invalidRequest(`The id of a schedule must have 1 to ${MAX_ID_LENGTH} characters`)
  if (!['skip', 'once'].includes(missed)) throw invalidRequest('missed must be "skip" or "once"')
  if (until !== null && !Number.isFinite(until.getTime()))
    throw invalidRequest('until must be a valid date')
  const living = UNSTORABLE.find((key) => request[key] !== undefined)
  if (living !== undefined)
    throw invalidRequest(`request.${living} exists only in this process and cannot be scheduled`)
}

/**
 * Starts the job of a due time, unless it was missed and is skipped, and sets the next time. Concurrent
 * processes derive the same job id, so only one of them succeeds.
 */
async function take(
  options: SchedulesOptions,
  store: ScheduleStore,
  { schedule, now }: { readonly schedule: StoredSchedule; readonly now: Date },
): Promise<void> {
  const { patienceMs, onError } = options
  const { id, nextAt, missed } = schedule
  if (nextAt === null) return
  try {
    const inTime = now.getTime() - patienceMs
    const isMissed = nextAt.getTime() < inTime
    const times = await readCron(schedule)
    const next = times.next(isMissed ? new Date(inTime) : nextAt)
    if (isMissed && missed === 'skip') {
      await store.advance(id, nextAt, { nextAt: next })
      return
    }
    const jobId = jobIdOf(id, nextAt)
    const isStarted = await start(options, schedule, jobId)
    const started = isStarted ? { lastAt: nextAt, lastJobId: jobId } : {}
    await store.advance(id, nextAt, { nextAt: next, ...started })
  } catch (error) {
    onError(error, {})
  }
}

/** Returns false for a request that cannot be read: this time is skipped and the next one is tried. */
async function start(
  { seal, enqueue, onError }: SchedulesOptions,
  { id, request }: StoredSchedule,
  jobId: string,
): Promise<boolean> {
  try {
    await enqueue(jobId, await parseStoredRequest(contextOf(id), request, seal))
    return true
  } catch (error) {
    if (isUniqueConflict(error)) return true
    if (isQueueFull(error) || isStoreUnavailable(error)) throw error
    onError(error, { jobId })
    return false
  }
}

/** Equal in every process, so that the job cannot be queued twice. */
function jobIdOf(scheduleId: string, dueAt: Date): string {
  const hex = bytesToHex(sha256(utf8ToBytes(`${dueAt.getTime()} ${scheduleId}`)))
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4] ?? '8'
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** The encryption context of a sealed request. */
const contextOf = (id: string): string => `schedule:${id}`

function toRecord(schedule: StoredSchedule): ScheduleRecord {
  const { id, cron, timeZone, userId, flowId, nextAt, lastAt, lastJobId } = schedule
  return {
    id,
    cron,
    timeZone,
    nextAt,
    lastAt,
    lastJobId,
    ...(userId === null ? {} : { userId }),
    ...(flowId === null ? {} : { flowId }),
  }
}
