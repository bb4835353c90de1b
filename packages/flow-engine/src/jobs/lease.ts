import type { Runtime } from '@x/wire'
import type { ClaimedJob, JobQueue } from '../store/job-store.ts'

export interface LeaseOptions {
  readonly queue: JobQueue
  readonly runtime: Runtime
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** This process's lease on a job that other processes could claim. */
export interface Lease {
  /** Aborted with `lost` when the lease is lost, and with `cancel` when the job is to be cancelled. */
  readonly signal: AbortSignal
  /**
   * False once the lease is lost. Checks the clock, because in a process that was frozen other code runs
   * before its timers fire.
   */
  held(): boolean
  /** The job has ended here; the lease is no longer renewed. */
  end(): void
}

/** The leases of a process. */
export interface Leases {
  /** Holds a claimed job until it ends. */
  keep(job: ClaimedJob): Lease
  /** False while the store was away within the last lease: the death of others cannot be told then. */
  sees(): boolean
}

interface LeaseState {
  readonly job: ClaimedJob
  /** In milliseconds, counted from when the claim or heartbeat was sent. */
  until: number
  readonly lost: AbortController
  readonly ended: AbortController
}

/**
 * Renews the leases of all jobs of a process together, so that a store can do it in one statement and they end
 * at one time if the process dies. A lease is lost when the queue says so or when it expires.
 */
export function createLeases(options: LeaseOptions): Leases {
  const { queue, runtime, leaseMs, heartbeatMs, onError } = options
  const states = new Set<LeaseState>()
  let beating = false
  /** When a heartbeat last failed. */
  let failedAt = Number.NEGATIVE_INFINITY

  const beat = async (state: LeaseState, next: Date): Promise<void> => {
    const { job, lost, ended } = state
    try {
      const answer = await queue.heartbeat(job.id, job.worker, next)
      if (ended.signal.aborted) return
      if (answer === 'kept') state.until = Math.max(state.until, next.getTime())
      else lost.abort(answer)
    } catch (error) {
      failedAt = runtime.now().getTime()
      onError(error, { jobId: job.id })
    }
  }
  const beatAll = async (): Promise<void> => {
    while (states.size > 0) {
      await runtime.sleep(heartbeatMs)
      const next = new Date(runtime.now().getTime() + leaseMs)
      // One that hangs must not delay those after it.
      for (const state of states) if (!state.lost.signal.aborted) void beat(state, next)
    }
    beating = false
  }
  return {
    sees: () => runtime.now().getTime() - failedAt > leaseMs,
    keep(job) {
      const lost = new AbortController()
      const ended = new AbortController()
      const state: LeaseState = { job, until: job.leaseUntil.getTime(), lost, ended }
      states.add(state)
      watchClock(runtime, state).catch(() => undefined)
      if (!beating) {
        beating = true
        void beatAll()
      }
      return {
        signal: lost.signal,
        held() {
          if (!lost.signal.aborted && runtime.now().getTime() >= state.until) lost.abort('lost')
          return lost.signal.reason !== 'lost'
        },
        end() {
          states.delete(state)
          ended.abort()
        },
      }
    },
  }
}

/** A heartbeat that hangs or fails does not renew the lease, so it expires by this clock. */
async function watchClock(runtime: Runtime, state: LeaseState): Promise<void> {
  const { lost, ended } = state
  while (!ended.signal.aborted && !lost.signal.aborted) {
    const left = state.until - runtime.now().getTime()
    if (left <= 0) lost.abort('lost')
    else await runtime.sleep(left, ended.signal)
  }
}
