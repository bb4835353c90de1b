import type { Runtime } from '@x/wire'
import type { ClaimedJob, JobStore } from '../store/job-store.ts'
import type { JobRunner } from './run-job.ts'
import type { Worker } from './worker.ts'

export interface CloseJobsOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly runner: JobRunner
  readonly worker: Worker
  /** The name this process uses for its claims. */
  readonly name: string
  readonly timeoutMs: number
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** Vertices that must not run twice have this much longer to end. */
const MAX_LATE_MS = 1500

/**
 * Stops the work of this process on its jobs: running jobs have `timeoutMs` to end, jobs that can
 * continue elsewhere are released, and the rest is ended.
 */
export async function closeJobs(options: CloseJobsOptions): Promise<void> {
  const { store, runtime, runner, worker, timeoutMs, onError } = options
  const over = new AbortController()
  if (store.queue.shared) runner.handOver()
  const endAll = (): void => {
    const late = runtime.sleep(Math.min(timeoutMs, MAX_LATE_MS), over.signal)
    late.catch(() => undefined)
    runner.endAll(late)
  }
  if (timeoutMs <= 0) endAll()
  else
    runtime.sleep(timeoutMs, over.signal).then(
      () => endAll(),
      () => undefined,
    )
  await worker.stop()
  over.abort()
  await runner.tidy()
  if (!store.queue.shared) await endQueued(options).catch((error: unknown) => onError(error, {}))
}

/** Ends queued jobs that only this process could run; jobs another process can continue stay queued. */
async function endQueued({ store, runtime, runner, name }: CloseJobsOptions): Promise<void> {
  const { queue } = store
  const kept: ClaimedJob[] = []
  for (let count = 1; ; count += 1) {
    const now = runtime.now()
    const job = await queue.claim(`${name}/close/${count}`, new Date(now.getTime() + 60_000), now)
    if (job === null) break
    if (job.resumable) kept.push(job)
    else await runner.giveUp(job)
  }
  for (const { id, worker } of kept) await queue.release(id, worker)
}
