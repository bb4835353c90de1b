import { firstAfter } from '../jobs/job-event.ts'
import type {
  CheckpointStore,
  EventLog,
  JobStore,
  LiveBus,
  StoredEvent,
} from '../store/job-store.ts'
import { StaleWriterError, UniqueConflictError } from '../store/store-error.ts'
import { createMemoryQueue } from './job-queue.ts'
import { createSchedules } from './schedules.ts'

/** Creates an in-memory JobStore. Finished jobs are limited to 256 Mi characters in total. */
export function createMemoryJobStore(): JobStore {
  const fences: Fences = new Map()
  const logs: Logs = new Map()
  const states: States = new Map()
  const sizeOf = (jobId: string): number => {
    let size = 0
    for (const { data } of logs.get(jobId) ?? []) size += data.length
    for (const state of states.get(jobId)?.values() ?? []) size += state.length
    return size
  }
  const queue = createMemoryQueue(sizeOf)
  const log = createLog(logs, fences)
  const checkpoints = createCheckpoints(states, fences)
  return {
    queue: {
      ...queue,
      async adopt(started) {
        const { job, worker, events, outcome } = started
        await queue.adopt(started)
        await log.append(job.id, events)
        for (const { vertexId, state } of started.checkpoints)
          await checkpoints.put(job.id, vertexId, state)
        if (outcome !== undefined) await queue.finish(job.id, worker, outcome)
      },
    },
    log,
    bus: createBus(),
    checkpoints,
    schedules: createSchedules(),
  }
}

/** The highest fencing token with which each job's log was opened. */
type Fences = Map<string, number>
/** Events by job. */
type Logs = Map<string, StoredEvent[]>
/** Checkpoints by job, then by name. */
type States = Map<string, Map<string, string>>

function checkFence(fences: Fences, jobId: string, fence = Infinity): void {
  if (fence < (fences.get(jobId) ?? 0)) throw new StaleWriterError(jobId, fence)
}

/** Stores events as given; their data may not be encoded yet. */
function createLog(logs: Logs, fences: Fences): EventLog {
  const lastOf = (jobId: string): number => logs.get(jobId)?.at(-1)?.seq ?? -1
  return {
    async open(jobId, fence) {
      checkFence(fences, jobId, fence)
      fences.set(jobId, fence)
      return lastOf(jobId)
    },
    lastSeq: async (jobId) => lastOf(jobId),
    async append(jobId, events, fence) {
      checkFence(fences, jobId, fence)
      const log = logs.get(jobId) ?? []
      const [first] = events
      if (first === undefined) return
      if (first.seq <= (log.at(-1)?.seq ?? -1)) throw new UniqueConflictError('event.seq')
      for (const event of events) log.push(event)
      logs.set(jobId, log)
    },
    async read(jobId, after, limit) {
      const log = logs.get(jobId) ?? []
      const start = firstAfter(log, after)
      return log.slice(start, start + limit)
    },
    close: async () => undefined,
    async remove(jobIds) {
      for (const id of jobIds) {
        logs.delete(id)
        fences.delete(id)
      }
    },
  }
}

function createBus(): LiveBus {
  const listeners = new Map<string, Set<(payload: string) => void>>()
  return {
    publish(channel, payload) {
      for (const listener of listeners.get(channel) ?? []) listener(payload)
    },
    subscribe(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(channel)
      }
    },
  }
}

function createCheckpoints(jobs: States, fences: Fences): CheckpointStore {
  return {
    async put(jobId, vertexId, state, fence) {
      checkFence(fences, jobId, fence)
      const states = jobs.get(jobId) ?? new Map<string, string>()
      jobs.set(jobId, states.set(vertexId, state))
    },
    list: async (jobId) =>
      [...(jobs.get(jobId) ?? [])].map(([vertexId, state]) => ({ vertexId, state })),
    remove: async (jobId) => void jobs.delete(jobId),
  }
}
