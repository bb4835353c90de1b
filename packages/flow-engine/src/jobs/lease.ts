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

/** Renews the lease of a job until it ends. It is lost when the queue says so or when it expires (DR-8). */
export function keepLease(options: LeaseOptions, job: ClaimedJob): Lease {
  const { runtime } = options
  const lost = new AbortController()
  const ended = new AbortController()
  const state: LeaseState = { until: job.leaseUntil.getTime(), lost, ended: ended.signal }
  watchClock(runtime, state).catch(() => undefined)
  void prolong(options, job, state)
  return {
    signal: lost.signal,
    held() {
      if (!lost.signal.aborted && runtime.now().getTime() >= state.until) lost.abort('lost')
      return lost.signal.reason !== 'lost'
    },
    end: () => ended.abort(),
  }
}

interface LeaseState {
  /** In milliseconds, counted from when the claim or heartbeat was sent. */
  until: number
  readonly lost: AbortController
  readonly ended: AbortSignal
}

/** A heartbeat that hangs or fails does not renew the lease, so it expires by this clock. */
async function watchClock(runtime: Runtime, state: LeaseState): Promise<void> {
  const { lost, ended } = state
  while (!ended.aborted && !lost.signal.aborted) {
    const left = state.until - runtime.now().getTime()
    if (left <= 0) lost.abort('lost')
    else await runtime.sleep(left, ended)
  }
}

async function prolong(
  { queue, runtime, leaseMs, heartbeatMs, onError }: LeaseOptions,
  job: ClaimedJob,
  state: LeaseState,
): Promise<void> {
  const { lost, ended } = state
  while (!ended.aborted && !lost.signal.aborted) {
    try {
      await runtime.sleep(heartbeatMs, ended)
    } catch {
      return
    }
    try {
      const next = new Date(runtime.now().getTime() + leaseMs)
      const answer = await queue.heartbeat(job.id, job.worker, next)
      if (answer === 'kept') state.until = next.getTime()
      else {
        lost.abort(answer)
        return
      }
    } catch (error) {
      onError(error, { jobId: job.id })
    }
  }
}
