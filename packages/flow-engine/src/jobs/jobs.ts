import { createSystemRuntime } from '@x/wire'
import { FlowError, limitExceeded } from '../errors.ts'
import { createResultCache } from '../graph/cache.ts'
import { defaultRunLimits } from '../graph/limits.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import { isQueueFull } from '../store/store-error.ts'
import type { StoredEvent, StoredJob } from '../store/job-store.ts'
import type {
  BuildJobs,
  BuildJobsOptions,
  BuildRequest,
  JobRecord,
  Poll,
  PollOptions,
} from './build-jobs.ts'
import { decodeEvent } from './job-event.ts'
import { toJobRecord } from './job-record.ts'
import { pollEvents } from './poll-events.ts'
import { jobChannel, readEvents, type ReaderContext } from './read-events.ts'
import { appendCancelled, lastSeqOf, recoverJobs } from './recover.ts'
import { rebuildResult } from './rebuild-result.ts'
import { createRequestCodec } from './request-codec.ts'
import { createRetention } from './retention.ts'
import { createJobRunner } from './run-job.ts'
import { createWorker } from './worker.ts'

const CANCEL_CHANNEL = 'job-cancel'
const QUEUE_CHANNEL = 'job-queue'

/** Builds as jobs, in this process or, over a shared store, in several (FE-60 to FE-63). */
export function createBuildJobs(options: BuildJobsOptions = {}): BuildJobs {
  const {
    store = createMemoryJobStore(),
    runtime = createSystemRuntime(),
    cache = createResultCache(),
    leaseMs = 30_000,
    heartbeatMs = 10_000,
    concurrencyPerUser = null,
    maxQueued = 1000,
    retention = {},
    onError = () => undefined,
  } = options
  const { queue, bus } = store
  const name = runtime.uuid()
  const limits = { ...defaultRunLimits, ...options.limits }
  const codec = createRequestCodec(queue.shared)
  const runner = createJobRunner({
    ...options,
    store,
    runtime,
    cache,
    limits,
    codec,
    name,
    onError,
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
    concurrency: options.concurrency ?? 8,
    leaseMs,
    heartbeatMs,
    onError,
    async execute(job, lease) {
      await runner.run(job, lease)
      for (const id of await trim()) positions.delete(id)
    },
  })
  const readers: ReaderContext = {
    store,
    runtime,
    live: runner.live,
    patienceMs: heartbeatMs,
    bufferedTokens: limits.bufferedTokens,
  }
  /** What each reader of a job was given last, where it names no position of its own (FE-69). */
  const positions = new Map<string, Map<string, number>>()
  const closing = new AbortController()
  const unsubscribe = [
    bus.subscribe(QUEUE_CHANNEL, () => worker.wake()),
    bus.subscribe(CANCEL_CHANNEL, (jobId) => runner.cancel(jobId)),
  ]
  let started: Promise<unknown> | undefined

  const recover = async () => {
    const result = await recoverJobs({ store, runtime })
    if (result.requeued.length > 0) worker.wake()
    return result
  }
  /** Looks for jobs of processes that died once per lease, where there may be others (FE-63). */
  const watch = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await runtime.sleep(leaseMs, closing.signal)
      await recover().catch((error: unknown) => onError(error, {}))
      worker.wake()
    }
  }
  const begin = (): Promise<unknown> => {
    started ??= recover().then(() => {
      if (queue.shared) watch().catch(() => undefined)
      worker.wake()
    })
    return started
  }

  const find = async (jobId: string, userId: string | undefined): Promise<StoredJob> => {
    const job = await queue.get(jobId)
    if (job === null || (userId !== undefined && job.userId !== userId))
      throw new FlowError('not_found', `Job ${jobId} not found`)
    return job
  }
  const record = async (job: StoredJob): Promise<JobRecord> =>
    toJobRecord(job, runner.live(job.id)?.lastSeq ?? (await lastSeqOf(store, job.id)))
  async function* encodedEvents(
    jobId: string,
    { after = -1, signal, userId, reader }: Parameters<BuildJobs['encodedEvents']>[1] = {},
  ): AsyncGenerator<readonly StoredEvent[], void, undefined> {
    await find(jobId, userId)
    for await (const found of readEvents(readers, { jobId, after, signal })) {
      yield found
      if (reader !== undefined) keepPosition(jobId, reader, found)
    }
  }
  /** The end stays unread, so that every further poll is given it at once. */
  const keepPosition = (jobId: string, who: string, given: readonly StoredEvent[]): void => {
    const last = given.at(-1)
    if (last === undefined) return
    const ofJob = positions.get(jobId) ?? new Map<string, number>()
    const seq = last.event === 'end' ? last.seq - 1 : last.seq
    positions.set(jobId, ofJob.set(who, Math.max(seq, ofJob.get(who) ?? -1)))
  }
  async function* events(
    jobId: string,
    reading?: { after?: number; signal?: AbortSignal; userId?: string },
  ) {
    for await (const found of encodedEvents(jobId, reading)) yield* found.map(decodeEvent)
  }

  const encodedPoll = async (
    jobId: string,
    { after, reader, waitMs = 30_000, userId, signal }: PollOptions = {},
  ): Promise<Poll<StoredEvent>> => {
    await find(jobId, userId)
    if (after !== undefined) return pollEvents(readers, { jobId, after, waitMs, signal })
    const who = reader ?? userId ?? ''
    const position = positions.get(jobId)?.get(who) ?? -1
    const poll = await pollEvents(readers, { jobId, after: position, waitMs, signal })
    keepPosition(jobId, who, poll.events)
    return poll
  }

  const enqueue = async (request: BuildRequest): Promise<StoredJob> => {
    if (closing.signal.aborted) throw limitExceeded('jobs', 'the service is stopping', 503)
    const id = runtime.uuid()
    const now = runtime.now()
    const job = {
      id,
      flowId: request.flowId ?? flowIdOf(request) ?? runtime.uuid(),
      userId: request.userId ?? null,
      request: codec.encode(id, request),
      resumable: request.resumable === true,
      createdAt: now,
      maxRunningPerUser: concurrencyPerUser,
    }
    try {
      await queue.enqueue({ ...job, maxQueued })
    } catch (error) {
      codec.forget(id)
      if (!isQueueFull(error)) throw error
      throw limitExceeded('maxQueued', `more than ${maxQueued} builds are waiting`, 429)
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
    }
  }

  return {
    async start(request) {
      await begin()
      const job = await enqueue(request)
      worker.wake()
      if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      return toJobRecord(job, -1)
    },
    events,
    encodedEvents,
    encodedPoll,
    async poll(jobId, polling) {
      const { events: stored, ...rest } = await encodedPoll(jobId, polling)
      return { events: stored.map(decodeEvent), ...rest }
    },
    async cancel(jobId, { userId } = {}) {
      const job = await find(jobId, userId)
      if (job.finishedAt !== null) return { success: true }
      await queue.requestCancel(jobId, runtime.now())
      runner.cancel(jobId)
      bus.publish(CANCEL_CHANNEL, jobId)
      if (job.state !== 'running') {
        codec.forget(jobId)
        await appendCancelled(store, jobId)
        bus.publish(jobChannel(jobId), '')
      }
      return { success: true }
    },
    async resume(jobId, answer, { userId } = {}) {
      await find(jobId, userId)
      if (!(await queue.resume(jobId, answer, runtime.now())))
        throw new FlowError('conflict', `Job ${jobId} is not suspended`)
      worker.wake()
      if (queue.shared) bus.publish(QUEUE_CHANNEL, '')
      return record(await find(jobId, userId))
    },
    async get(jobId, { userId } = {}) {
      const job = await queue.get(jobId)
      if (job === null || (userId !== undefined && job.userId !== userId)) return null
      return record(job)
    },
    async result(jobId, { signal } = {}) {
      const job = await find(jobId, undefined)
      const own = await runner.result(jobId)
      if (own !== undefined) return own
      const seen: StoredEvent[] = []
      for await (const found of readEvents(readers, { jobId, after: -1, signal }))
        seen.push(...found)
      return (await runner.result(jobId)) ?? rebuildResult(await find(job.id, undefined), seen)
    },
    recover,
    async close({ timeoutMs = 10_000 } = {}) {
      closing.abort()
      for (const leave of unsubscribe) leave()
      const patience = new AbortController()
      runtime.sleep(timeoutMs, patience.signal).then(
        () => runner.cancelAll(),
        () => undefined,
      )
      await worker.stop()
      patience.abort()
    },
  }
}

function flowIdOf({ flow }: BuildRequest): string | undefined {
  const { id } = ('vertexIds' in flow ? flow.flow : flow) as { id?: unknown }
  return typeof id === 'string' && id !== '' ? id : undefined
}
