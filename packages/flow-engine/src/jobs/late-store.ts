import { append, setLru, type Runtime } from '@x/wire'
import { freshJob } from '../store/fresh-job.ts'
import type {
  ClaimedJob,
  JobListQuery,
  JobOutcome,
  JobQueue,
  JobStore,
  NewJob,
  StoredEvent,
} from '../store/job-store.ts'
import { isUniqueConflict } from '../store/store-error.ts'
import { firstAfter } from './job-event.ts'

/** A job that runs is stored after this time, so that it survives its process. */
const STORED_AFTER_MS = 75

/** Ended jobs that are known to have no checkpoints: not each of them is asked to remove its own. */
const MAX_BARE = 1000

/** Jobs of this process that run before they are stored. */
export interface LateJobs {
  /**
   * Takes over a job that begins to run. It is stored with its end, after 75 ms, or when anybody asks the store
   * for it.
   * @param keepsStates keeps its checkpoints if it succeeds
   */
  begin(job: NewJob, claim: LateClaim, keepsStates: boolean): ClaimedJob
  /** Stores a job now; resolves at once for all others. */
  settle(jobId: string): Promise<void>
  /** Resolves when a job is being stored: what is written then is not stored before it. */
  begun(jobId: string): Promise<void>
}

type LateClaim = Pick<ClaimedJob, 'worker' | 'leaseUntil'> & { readonly startedAt: Date }

interface LateJob {
  readonly job: NewJob
  readonly keepsStates: boolean
  claimed: ClaimedJob
  readonly events: StoredEvent[]
  readonly states: Map<string, string>
  /** Set while it is being stored. */
  storing: Promise<void> | undefined
  wasTried: boolean
  readonly begun: Promise<void>
  readonly begin: () => void
}

const lateJobs = new WeakMap<JobStore, LateJobs>()

/** The jobs of a store that may run before they are stored; undefined if it takes none. */
export function lateJobsOf(store: JobStore): LateJobs | undefined {
  return lateJobs.get(store)
}

/**
 * A store whose jobs may run before they are stored: a short one is written once, with its end. Everybody who
 * uses the given store in this process must use the returned one. A store without `queue.adopt` is returned as
 * it is.
 */
export function createLateStore(given: JobStore, runtime: Pick<Runtime, 'sleep'>): JobStore {
  const { queue, log, checkpoints } = given
  if (queue.adopt === undefined) return given
  const open = new Map<string, LateJob>()
  /** Jobs that ended without checkpoints in the store. */
  const bare = new Map<string, true>()

  const write = async (late: LateJob, outcome?: JobOutcome): Promise<void> => {
    const { job, claimed, events, keepsStates } = late
    const { worker, leaseUntil, startedAt } = claimed
    const isBare = outcome?.state === 'succeeded' && !keepsStates
    const states = isBare ? [] : [...late.states]
    const kept = states.map(([vertexId, state]) => ({ vertexId, state }))
    const claim = { worker, leaseUntil, startedAt: startedAt ?? job.createdAt }
    late.begin()
    try {
      await queue.adopt?.({ job, ...claim, events, checkpoints: kept, outcome })
    } catch (error) {
      if (!late.wasTried || !isUniqueConflict(error)) throw error
      await complete(late, outcome)
    } finally {
      late.wasTried = true
    }
    open.delete(job.id)
    if (isBare) setLru(bare, job.id, true, MAX_BARE)
  }
  /** An earlier attempt has stored the job, but its answer was lost. */
  const complete = async (late: LateJob, outcome: JobOutcome | undefined): Promise<void> => {
    const { id } = late.job
    const last = await log.lastSeq(id)
    await log.append(
      id,
      late.events.filter(({ seq }) => seq > last),
    )
    for (const [vertexId, state] of late.states) await checkpoints.put(id, vertexId, state)
    if (outcome !== undefined) await queue.finish(id, late.claimed.worker, outcome)
  }
  const stored = async (late: LateJob, outcome?: JobOutcome): Promise<void> => {
    late.storing ??= write(late, outcome).finally(() => {
      late.storing = undefined
    })
    await late.storing
  }
  const settle = async (jobId: string): Promise<void> => {
    const late = open.get(jobId)
    if (late !== undefined) await stored(late)
  }
  /** A job of which nothing is stored yet, and nothing is being stored. */
  const held = (jobId: string): LateJob | undefined => {
    const late = open.get(jobId)
    return late?.storing === undefined && late?.wasTried === false ? late : undefined
  }
  /** Stores the jobs that a query may find. */
  const settleFound = async (query: Partial<JobListQuery>): Promise<void> => {
    const { userId, flowId, sessionId } = query
    const isFound = ({ job }: LateJob): boolean =>
      (userId === undefined || job.userId === userId) &&
      (flowId === undefined || job.flowId === flowId) &&
      (sessionId === undefined || job.sessionId === sessionId)
    for (const late of [...open.values()].filter(isFound)) await stored(late)
  }
  /** A method whose first argument is the id of a job that must be stored. */
  const after =
    <Args extends readonly unknown[], Result>(
      method: (jobId: string, ...rest: Args) => Promise<Result>,
    ) =>
    async (jobId: string, ...rest: Args): Promise<Result> => {
      await settle(jobId)
      return await method(jobId, ...rest)
    }

  const lateQueue: Partial<JobQueue> & Pick<JobQueue, 'finish' | 'heartbeat'> = {
    get: async (jobId) => open.get(jobId)?.claimed ?? (await queue.get(jobId)),
    async heartbeat(jobId, worker, leaseUntil) {
      const late = open.get(jobId)
      if (late === undefined) return await queue.heartbeat(jobId, worker, leaseUntil)
      late.claimed = { ...late.claimed, leaseUntil }
      return 'kept'
    },
    async finish(jobId, worker, outcome) {
      const late = open.get(jobId)
      if (late === undefined || late.storing !== undefined) {
        await settle(jobId)
        return await queue.finish(jobId, worker, outcome)
      }
      await stored(late, outcome)
      return true
    },
    release: after((...call) => queue.release(...call)),
    suspend: after((...call) => queue.suspend(...call)),
    resume: after((...call) => queue.resume(...call)),
    requestCancel: after((...call) => queue.requestCancel(...call)),
    ...(queue.absolve && {
      absolve: after(async (...call) => (await queue.absolve?.(...call)) ?? false),
    }),
    ...(queue.remove && { remove: after(async (...call) => queue.remove?.(...call)) }),
    ...(queue.list && {
      list: async (query) => {
        await settleFound(query)
        return (await queue.list?.(query)) ?? { items: [], total: 0 }
      },
    }),
  }
  const store: JobStore = {
    ...given,
    queue: overriding(queue, lateQueue),
    log: overriding(log, {
      open: after((...call) => log.open(...call)),
      async append(jobId, events, fence) {
        const late = held(jobId)
        if (late !== undefined) append(late.events, events)
        else {
          await settle(jobId)
          await log.append(jobId, events, fence)
        }
      },
      async lastSeq(jobId) {
        const late = held(jobId)
        if (late !== undefined) return late.events.at(-1)?.seq ?? -1
        await settle(jobId)
        return await log.lastSeq(jobId)
      },
      async read(jobId, seq, limit) {
        const late = held(jobId)
        if (late !== undefined) {
          const start = firstAfter(late.events, seq)
          return late.events.slice(start, start + limit)
        }
        await settle(jobId)
        return await log.read(jobId, seq, limit)
      },
    }),
    checkpoints: {
      async put(jobId, vertexId, state, fence) {
        const late = held(jobId)
        if (late !== undefined) late.states.set(vertexId, state)
        else {
          await settle(jobId)
          await checkpoints.put(jobId, vertexId, state, fence)
        }
      },
      async list(jobId) {
        const late = held(jobId)
        if (late !== undefined)
          return [...late.states].map(([vertexId, state]) => ({ vertexId, state }))
        await settle(jobId)
        return await checkpoints.list(jobId)
      },
      async remove(jobId) {
        await settle(jobId)
        if (!bare.delete(jobId)) await checkpoints.remove(jobId)
      },
      ...(checkpoints.removeAll && {
        async removeAll(jobIds) {
          await Promise.all(jobIds.map(settle))
          const rest = jobIds.filter((jobId) => !bare.delete(jobId))
          if (rest.length > 0) await checkpoints.removeAll?.(rest)
        },
      }),
    },
  }
  lateJobs.set(store, {
    begin(job, claim, keepsStates) {
      const claimed: ClaimedJob = { ...freshJob(job), ...claim, state: 'running', attempts: 1 }
      const late: LateJob = { job, keepsStates, claimed, ...emptyParts() }
      open.set(job.id, late)
      // Not cancelled, as that costs more than letting it fire. A failure is met by the next write of the job.
      const due = (): Promise<void> | undefined => (open.has(job.id) ? stored(late) : undefined)
      runtime
        .sleep(STORED_AFTER_MS)
        .then(due)
        .catch(() => undefined)
      return claimed
    },
    settle,
    begun: async (jobId) => await open.get(jobId)?.begun,
  })
  return store
}

function emptyParts() {
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  return { events: [], states: new Map(), storing: undefined, wasTried: false, begun, begin }
}

/** An object some of whose methods are others. */
function overriding<T extends object>(given: T, own: Partial<T>): T {
  const bound = new Map<PropertyKey, unknown>(Object.entries(own))
  return new Proxy(given, {
    get(target, key) {
      if (bound.has(key)) return bound.get(key)
      const value: unknown = Reflect.get(target, key)
      const method: unknown = typeof value === 'function' ? value.bind(target) : value
      bound.set(key, method)
      return method
    },
  })
}
