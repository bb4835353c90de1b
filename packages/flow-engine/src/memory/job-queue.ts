import { freshJob } from '../store/fresh-job.ts'
import type {
  ClaimedJob,
  JobListQuery,
  JobQueue,
  ListedJob,
  StoredJob,
} from '../store/job-store.ts'
import { QueueFullError, UniqueConflictError } from '../store/store-error.ts'
import { copy } from '@x/wire'
import { createTurns } from './turns.ts'

type MemoryJob = StoredJob & { readonly worker: string | null; readonly leaseUntil: Date | null }

/** Total characters of finished jobs; above this, the next `trim` removes the oldest. */
const MAX_FINISHED = 256 * 1024 * 1024

/**
 * The job queue of one process.
 * @param sizeOf characters a job occupies besides its request
 */
export function createMemoryQueue(
  sizeOf: (jobId: string) => number,
): JobQueue & Required<Pick<JobQueue, 'adopt'>> {
  /** Sizes of finished jobs, which no longer change. */
  const sizes = new Map<string, number>()
  const jobs = new Map<string, MemoryJob>()
  const results = new Map<string, string>()
  const turns = createTurns<MemoryJob>()
  const put = (job: MemoryJob): void => {
    const before = jobs.get(job.id)
    if (before !== undefined) turns.leave(before)
    turns.enter(job)
    jobs.set(job.id, job)
  }
  const held = (id: string, worker: string): MemoryJob | undefined => {
    const job = jobs.get(id)
    return job?.state === 'running' && job.worker === worker ? job : undefined
  }
  const requeue = (job: MemoryJob): void =>
    put({ ...job, state: 'queued', worker: null, leaseUntil: null })
  const suspended = (): MemoryJob[] =>
    [...jobs.values()].filter(({ state }) => state === 'suspended').toSorted(byAskedAt)

  return {
    shared: false,
    async enqueue({ maxQueued, ...job }) {
      if (jobs.has(job.id)) throw new UniqueConflictError('job.id')
      if (maxQueued !== null && turns.waitingIn(job.lane) >= maxQueued)
        throw new QueueFullError(maxQueued)
      put({ worker: null, leaseUntil: null, ...freshJob(copy(job)) })
    },
    async enqueueAll(all) {
      const counts = new Map<string, number>()
      for (const { id, lane, maxQueued } of all) {
        const waiting = counts.get(lane) ?? turns.waitingIn(lane)
        if (jobs.has(id)) throw new UniqueConflictError('job.id')
        if (maxQueued !== null && waiting >= maxQueued) throw new QueueFullError(maxQueued)
        counts.set(lane, waiting + 1)
      }
      for (const { maxQueued: _, ...job } of all)
        put({ worker: null, leaseUntil: null, ...freshJob(copy(job)) })
    },
    async claim(worker, leaseUntil, now, lanes, { suspects = true, apart } = {}) {
      const id = turns.next({ lanes, suspects, apart })
      const job = id === undefined ? undefined : jobs.get(id)
      if (job === undefined) return null
      const claimed: ClaimedJob = {
        ...job,
        state: 'running',
        worker,
        leaseUntil: new Date(leaseUntil),
        attempts: job.attempts + 1,
        startedAt: job.startedAt ?? new Date(now),
      }
      put(claimed)
      return copy(claimed)
    },
    /** Without its log and its checkpoints. */
    async adopt({ job: { maxQueued: _, ...job }, worker, leaseUntil, startedAt }) {
      if (jobs.has(job.id)) throw new UniqueConflictError('job.id')
      const claim = { worker, leaseUntil, startedAt, attempts: 1 }
      put({ ...freshJob(copy(job)), ...claim, state: 'running' })
    },
    waitsApart: async (crashes) =>
      [...jobs.values()].some((job) => job.state === 'queued' && job.crashes === crashes),
    async heartbeat(jobId, worker, leaseUntil) {
      const job = held(jobId, worker)
      if (job === undefined) return 'lost'
      put({ ...job, leaseUntil: new Date(leaseUntil) })
      return job.cancelRequested ? 'cancel' : 'kept'
    },
    async finish(jobId, worker, { state, finishedAt, error = null, usage, result }) {
      const job = held(jobId, worker)
      if (job === undefined) return false
      put({
        ...job,
        state,
        finishedAt: new Date(finishedAt),
        error,
        usage: usage ?? job.usage,
        worker: null,
        leaseUntil: null,
      })
      if (result !== undefined) results.set(jobId, result)
      return true
    },
    readResult: async (jobId) => results.get(jobId) ?? null,
    async release(jobId, worker) {
      const job = held(jobId, worker)
      if (job !== undefined) requeue(job)
      return job !== undefined
    },
    async unclaim(workers) {
      for (const job of jobs.values())
        if (job.state === 'running' && workers.includes(job.worker ?? '')) requeue(job)
    },
    async absolve(jobId, worker) {
      const job = held(jobId, worker)
      if (job !== undefined) put({ ...job, crashes: 0 })
      return job !== undefined
    },
    async suspend(jobId, worker, suspension) {
      const job = held(jobId, worker)
      if (job === undefined) return false
      const idle = { worker: null, leaseUntil: null, answer: null }
      const { usage = job.usage, ...question } = copy(suspension)
      put({ ...job, ...question, ...idle, usage, state: 'suspended' })
      return true
    },
    async resume(jobId, answer, _now, attempts) {
      const job = jobs.get(jobId)
      if (job?.state !== 'suspended' || (attempts ?? job.attempts) !== job.attempts) return false
      requeue({ ...job, answer: structuredClone(answer), wakeAt: null })
      return true
    },
    async due(now) {
      const late = suspended().filter(({ wakeAt }) => wakeAt !== null && wakeAt <= now)
      for (const job of late) requeue(job)
      return late.map(({ id }) => id)
    },
    async pending({ userId, flowId, after, limit }) {
      const asking = suspended().filter(({ question }) => question !== null)
      const last = after === undefined ? undefined : jobs.get(after)
      return asking
        .filter((job) => last === undefined || byAskedAt(last, job) < 0)
        .filter((job) => (userId ?? job.userId) === job.userId)
        .filter((job) => (flowId ?? job.flowId) === job.flowId)
        .slice(0, limit)
        .map(stored)
    },
    async requestCancel(jobId, now) {
      const job = jobs.get(jobId)
      if (job === undefined || job.finishedAt !== null) return false
      const idle = job.state !== 'running'
      put({
        ...job,
        cancelRequested: true,
        ...(idle ? { state: 'cancelled' as const, finishedAt: new Date(now) } : {}),
      })
      return true
    },
    async expired(now, { charge = true, patienceMs = Number.POSITIVE_INFINITY } = {}) {
      const running = [...jobs.values()].filter(isClaimed)
      const seen = new Set(running.filter(({ leaseUntil }) => leaseUntil >= now).map(processOf))
      const isDead = (job: ClaimedJob): boolean => !seen.has(processOf(job))
      const late = running.filter(
        (job) => isDead(job) || job.leaseUntil.getTime() < now.getTime() - patienceMs,
      )
      const suspected = new Set(late.filter(({ crashes }) => crashes > 0).map(processOf))
      const charged = late.map((job) => {
        const isGuilty =
          charge && isDead(job) && (job.crashes > 0 || !suspected.has(processOf(job)))
        return job.resumable && isGuilty ? { ...job, crashes: job.crashes + 1 } : job
      })
      for (const job of charged) if (job.resumable) requeue(job)
      return charged
        .toSorted((a, b) => a.leaseUntil.getTime() - b.leaseUntil.getTime())
        .map((job) => copy(job))
    },
    async countOpen() {
      const open = { queued: 0, running: 0, suspended: 0 }
      for (const { state } of jobs.values())
        if (state === 'queued' || state === 'running' || state === 'suspended') open[state] += 1
      return open
    },
    async list({ offset, limit, ...wanted }) {
      const found = [...jobs.values()].filter(isWanted(wanted)).toSorted(byAge)
      return { items: found.slice(offset, offset + limit).map(listed), total: found.length }
    },
    async get(jobId) {
      const job = jobs.get(jobId)
      return job === undefined ? null : stored(job)
    },
    async trim({ before, keep, spare, once }) {
      const ended = [...jobs.values()]
        .filter((job) => job.finishedAt !== null)
        .toSorted((a, b) => Number(a.finishedAt) - Number(b.finishedAt))
      const allButLast = new Set<string>()
      for (const lane of new Set(ended.map((job) => job.lane))) {
        for (const kind of [true, false]) {
          const those = ended.filter((job) => job.lane === lane && isOnce(job) === kind)
          for (const { id } of those.slice(0, Math.max(0, those.length - keep))) allButLast.add(id)
        }
      }
      const spared = spare?.getTime() ?? Infinity
      let size = 0
      for (const { id, request } of ended) {
        const text = request.length + (results.get(id)?.length ?? 0)
        const own = sizes.get(id) ?? sizeOf(id) + text
        sizes.set(id, own)
        size += own
      }
      const gone = ended.filter(({ id, finishedAt }) => {
        const finished = Number(finishedAt)
        const isTooMuch = allButLast.has(id) || size > MAX_FINISHED
        const isAsked = isOnce({ id }) && once !== undefined && finished >= once.getTime()
        const isOld = finished < before.getTime() && !isAsked
        const goes = isOld || (isTooMuch && finished < spared && (!isAsked || size > MAX_FINISHED))
        if (goes) size -= sizes.get(id) ?? 0
        return goes
      })
      for (const { id } of gone) {
        jobs.delete(id)
        sizes.delete(id)
        results.delete(id)
      }
      return gone.map(({ id }) => id)
    },
    async remove(id) {
      if (jobs.get(id)?.finishedAt == null) return
      jobs.delete(id)
      sizes.delete(id)
      results.delete(id)
    },
  }
}

/** A repeated request may ask for it. */
const isOnce = ({ id }: Pick<MemoryJob, 'id'>): boolean => id.startsWith('once-')

function byAskedAt(a: MemoryJob, b: MemoryJob): number {
  const time = Number(a.askedAt) - Number(b.askedAt)
  return time === 0 ? Number(a.id > b.id) - Number(a.id < b.id) : time
}

/** Newest first. */
function byAge(a: MemoryJob, b: MemoryJob): number {
  const time = Number(b.createdAt) - Number(a.createdAt)
  return time === 0 ? Number(b.id > a.id) - Number(b.id < a.id) : time
}

function isWanted(query: Omit<JobListQuery, 'offset' | 'limit'>): (job: MemoryJob) => boolean {
  const { userId, flowId, sessionId, states, lanes, from, to } = query
  return (job) =>
    job.userId === userId &&
    (flowId ?? job.flowId) === job.flowId &&
    (sessionId ?? job.sessionId) === job.sessionId &&
    (states?.includes(job.state) ?? true) &&
    (lanes?.includes(job.lane) ?? true) &&
    (from === undefined || job.createdAt >= from) &&
    (to === undefined || job.createdAt <= to)
}

function listed(job: MemoryJob): ListedJob {
  const { request: _request, question: _question, answer: _answer, ...rest } = stored(job)
  return rest
}

/** The name that begins the token of a claim. */
function processOf({ worker }: MemoryJob): string {
  return worker?.split('/')[0] ?? ''
}

function isClaimed(job: MemoryJob): job is ClaimedJob {
  return job.state === 'running' && job.leaseUntil !== null
}

function stored({ worker: _worker, leaseUntil: _leaseUntil, ...job }: MemoryJob): StoredJob {
  return copy(job)
}
