import { FlowError, invalidRequest, limitExceeded } from '../errors.ts'
import { textStream } from '../graph/results/text-stream.ts'
import type { FleetProcess } from '../store/fleet.ts'
import { createJobAnswers } from './job-answers.ts'
import type { BuildJobs } from './build-jobs.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import { CANCEL_CHANNEL, cancelJob } from './cancel-job.ts'
import { closeJobs } from './close-jobs.ts'
import { forkRequest, historyOf } from './fork-job.ts'
import { createJobEnqueuer } from './job-enqueuer.ts'
import { createJobQueries } from './job-queries.ts'
import { completeJobOptions } from './job-options.ts'
import { createJobReading } from './job-reading.ts'
import { toJobRecord } from './job-record.ts'
import { jobResult, storedResultOf } from './job-result.ts'
import { createJobSeal } from './job-seal.ts'
import { watchLoop } from './late-loop.ts'
import { lateJobsOf } from './late-store.ts'
import { createJobRecovery } from './job-recovery.ts'
import { createQueueCapacity } from './queue-capacity.ts'
import { createLeases } from './lease.ts'
import type { ReaderContext } from './read-events.ts'
import { reportProcess } from './report-process.ts'
import { createRequestCodec } from './request-codec.ts'
import { createRetention } from './retention.ts'
import { createJobRunner, QUEUE_CHANNEL, TAKEN_CHANNEL } from './run-job.ts'
import { createSchedules } from './schedules.ts'
import { readRequest } from './start-request.ts'
import { createSharedReads } from './shared-reads.ts'
import { createStoreClock } from './store-clock.ts'
import { createWorker } from './worker.ts'

/** Interval for checking expired sleeps and questions, or one lease if shorter. */
const DUE_MS = 5000
const MAX_AT_ONCE = 1000

/** Runs builds as jobs, in this process or, with a shared store, in several. */
export function createBuildJobs(given: BuildJobsOptions = {}): BuildJobs {
  const complete = completeJobOptions(given)
  const { store, leaseMs, heartbeatMs, concurrency, lanes, onError } = complete
  const { queue, bus } = store
  const clock = createStoreClock(complete.runtime, queue, (error) => onError(error, {}))
  const { runtime } = clock
  const options = { ...complete, runtime }
  const dueEveryMs = Math.min(DUE_MS, leaseMs)
  const name = runtime.uuid()
  const closing = new AbortController()
  const seal = createJobSeal(options.secrets)
  const codec = createRequestCodec(queue.shared, seal)
  const runner = createJobRunner({
    ...options,
    codec,
    name,
    seal,
    cleared: (jobId) => worker.cleared(jobId),
  })
  const leases = createLeases({ queue, runtime, leaseMs, heartbeatMs, onError })
  const trim = createRetention({ store, runtime, ...options.retention })
  const loop = queue.shared && options.work ? watchLoop(runtime, closing.signal) : undefined
  const startedAt = runtime.now()
  const state = (): FleetProcess => ({
    name: `${options.process?.name ?? 'process'} ${name.slice(0, 8)}`,
    role: options.process?.role ?? (options.work ? 'all' : 'web'),
    version: options.process?.version ?? null,
    startedAt,
    running: worker.running(),
    places: options.work ? concurrency : 0,
    eventLoopMs: Math.round(loop?.lateMs() ?? 0),
    clockOffsetMs: Math.round(clock.offsetMs()),
    draining: worker.isPaused() && options.work,
  })
  const worker = createWorker({
    queue,
    runtime,
    name,
    places: createQueueCapacity(concurrency, lanes),
    leaseMs,
    leases,
    maxCrashes: options.maxCrashes,
    rest: () => loop?.rest() ?? 0,
    late: lateJobsOf(store),
    onError,
    async execute(job, lease) {
      await runner.run(job, lease)
      await trim()
    },
  })
  const closed = new AbortController()
  const readers: ReaderContext = {
    store,
    expects: (jobId) => queue.shared && options.work && codec.kept(jobId) !== undefined,
    ...createSharedReads(store),
    runtime,
    live: runner.live,
    patienceMs: heartbeatMs,
    closed: closed.signal,
  }
  if (!options.work) worker.pause()
  const unsubscribe = [
    bus.subscribe(QUEUE_CHANNEL, (payload) => {
      if (!telling) worker.wake(payload === '' ? undefined : payload.slice(1))
    }),
    bus.subscribe(CANCEL_CHANNEL, (jobId) => runner.cancel(jobId)),
    ...(queue.shared ? [bus.subscribe(TAKEN_CHANNEL, (jobId) => codec.forget(jobId))] : []),
  ]
  /** True while this process tells the others: it needs not hear it. */
  let telling = false
  const tellOthers = (lane?: string): void => {
    if (!queue.shared) return
    telling = true
    bus.publish(QUEUE_CHANNEL, lane === undefined ? '' : `.${lane}`)
    telling = false
  }
  const tellWorkers = (): void => {
    worker.wake()
    tellOthers()
  }
  const intake = createJobEnqueuer({
    options,
    codec,
    seal,
    runner,
    worker,
    closing: closing.signal,
  })
  const scheduled = createSchedules({
    store: store.schedules,
    runtime,
    seal,
    patienceMs: leaseMs + 2 * dueEveryMs,
    most: options.maxSchedules,
    onError,
    async enqueue(jobId, request) {
      await intake.enqueueShared(jobId, request)
      tellWorkers()
    },
  })
  const { begin, recover } = createJobRecovery({
    store,
    runtime,
    leaseMs,
    clock,
    sees: () => leases.sees(),
    dueEveryMs,
    closing: closing.signal,
    recovered: () => worker.wake(),
    waitsApart: (drains) => worker.makeRoom(drains),
    maxCrashes: options.maxCrashes,
    woken: tellWorkers,
    startScheduled: () => scheduled.look(),
    works: options.work,
    begun() {
      if (!queue.shared || queue.seen === undefined) return
      const about = {
        queue,
        runtime,
        everyMs: heartbeatMs,
        closing: closing.signal,
        state,
        works: options.work,
      }
      void reportProcess({ ...about, onError: (error) => onError(error, {}) })
    },
    onError,
  })
  const lookup = createJobQueries({ store, seal, codec, live: runner.live, begin })
  const { find, check, record, questionOf, statesOf } = lookup

  const jobs: BuildJobs = {
    recover,
    ...createJobReading(readers, check),
    ...createJobAnswers({ queue, runtime, seal, lookup, begin, tellWorkers }),
    async start(request) {
      const read = readRequest(request, options.components)
      await begin()
      if (closing.signal.aborted) throw limitExceeded('jobs', 'the service is stopping', 503)
      if (read.late === true && read.resumable === true && request.id === undefined) {
        const job = await intake.begin(read)
        if (job !== undefined) return toJobRecord(job, -1)
      }
      const queued = intake.enqueue(read, request.id)
      // If no other process claims, the claim can be sent to the store together with the job, unless the job
      // is sealed first.
      const lane = intake.laneOf(read)
      const together = !queue.shared && !(seal.seals && read.resumable === true)
      if (together) worker.wake(lane)
      const job = await queued
      if (!together) worker.wake(lane)
      tellOthers(lane)
      return toJobRecord(job, -1)
    },
    async startAll(requests) {
      if (requests.length > MAX_AT_ONCE)
        throw invalidRequest(`At most ${MAX_AT_ONCE} requests at once, got ${requests.length}`)
      const read = requests.map((request) => readRequest(request, options.components))
      if (read.length === 0) return []
      await begin()
      if (closing.signal.aborted) throw limitExceeded('jobs', 'the service is stopping', 503)
      const queued = await intake.enqueueAll(read)
      tellWorkers()
      return queued.map((job) => toJobRecord(job, -1))
    },
    async get(jobId, { userId } = {}) {
      const job = await queue.get(jobId)
      if (job === null || (userId !== undefined && job.userId !== userId)) return null
      return record(job)
    },
    check: (jobId, { userId } = {}) => check(jobId, userId),
    own: () => new Map([...codec.all(), ...runner.running()]),
    async history(jobId, { userId } = {}) {
      const job = await find(jobId, userId)
      return historyOf(await statesOf(jobId), (await questionOf(job))?.vertexId)
    },
    async forkRun(jobId, fork = {}) {
      const job = await find(jobId, fork.userId)
      if (job.finishedAt === null)
        throw new FlowError('conflict', `Job ${jobId} has not ended; cancel it or wait for its end`)
      const request = await codec.decode(job)
      const states = request === null ? new Map<string, string>() : await statesOf(jobId)
      const source = { jobId, request: request ?? { flow: {} }, states }
      const { id } = await jobs.start(forkRequest(source, fork, options.components))
      return record(await find(id, undefined))
    },
    async cancel(jobId, { userId } = {}) {
      await cancelJob({ ...options, codec, lookup, runner }, jobId, userId)
      return { success: true }
    },
    result: (jobId, { signal } = {}) => jobResult({ runner, readers, lookup, seal }, jobId, signal),
    async answer(jobId, { signal } = {}) {
      await jobs.result(jobId, signal === undefined ? {} : { signal })
      return (await storedResultOf({ queue, seal }, jobId))?.answer
    },
    textStream: (jobId, read = {}) =>
      textStream({
        events: () => jobs.events(jobId, read),
        result: () => jobs.result(jobId, read),
      }),
    async schedule(id, entry) {
      await begin()
      return await scheduled.schedule(id, entry)
    },
    schedules: (query) => scheduled.schedules(query),
    unschedule: (id, query) => scheduled.unschedule(id, query),
    pause: () => worker.pause(),
    async close({ timeoutMs = 10_000 } = {}) {
      closing.abort()
      await closeJobs({ store, runtime, runner, worker, name, timeoutMs, onError })
      for (const leave of unsubscribe) leave()
      closed.abort()
      tellOthers()
      await bus.flush?.()
    },
  }
  return jobs
}
