// Over 350 lines: the methods of one interface, which share the private state of its jobs.
import { createSystemRuntime } from '@x/wire'
import { FlowError, invalidRequest, limitExceeded } from '../errors.ts'
import { createResultCache } from '../graph/context/cache.ts'
import { textStream } from '../graph/results/text-stream.ts'
import { completeLimits } from '../graph/plan/limits.ts'
import { orderedId } from '../graph/messages/ordered-id.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import { FRESH_JOB } from '../store/fresh-job.ts'
import { isQueueFull } from '../store/store-error.ts'
import type { NewJob, StoredEvent, StoredJob } from '../store/job-store.ts'
import type { BuildJobs, BuildJobsOptions, BuildRequest, JobRecord } from './build-jobs.ts'
import { createJobReading } from './job-reading.ts'
import { toJobRecord } from './job-record.ts'
import { jobChannel, readEvents, type ReaderContext } from './read-events.ts'
import { readRequest } from './start-request.ts'
import { appendCancelled, recoverJobs } from './recover.ts'
import { rebuildResult } from './rebuild-result.ts'
import { orAbort } from './or-abort.ts'
import { createLanePlaces } from './lane-places.ts'
import { createRequestCodec, formatRequest } from './request-codec.ts'
import { closeJobs } from './close-jobs.ts'
import { createRetention } from './retention.ts'
import { createSchedules } from './schedules.ts'
import { forkedFrom, forkRequest, historyOf } from './fork-job.ts'
import { supersedeCard } from './superseded-card.ts'
import { guardedReport } from './guarded-report.ts'
import { createJobSeal } from './job-seal.ts'
import {
  checkAnswer,
  isStoredQuestion,
  requestIdOf,
  toPendingQuestion,
  type StoredQuestion,
} from './stored-question.ts'
import { createJobRunner, TAKEN_CHANNEL } from './run-job.ts'
import { createWorker } from './worker.ts'

const CANCEL_CHANNEL = 'job-cancel'
const QUEUE_CHANNEL = 'job-queue'
const MAX_SUSPENDED_MS = 30 * 24 * 3_600_000
/** Maximum number of questions in one list. */
const MAX_PENDING = 1000
/** Interval for checking expired sleeps and questions, or one lease if shorter. */
const DUE_MS = 5000

/** Runs builds as jobs, in this process or, with a shared store, in several (FE-60 to FE-63). */
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
    sleepInProcessMs = 10_000,
    maxCrashes = 3,
    maxSchedules = 1000,
  } = options
  const onError = guardedReport(options.onError)
  const maxSuspendedMs = withoutInfinity(options.maxSuspendedMs, MAX_SUSPENDED_MS)
  if (!(leaseMs >= 100 && heartbeatMs > 0 && heartbeatMs * 2 <= leaseMs)) {
    throw invalidRequest(
      `leaseMs (${leaseMs}) must be at least 100 and twice heartbeatMs (${heartbeatMs})`,
    )
  }
  const { queue, bus } = store
  const dueEveryMs = Math.min(DUE_MS, leaseMs)
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
      await trim()
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
    ...(queue.shared ? [bus.subscribe(TAKEN_CHANNEL, (jobId) => codec.forget(jobId))] : []),
  ]
  let started: ReturnType<typeof recover> | undefined

  const recover = async () => {
    const result = await recoverJobs({ store, runtime })
    worker.wake()
    return result
  }
  /** Looks for jobs of dead processes once per lease, if the queue is shared (FE-63). */
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await runtime.sleep(leaseMs, closing.signal)
      await recover().catch((error: unknown) => onError(error, {}))
    }
  }
  /** Requeues jobs whose sleep is over or whose question has expired (DR-38, DR-55). */
  const watchDue = async (): Promise<void> => {
    let failing = false
    while (!closing.signal.aborted) {
      const woken = await queue.due(runtime.now()).catch((error: unknown) => {
        if (!failing) onError(error, {})
        failing = true
        return null
      })
      if (woken !== null) failing = false
      await scheduled.look().catch((error: unknown) => onError(error, {}))
      if (woken !== null && woken.length > 0) tellWorkers()
      await runtime.sleep(dueEveryMs, closing.signal, { background: true })
    }
  }
  /** The first call of any kind repairs what dead processes left behind, so that no reader hangs. */
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
  /** The question of a suspended job; undefined while it sleeps. */
  const questionOf = async (job: StoredJob): Promise<StoredQuestion | undefined> => {
    if (job.state !== 'suspended' || job.question === null) return undefined
    const question = await seal.open(job.id, job.question)
    return isStoredQuestion(question) ? question : undefined
  }
  const record = async (job: StoredJob): Promise<JobRecord> => {
    const lastSeq = runner.live(job.id)?.lastSeq ?? (await store.log.lastSeq(job.id))
    const fork = forkedFrom(job.request)
    const made = toJobRecord(job, lastSeq, await questionOf(job))
    return fork === undefined ? made : { ...made, forkedFrom: fork }
  }
  const laneOf = ({ lane = '' }: BuildRequest): string => (Object.hasOwn(lanes, lane) ? lane : '')
  /** Creates the job of a request. */
  const newJob = (id: string, request: BuildRequest, text: string): NewJob => {
    const lane = laneOf(request)
    return {
      id,
      flowId: request.flowId ?? flowIdOf(request) ?? runtime.uuid(),
      userId: request.userId ?? null,
      request: text,
      resumable: request.resumable === true,
      createdAt: runtime.now(),
      lane,
      maxRunningPerUser: lane === '' ? concurrencyPerUser : null,
      flowVersion: request.flowVersion ?? null,
      sessionId: request.sessionId ?? null,
      maxQueued: lanes[lane]?.maxQueued ?? maxQueued,
    }
  }
  const tellWorkers = (): void => {
    worker.wake()
    if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
  }
  const scheduled = createSchedules({
    store: store.schedules,
    runtime,
    seal,
    patienceMs: leaseMs + 2 * dueEveryMs,
    most: maxSchedules,
    onError,
    // Any process may run it, so its owner is checked there (DR-37).
    async enqueue(jobId, request) {
      await queue.enqueue(newJob(jobId, request, await formatRequest(jobId, request, seal)))
      tellWorkers()
    },
  })
  const enqueue = async (request: BuildRequest): Promise<StoredJob> => {
    if (closing.signal.aborted) throw limitExceeded('jobs', 'the service is stopping', 503)
    const id = orderedId(runtime)
    const encoded = codec.encode(id, request)
    // Does not await if nothing is sealed, so that the claim can be sent to the store together with the job.
    const job = newJob(id, request, typeof encoded === 'string' ? encoded : await encoded)
    // If no other process can run it, its readers need not look for its start in the log.
    if (!queue.shared) runner.expect(id, request)
    try {
      await queue.enqueue(job)
    } catch (error) {
      codec.forget(id)
      runner.dismiss(id)
      if (!isQueueFull(error)) throw error
      throw limitExceeded('maxQueued', `more than ${job.maxQueued} builds are waiting`, 429)
    }
    return { ...job, ...FRESH_JOB }
  }

  const statesOf = async (jobId: string): Promise<Map<string, string>> =>
    new Map((await store.checkpoints.list(jobId)).map(({ vertexId, state }) => [vertexId, state]))
  const jobs: BuildJobs = {
    async history(jobId, { userId } = {}) {
      const job = await find(jobId, userId)
      return historyOf(await statesOf(jobId), (await questionOf(job))?.vertexId)
    },
    async forkRun(jobId, given = {}) {
      const job = await find(jobId, given.userId)
      if (job.finishedAt === null)
        throw new FlowError(
          'conflict',
          `Job ${jobId} has not ended; cancel it, or wait for its end`,
        )
      const request = await codec.decode(job)
      const states = request === null ? new Map<string, string>() : await statesOf(jobId)
      const source = { jobId, request: request ?? { flow: {} }, states }
      const { id } = await jobs.start(forkRequest(source, given, options.components))
      return record(await find(id, undefined))
    },
    async start(given) {
      const request = readRequest(given, options.components)
      await begin()
      const queued = enqueue(request)
      // If no other process claims, the claim can be sent to the store together with the job.
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
      const question = await questionOf(job)
      const request = question === undefined ? null : await codec.decode(job)
      await queue.requestCancel(jobId, runtime.now())
      runner.cancel(jobId)
      bus.publish(CANCEL_CHANNEL, jobId)
      // A job that was claimed meanwhile is ended by its worker (DR-16).
      const now = job.state === 'running' ? job : await queue.get(jobId)
      if (now?.state === 'cancelled') {
        codec.forget(jobId)
        const services = request && (options.servicesOf?.(request) ?? options.services)
        const card = { question, messages: services?.messages, runtime, limits }
        await appendCancelled(store, now, await supersedeCard(now, card))
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
      tellWorkers()
      return record(await find(jobId, userId))
    },
    async get(jobId, { userId } = {}) {
      const job = await queue.get(jobId)
      if (job === null || (userId !== undefined && job.userId !== userId)) return null
      return record(job)
    },
    async schedule(id, entry) {
      await begin()
      return await scheduled.schedule(id, entry)
    },
    schedules: (query) => scheduled.schedules(query),
    unschedule: (id, query) => scheduled.unschedule(id, query),
    own: () => codec.all(),
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
    textStream: (jobId, read = {}) =>
      textStream({
        events: () => jobs.events(jobId, read),
        result: () => jobs.result(jobId, read),
      }),
    // If no other process works on the queue, later jobs belong to this process.
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
  return jobs
}

function isExpired({ expiresAt = null }: StoredQuestion, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now.getTime()
}

/** Infinity is normalised to null. */
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
