import type { Runtime } from '@x/wire'
import type { JobStore } from '../store/job-store.ts'
import { recoverJobs } from './recover.ts'

/** Repairs and wakes jobs that no running process would continue by itself. */
export interface JobUpkeep {
  /**
   * Every operation awaits this first: the first call repairs what dead processes left behind, so that no
   * reader hangs, and starts the periodic checks. After a failure the next call tries again.
   */
  readonly begin: () => Promise<Recovery>
  /** Repairs the jobs of dead processes again. */
  readonly recover: () => Promise<Recovery>
}

interface Recovery {
  requeued: string[]
  interrupted: string[]
}

export interface JobUpkeepOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  /** Milliseconds between two searches for dead processes, if the queue is shared (FE-63). */
  readonly leaseMs: number
  /** Milliseconds between two checks for expired sleeps and questions. */
  readonly dueEveryMs: number
  /** Ends the periodic checks. */
  readonly closing: AbortSignal
  /** Called after a repair: jobs of this process may be waiting. */
  readonly recovered: () => void
  /** Called when jobs are waiting that any process may claim. */
  readonly woken: () => void
  /** Starts the jobs of due schedules. */
  readonly startScheduled: () => Promise<void>
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

export function createJobUpkeep(options: JobUpkeepOptions): JobUpkeep {
  const { store, runtime, leaseMs, dueEveryMs, closing, onError } = options
  const { queue } = store
  let started: Promise<Recovery> | undefined

  const recover = async (): Promise<Recovery> => {
    const result = await recoverJobs({ store, runtime })
    options.recovered()
    return result
  }
  const watchLeases = async (): Promise<void> => {
    while (!closing.aborted) {
      await runtime.sleep(leaseMs, closing)
      await recover().catch((error: unknown) => onError(error, {}))
    }
  }
  /** Requeues jobs whose sleep is over or whose question has expired (DR-38, DR-55). */
  const watchDue = async (): Promise<void> => {
    let failing = false
    while (!closing.aborted) {
      const woken = await queue.due(runtime.now()).catch((error: unknown) => {
        if (!failing) onError(error, {})
        failing = true
        return null
      })
      if (woken !== null) failing = false
      await options.startScheduled().catch((error: unknown) => onError(error, {}))
      if (woken !== null && woken.length > 0) options.woken()
      await runtime.sleep(dueEveryMs, closing, { background: true })
    }
  }
  const begin = (): Promise<Recovery> => {
    started ??= recover().then(
      (result) => {
        if (queue.shared) watchLeases().catch(() => undefined)
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
  return {
    begin,
    // If no other process works on the queue, later jobs belong to this process.
    recover: async () => {
      if (started === undefined) return begin()
      return queue.shared ? recover() : { requeued: [], interrupted: [] }
    },
  }
}
