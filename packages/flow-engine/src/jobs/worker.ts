import type { Runtime } from '@x/wire'
import type { ClaimedJob, ClaimOptions, JobQueue, NewJob } from '../store/job-store.ts'
import type { LateJobs } from './late-store.ts'
import type { QueueCapacity } from './queue-capacity.ts'
import type { Lease, Leases } from './lease.ts'

export interface WorkerOptions {
  readonly queue: JobQueue
  readonly runtime: Runtime
  readonly name: string
  readonly places: QueueCapacity
  readonly leaseMs: number
  readonly leases: Leases
  readonly maxCrashes: number
  /** Milliseconds for which nothing more is claimed, because what runs is too much already. */
  readonly rest: () => number
  /** Runs a job to its end. Without a shared queue there is no lease. */
  readonly execute: (job: ClaimedJob, lease: Lease | undefined) => Promise<void>
  readonly onError: (error: unknown, info: { jobId?: string }) => void
  /** Takes over jobs that run before they are stored. */
  readonly late: LateJobs | undefined
}

/** Claims jobs and runs several of them concurrently. */
export interface Worker {
  /**
   * Runs a job before it is stored, if there is room and none of its lane waits here; else returns false.
   * @param keepsStates see `LateJobs.begin`
   */
  begin(job: NewJob, keepsStates: boolean): boolean
  /** Call when there may be jobs to claim, in the given lane or in any. */
  wake(lane?: string): void
  /**
   * A job waits whose next crash is its last: it runs here alone if nothing else runs.
   * @param drains claims nothing else until then
   */
  makeRoom(drains: boolean): void
  /** Claims nothing more from a shared queue; what runs goes on. */
  pause(): void
  /** Number of jobs that run here. */
  running(): number
  isPaused(): boolean
  /** The job has completed a step: it is no suspect any more, so another one may start. */
  cleared(jobId: string): void
  /** Stops claiming and releases pending claims; resolves when the running jobs have ended. */
  stop(): Promise<void>
}

/** The waiting jobs of one lane. */
interface Lane {
  readonly name: string
  mayWait: boolean
  /** More jobs may wait than `owed` says: at the start, and after a wake without a lane. */
  uncounted: boolean
  /** Jobs queued here since the last claim: this many claims are sent together. */
  likely: number
  /** Jobs queued here and not claimed: only the end of another job can release them. */
  owed: number
  /** Jobs that waited after the last claim; undefined: unknown. Of those queued since, the worker is told. */
  left: number | undefined
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000

/** The crashes of a job that is to run alone; undefined if none is. */
export function lastChanceOf(
  queue: Pick<JobQueue, 'waitsApart'>,
  maxCrashes: number,
): number | undefined {
  return queue.waitsApart !== undefined && maxCrashes > 1 ? maxCrashes - 1 : undefined
}

export function createWorker(options: WorkerOptions): Worker {
  const { queue, runtime, name, places, leaseMs, leases, execute, onError } = options
  /** Number of crashes of a job whose next one ends it: nobody else's death may count for it. */
  const lastChance = lastChanceOf(queue, options.maxCrashes)
  /** Such a job may be waiting, and this process is to run it. */
  let makesRoom = false
  let runsAlone = false
  /** Running jobs under suspicion of ending their process, of which there is at most one. */
  const suspects = new Set<string>()
  const running = new Map<Promise<void>, ClaimedJob>()
  const lanes: readonly Lane[] = places.names.map((lane) => ({
    name: lane,
    mayWait: true,
    uncounted: true,
    likely: 0,
    owed: 0,
    left: undefined,
  }))
  let claiming = false
  let again = false
  let underWay: Promise<void> | undefined
  /** Delay before the next attempt, in milliseconds; 0 while claims succeed. */
  let pause = 0
  let retrying = false
  const stopping = new AbortController()
  /** Claims nothing more. */
  const pausing = new AbortController()

  let claims = 0
  /** A new token for each claim invalidates earlier claims of this process. */
  const token = (): string => `${name}/${(claims += 1)}`

  /** Claims that failed: they may have been made all the same, which is told to the queue for a lease. */
  const unanswered = new Map<string, number>()
  const unclaim = async (): Promise<void> => {
    if (unanswered.size === 0) return
    await queue.unclaim?.([...unanswered.keys()])
    const now = runtime.now().getTime()
    for (const [worker, until] of unanswered) if (until <= now) unanswered.delete(worker)
  }
  const claimOne = async (
    lane: Lane,
    wanted: Pick<ClaimOptions, 'suspects'>,
  ): Promise<ClaimedJob | null> => {
    const worker = token()
    const until = lease()
    try {
      return await queue.claim(worker, until, runtime.now(), [lane.name], {
        ...wanted,
        ...(lastChance === undefined ? {} : { apart: lastChance }),
        left: (waiting) => (lane.left = waiting),
      })
    } catch (error) {
      if (queue.unclaim !== undefined) unanswered.set(worker, until.getTime())
      throw error
    }
  }

  const lease = (): Date => new Date(runtime.now().getTime() + leaseMs)

  const runningLanes = (): string[] => [...running.values()].map(laneOf)
  const roomOf = (lane: Lane): number => places.room(lane.name, runningLanes())

  /** Claims as many jobs as are likely to be waiting, so that a store can batch the claims. */
  const claimSome = async (lane: Lane): Promise<boolean> => {
    const { uncounted } = lane
    lane.uncounted = false
    lane.left = undefined
    const wanted = Math.max(1, Math.min(lane.likely, roomOf(lane)))
    const claimed = await Promise.allSettled(
      Array.from({ length: wanted }, (_, n) =>
        claimOne(lane, { suspects: n === 0 && suspects.size === 0 }),
      ),
    )
    const jobs = claimed.flatMap((claim) =>
      claim.status === 'fulfilled' && claim.value !== null ? [claim.value] : [],
    )
    // Where others queue too, as many as there were may still be waiting.
    const more = queue.shared ? Math.min(wanted * 2, lane.left ?? wanted * 2) : lane.likely - wanted
    lane.likely = jobs.length < wanted ? 0 : Math.max(0, more)
    lane.owed = Math.max(0, lane.owed - jobs.length)
    const foundNone = claimed.every(({ status }) => status === 'fulfilled') && jobs.length === 0
    if (uncounted && !(foundNone && running.size === 0)) lane.uncounted = true
    if (pausing.signal.aborted) {
      // Jobs that arrive now are left to another process (DR-12).
      await Promise.all(jobs.map(({ id, worker }) => queue.release(id, worker)))
      return false
    }
    for (const job of jobs) start(job)
    for (const claim of claimed) if (claim.status === 'rejected') throw claim.reason
    if (jobs.length > 0) {
      // All jobs were queued and counted by this process, so another claim would return nothing.
      if (!queue.shared && !lane.uncounted && lane.owed === 0) lane.mayWait = false
      if (isEmpty(lane)) lane.mayWait = again
      return true
    }
    lane.mayWait = again
    if (running.size === 0 && !again) lane.owed = 0
    return false
  }
  /** Nobody waits, not even for the end of another job. */
  const isEmpty = (lane: Lane): boolean => lane.left !== undefined && lane.left <= 0

  /** False while one job is to run alone, and while too much runs. */
  const isFree = (): boolean => !makesRoom && !runsAlone && options.rest() === 0

  /** Claims a job for which the whole process is there. */
  const claimAlone = async (): Promise<void> => {
    for (const lane of lanes.filter((one) => roomOf(one) > 0)) {
      const job = await claimOne(lane, { suspects: 'apart' })
      if (job === null) continue
      if (pausing.signal.aborted) await queue.release(job.id, job.worker)
      else start(job)
      break
    }
    makesRoom = false
  }
  const start = (job: ClaimedJob): void => {
    if (job.crashes > 0) suspects.add(job.id)
    if (job.crashes === lastChance) runsAlone = true
    const end: Promise<void> = run(job).finally(() => {
      running.delete(end)
      suspects.delete(job.id)
      runsAlone = false
      for (const other of lanes) {
        if (queue.shared ? !isEmpty(other) : other.uncounted || other.owed > 0) other.mayWait = true
      }
      claimMore()
    })
    running.set(end, job)
  }
  const claimAll = async (): Promise<void> => {
    try {
      await unclaim()
      do {
        again = false
        if (makesRoom && running.size === 0) await claimAlone()
        for (const lane of lanes) {
          while (lane.mayWait && !pausing.signal.aborted && isFree() && roomOf(lane) > 0) {
            if (!(await claimSome(lane))) break
          }
        }
      } while (again)
    } finally {
      claiming = false
    }
  }

  const run = async (job: ClaimedJob): Promise<void> => {
    // Skipped if possible: creating an abort signal, and especially its error, costs more than many jobs.
    const held = queue.shared ? leases.keep(job) : undefined
    try {
      await execute(job, held)
    } catch (error) {
      onError(error, { jobId: job.id })
    } finally {
      held?.end()
    }
  }

  /** Reports only the first failure and the recovery. */
  const claimLater = async (error: unknown): Promise<void> => {
    if (pause === 0) onError(error, {})
    // A wake during the pause claims at once, but starts no second series of attempts.
    if (retrying) return
    retrying = true
    pause = Math.min(Math.max(pause * 2, FIRST_PAUSE_MS), MAX_PAUSE_MS)
    await runtime.sleep(pause, stopping.signal)
    retrying = false
    for (const lane of lanes) lane.mayWait = true
    claimMore()
  }
  const claimNow = async (): Promise<void> => {
    try {
      const rest = options.rest()
      if (rest > 0) await runtime.sleep(rest, pausing.signal).catch(() => undefined)
      await claimAll()
      if (pause > 0) onError(new Error('Jobs can be claimed again'), {})
      pause = 0
    } catch (error) {
      // `stop` does not wait for this delay.
      void claimLater(error).catch(() => undefined)
    }
  }

  const claimMore = (): void => {
    if (pausing.signal.aborted || !lanes.some(({ mayWait }) => mayWait)) return
    again = true
    if (claiming) return
    claiming = true
    underWay = claimNow()
  }

  const runningOf = ({ userId, lane }: NewJob): number =>
    [...running.values()].filter((job) => job.userId === userId && job.lane === lane).length

  return {
    begin(job, keepsStates) {
      const { maxRunningPerUser } = job
      const lane = lanes.find((one) => one.name === job.lane)
      if (options.late === undefined || lane === undefined) return false
      if (pausing.signal.aborted || !isFree() || lane.owed > 0 || roomOf(lane) <= 0) return false
      if (maxRunningPerUser !== null && runningOf(job) >= maxRunningPerUser) return false
      const claim = { worker: token(), leaseUntil: lease(), startedAt: runtime.now() }
      start(options.late.begin(job, claim, keepsStates))
      return true
    },
    wake(wanted) {
      for (const lane of lanes) {
        if (wanted !== undefined && wanted !== lane.name) continue
        lane.mayWait = true
        if (wanted === undefined) lane.uncounted = true
        lane.likely += 1
        lane.owed += 1
      }
      claimMore()
    },
    running: () => running.size,
    isPaused: () => pausing.signal.aborted,
    makeRoom(drains) {
      if (!drains && running.size > 0) return
      makesRoom = true
      for (const lane of lanes) lane.mayWait = true
      claimMore()
    },
    pause() {
      if (queue.shared) pausing.abort()
    },
    cleared(jobId) {
      if (!suspects.delete(jobId)) return
      runsAlone = false
      for (const lane of lanes) lane.mayWait = true
      claimMore()
    },
    async stop() {
      pausing.abort()
      stopping.abort()
      await underWay
      await Promise.allSettled(running.keys())
    },
  }
}

/** The lane whose place a job takes. */
const laneOf = ({ lane }: ClaimedJob): string => lane
