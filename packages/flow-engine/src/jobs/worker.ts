import type { Runtime } from '@x/wire'
import type { ClaimedJob, JobQueue } from '../store/job-store.ts'

export interface WorkerOptions {
  readonly queue: JobQueue
  readonly runtime: Runtime
  readonly name: string
  readonly concurrency: number
  /** Whether jobs may wait that only the end of another sets free, or that others queue. */
  readonly askAgain: boolean
  readonly leaseMs: number
  readonly heartbeatMs: number
  /**
   * Runs a job to its end; the signal says that the lease is lost, or a cancel was asked for. There is
   * none where no other process works on the queue.
   */
  readonly execute: (job: ClaimedJob, lease: AbortSignal | undefined) => Promise<void>
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** Claims jobs and runs some of them at once. */
export interface Worker {
  /** There may be something to claim. */
  wake(): void
  /** Claims no more; resolves when the running jobs have ended. */
  stop(): Promise<void>
}

export function createWorker(options: WorkerOptions): Worker {
  const { queue, runtime, name, concurrency, askAgain, leaseMs, execute, onError } = options
  const running = new Set<Promise<void>>()
  let mayWait = true
  let claiming = false
  let again = false
  /** Jobs that were queued here and not claimed since. */
  let likely = 0
  const stopping = new AbortController()

  const lease = (): Date => new Date(runtime.now().getTime() + leaseMs)

  /** Claims as many jobs as are likely to wait, so that a store may write the claims together. */
  const claimSome = async (): Promise<readonly ClaimedJob[]> => {
    const wanted = Math.max(1, Math.min(likely, concurrency - running.size))
    const claims = await Promise.allSettled(
      Array.from({ length: wanted }, () => queue.claim(name, lease(), runtime.now())),
    )
    const jobs = claims.flatMap((claim) =>
      claim.status === 'fulfilled' && claim.value !== null ? [claim.value] : [],
    )
    likely = jobs.length < wanted ? 0 : Math.max(0, likely - wanted)
    for (const job of jobs) start(job)
    for (const claim of claims) if (claim.status === 'rejected') throw claim.reason
    return jobs
  }
  const start = (job: ClaimedJob): void => {
    const end: Promise<void> = run(job).finally(() => {
      running.delete(end)
      if (askAgain) mayWait = true
      claimMore()
    })
    running.add(end)
  }
  const claimAll = async (): Promise<void> => {
    try {
      do {
        again = false
        while (mayWait && !stopping.signal.aborted && running.size < concurrency) {
          if ((await claimSome()).length > 0) continue
          mayWait = again
          break
        }
      } while (again)
    } finally {
      claiming = false
    }
  }

  const run = async (job: ClaimedJob): Promise<void> => {
    // Making an abort signal, and above all the error that it carries, costs more than many a job.
    const held = queue.shared
      ? { lost: new AbortController(), ended: new AbortController() }
      : undefined
    if (held !== undefined) {
      const { lost, ended } = held
      void keepLease(options, { job, lost, ended: ended.signal, lease })
    }
    try {
      await execute(job, held?.lost.signal)
    } catch (error) {
      onError(error, { jobId: job.id })
    } finally {
      held?.ended.abort()
    }
  }

  const claimMore = (): void => {
    if (stopping.signal.aborted || !mayWait) return
    again = true
    if (claiming) return
    claiming = true
    claimAll().catch((error: unknown) => onError(error, {}))
  }

  return {
    wake() {
      mayWait = true
      likely += 1
      claimMore()
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

interface Lease {
  readonly job: ClaimedJob
  readonly lost: AbortController
  readonly ended: AbortSignal
  readonly lease: () => Date
}

/** Prolongs the lease of a job until it ends; aborts it when it is lost or to be cancelled. */
async function keepLease(
  { queue, runtime, name, heartbeatMs, onError }: WorkerOptions,
  { job, lost, ended, lease }: Lease,
): Promise<void> {
  let until = job.leaseUntil
  while (!ended.aborted) {
    try {
      await runtime.sleep(heartbeatMs, ended)
    } catch {
      return
    }
    try {
      const next = lease()
      const answer = await queue.heartbeat(job.id, name, next)
      if (answer === 'kept') until = next
      else {
        lost.abort(answer)
        return
      }
    } catch (error) {
      onError(error, { jobId: job.id })
      if (runtime.now() > until) {
        lost.abort('lost')
        return
      }
    }
  }
}
