import { createSystemRuntime } from '@x/wire'
import { FlowError, invalidRequest, limitExceeded } from '../errors.ts'
import { createResultCache } from '../graph/context/cache.ts'
import { completeLimits } from '../graph/plan/limits.ts'
import { orderedId } from '../graph/messages/ordered-id.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import { isQueueFull } from '../store/store-error.ts'
import type { StoredEvent, StoredJob } from '../store/job-store.ts'
import type { BuildJobs, BuildJobsOptions, BuildRequest, JobRecord } from './build-jobs.ts'
import { createJobReading } from './job-reading.ts'
import { toJobRecord } from './job-record.ts'
import { jobChannel, readEvents, type ReaderContext } from './read-events.ts'
import { appendCancelled, recoverJobs } from './recover.ts'
import { rebuildResult } from './rebuild-result.ts'
import { orAbort } from './or-abort.ts'
import { createLanePlaces } from './lane-places.ts'
import { createRequestCodec } from './request-codec.ts'
import { closeJobs } from './close-jobs.ts'
import { createRetention } from './retention.ts'
import { createJobSeal } from './job-seal.ts'
import {
  checkAnswer,
  isStoredQuestion,
  requestIdOf,
  toPendingQuestion,
  type StoredQuestion,
} from './stored-question.ts'
import { createJobRunner } from './run-job.ts'
import { createWorker } from './worker.ts'

const CANCEL_CHANNEL = 'job-cancel'
const QUEUE_CHANNEL = 'job-queue'
const MAX_SUSPENDED_MS = 30 * 24 * 3_600_000
/** Questions of one list. */
const MAX_PENDING = 1000
/** Sleepers and questions whose time has come are looked for so often, or once a lease. */
const DUE_MS = 5000

/** Builds as jobs, in this process or, over a shared store, in several (FE-60 to FE-63). */
export function createBuildJobs(options: BuildJobsOptions = {}): BuildJobs {
  const {
    store = createMemoryJobStore(),
    runtime = createSystemRuntime(),
    cache = createResultCache(),
    leaseMs = 30_000,
    heartbeatMs = leaseMs / 3,
    concurrency = 8,
    concurrencyPerUser = Math.max(1, Math.floor(concurrency / 2)),
    lanes = {},
    maxQueued = 1000,
    retention = {},
    onError = () => undefined,
    sleepInProcessMs = 10_000,
    maxCrashes = 3,
  } = options
  const maxSuspendedMs = withoutInfinity(options.maxSuspendedMs, MAX_SUSPENDED_MS)
  if (!(leaseMs >= 100 && heartbeatMs > 0 && heartbeatMs * 2 <= leaseMs)) {
    throw invalidRequest(
      `leaseMs (${leaseMs}) must be at least 100 and twice heartbeatMs (${heartbeatMs})`,
    )
  }
  const { queue, bus } = store
  const name = runtime.uuid()
  const limits = completeLimits(options.limits)
  const seal = createJobSeal(options.secrets)
  const codec = createRequestCodec(queue.shared, seal)
  const runner = createJobRunner({
    ...options,
    store,
    runtime,
    cache,
    limits,
    codec,
    name,
    onError,
    seal,
    maxSuspendedMs,
    sleepInProcessMs,
    maxCrashes,
  })
  const trim = createRetention({
    store,
    runtime,
    maxAgeMs: retention.maxAgeMs ?? 24 * 3_600_000,
    maxJobs: retention.maxJobs ?? 1000,
  })
  const worker = createWorker({
    queue,
    runtime,
    name,
    places: createLanePlaces(concurrency, lanes),
    leaseMs,
    heartbeatMs,
    onError,
    async execute(job, lease) {
      await runner.run(job, lease)
      reading.forget(await trim())
    },
  })
  const closed = new AbortController()
  const readers: ReaderContext = {
    store,
    runtime,
    live: runner.live,
    patienceMs: heartbeatMs,
    closed: closed.signal,
  }
  const closing = new AbortController()
  const unsubscribe = [
    bus.subscribe(QUEUE_CHANNEL, () => worker.wake()),
    bus.subscribe(CANCEL_CHANNEL, (jobId) => runner.cancel(jobId)),
  ]
  let started: ReturnType<typeof recover> | undefined

  const recover = async () => {
    const result = await recoverJobs({ store, runtime })
    worker.wake()
    return result
  }
  /** Looks for jobs of processes that died once per lease, where there may be others (FE-63). */
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await runtime.sleep(leaseMs, closing.signal)
      await recover().catch((error: unknown) => onError(error, {}))
    }
  }
  /** Queues jobs again whose sleep is over, or whose question nobody has answered (DR-38, DR-55). */
  const watchDue = async (): Promise<void> => {
    const every = Math.min(DUE_MS, leaseMs)
    let failing = false
    while (!closing.signal.aborted) {
      const woken = await queue.due(runtime.now()).catch((error: unknown) => {
        if (!failing) onError(error, {})
        failing = true
        return null
      })
      if (woken !== null) failing = false
      if (woken !== null && woken.length > 0) {
        worker.wake()
        if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      }
      await runtime.sleep(every, closing.signal, { background: true })
    }
  }
  /** The first call of any kind repairs what other processes left behind, so that no reader hangs. */
  const begin = (): ReturnType<typeof recover> => {
    started ??= recover().then(
      (result) => {
        if (queue.shared) watch().catch(() => undefined)
        watchDue().catch(() => undefined)
        return result
      },
      (error: unknown) => {
        started = undefined
        throw error
      },
    )
    return started
  }

  const find = async (jobId: string, userId: string | undefined): Promise<StoredJob> => {
    await begin()
    const job = await queue.get(jobId)
    if (job === null || (userId !== undefined && job.userId !== userId))
      throw new FlowError('not_found', `Job ${jobId} not found`)
    return job
  }
  /** @throws FlowError `not_found` */
  const check = async (jobId: string, userId: string | undefined): Promise<void> => {
    const own = queue.shared ? undefined : codec.kept(jobId)
    if (own === undefined || (userId !== undefined && own.userId !== userId))
      await find(jobId, userId)
  }
  const reading = createJobReading(readers, check)
  /** What a suspended job asks; undefined while it sleeps. */
  const questionOf = async (job: StoredJob): Promise<StoredQuestion | undefined> => {
    if (job.state !== 'suspended' || job.question === null) return undefined
    const question = await seal.open(job.id, job.question)
    return isStoredQuestion(question) ? question : undefined
  }
  const record = async (job: StoredJob): Promise<JobRecord> => {
    const lastSeq = runner.live(job.id)?.lastSeq ?? (await store.log.lastSeq(job.id))
    return toJobRecord(job, lastSeq, await questionOf(job))
  }
  const laneOf = ({ lane = '' }: BuildRequest): string => (Object.hasOwn(lanes, lane) ? lane : '')
  const enqueue = async (request: BuildRequest): Promise<StoredJob> => {
    if (closing.signal.aborted) throw limitExceeded('jobs', 'the service is stopping', 503)
    const id = orderedId(runtime)
    const now = runtime.now()
    const lane = laneOf(request)
    const most = lanes[lane]?.maxQueued ?? maxQueued
    const encoded = codec.encode(id, request)
    const job = {
      id,
      flowId: request.flowId ?? flowIdOf(request) ?? runtime.uuid(),
      userId: request.userId ?? null,
      // No turn is lost where nothing is sealed: a claim may go to the store together with the job.
      request: typeof encoded === 'string' ? encoded : await encoded,
      resumable: request.resumable === true,
      createdAt: now,
      lane,
      maxRunningPerUser: lane === '' ? concurrencyPerUser : null,
      maxQueued: most,
    }
    // Where nobody else may run it, its readers need not look into the log for its begin.
    if (!queue.shared) runner.expect(id, request)
    try {
      await queue.enqueue(job)
    } catch (error) {
      codec.forget(id)
      runner.dismiss(id)
      if (!isQueueFull(error)) throw error
      throw limitExceeded('maxQueued', `more than ${most} builds are waiting`, 429)
    }
    return {
      ...job,
      state: 'queued',
      startedAt: null,
      finishedAt: null,
      attempts: 0,
      cancelRequested: false,
      error: null,
      question: null,
      answer: null,
      crashes: 0,
      askedAt: null,
      wakeAt: null,
    }
  }

  return {
    async start(request) {
      await begin()
      const queued = enqueue(request)
      // Where nobody else claims, the claim may go to the store together with the job.
      const lane = laneOf(request)
      if (!queue.shared) worker.wake(lane)
      const job = await queued
      if (queue.shared || seal.seals) worker.wake(lane)
      if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      return toJobRecord(job, -1)
    },
    ...reading,
    async cancel(jobId, { userId } = {}) {
      const job = await find(jobId, userId)
      if (job.finishedAt !== null) return { success: true }
      await queue.requestCancel(jobId, runtime.now())
      runner.cancel(jobId)
      bus.publish(CANCEL_CHANNEL, jobId)
      // One that was claimed meanwhile is ended by its worker (DR-16).
      const now = job.state === 'running' ? job : await queue.get(jobId)
      if (now?.state === 'cancelled') {
        codec.forget(jobId)
        await appendCancelled(store, now)
        runner.dismiss(jobId)
        bus.publish(jobChannel(jobId), '')
      }
      return { success: true }
    },
    async pending({ limit = 100, ...query } = {}) {
      await begin()
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_PENDING))
        throw invalidRequest(`limit must be an integer from 1 to ${MAX_PENDING}`)
      const found = await queue.pending({ ...query, limit })
      const questions = found.map(async (job) => ({ job, question: await questionOf(job) }))
      return (await Promise.all(questions)).flatMap(({ job, question }) =>
        question === undefined ? [] : [toPendingQuestion(job, question)],
      )
    },
    async resume(jobId, answer, { userId, requestId } = {}) {
      const job = await find(jobId, userId)
      const question = await questionOf(job)
      const now = runtime.now()
      const isOpen = question !== undefined && (job.wakeAt === null || !isExpired(question, now))
      const isMeant =
        isOpen && (requestId ?? requestIdOf(question, jobId)) === requestIdOf(question, jobId)
      const refused = new FlowError(
        'conflict',
        `Job ${jobId} is not suspended, was answered, or asks something else`,
      )
      if (!isMeant) throw refused
      await checkAnswer(question, answer)
      if (!(await queue.resume(jobId, await seal.seal(jobId, answer), now, job.attempts)))
        throw refused
      worker.wake()
      if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      return record(await find(jobId, userId))
    },
    async get(jobId, { userId } = {}) {
      const job = await queue.get(jobId)
      if (job === null || (userId !== undefined && job.userId !== userId)) return null
      return record(job)
    },
    check: (jobId, { userId } = {}) => check(jobId, userId),
    async result(jobId, { signal } = {}) {
      const job = await find(jobId, undefined)
      const own = await orAbort(runner.result(jobId), signal)
      if (own !== undefined) return own
      const seen: StoredEvent[] = []
      for await (const found of readEvents(readers, { jobId, after: -1, signal }))
        seen.push(...found)
      const ended = await orAbort(runner.result(jobId), signal)
      if (ended === undefined && closed.signal.aborted && seen.at(-1)?.event !== 'end')
        throw new FlowError('store_unavailable', `Job ${jobId} goes on in another process`)
      return ended ?? rebuildResult(await find(job.id, undefined), seen)
    },
    // Where no other process works on the queue, what runs later is this process's own.
    recover: async () => {
      if (started === undefined) return begin()
      return queue.shared ? recover() : { requeued: [], interrupted: [] }
    },
    async close({ timeoutMs = 10_000 } = {}) {
      closing.abort()
      await closeJobs({ store, runtime, runner, worker, name, timeoutMs, onError })
      for (const leave of unsubscribe) leave()
      closed.abort()
      if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      await bus.flush?.()
    },
  }
}

function isExpired({ expiresAt = null }: StoredQuestion, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now.getTime()
}

/** No limit is null. */
function withoutInfinity(ms: number | null | undefined, otherwise: number): number | null {
  if (ms === null || ms === Number.POSITIVE_INFINITY) return null
  if (ms === undefined) return otherwise
  if (ms > 0) return ms
  throw invalidRequest(`maxSuspendedMs must be a number above 0, null or Infinity, got ${ms}`)
}

function flowIdOf({ flow }: BuildRequest): string | undefined {
  const { id } = ('vertexIds' in flow ? flow.flow : flow) as { id?: unknown }
  return typeof id === 'string' && id !== '' ? id : undefined
}
