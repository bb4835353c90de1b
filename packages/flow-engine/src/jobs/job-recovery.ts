import type { Runtime } from '@x/wire'
import type { JobStore } from '../store/job-store.ts'
import { recoverJobs } from './recover.ts'
import type { StoreClock } from './store-clock.ts'
import { lastChanceOf } from './worker.ts'

/** Repairs and wakes jobs that no running process would continue by itself. */
export interface JobRecovery {
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

export interface JobRecoveryOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  /** If the queue is shared, dead processes are searched for every third of it. */
  readonly leaseMs: number
  /** Reads the clock of the store and follows it. */
  readonly clock: Pick<StoreClock, 'measure' | 'follow'>
  /** False while the death of other processes cannot be told from the absence of the store. */
  readonly sees: () => boolean
  /** Milliseconds between two checks for expired sleeps and questions. */
  readonly dueEveryMs: number
  /** Ends the periodic checks. */
  readonly closing: AbortSignal
  readonly maxCrashes: number
  /** Called after a repair: jobs of this process may be waiting. */
  readonly recovered: () => void
  /**
   * Called while a job waits that is to run alone.
   * @param drains this process is to make room for it
   */
  readonly waitsApart: (drains: boolean) => void
  /** Called when jobs are waiting that any process may claim. */
  readonly woken: () => void
  /** Called once, when the store has answered. */
  readonly begun: () => void
  /** False: other processes repair and wake. */
  readonly works: boolean
  /** Starts the jobs of due schedules. */
  readonly startScheduled: () => Promise<void>
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

/** Repairs for which such a job waits for its finder. */
const MAX_LOOKS = 6

export function createJobRecovery(options: JobRecoveryOptions): JobRecovery {
  const { store, runtime, leaseMs, dueEveryMs, closing, onError } = options
  const { queue } = store
  let started: Promise<Recovery> | undefined

  /** Repairs since which a job waits that is to run alone. */
  let looks = 0
  const lastChance = lastChanceOf(queue, options.maxCrashes)
  /** True while searches fail: the store is away. */
  let failing = false

  const recover = async (): Promise<Recovery> => {
    const { lastChances, ...result } = await recoverJobs({
      store,
      runtime,
      leaseMs,
      maxCrashes: options.maxCrashes,
      charge: options.sees() && !failing,
    })
    if (result.requeued.length > 0 && queue.shared) options.woken()
    else options.recovered()
    if (lastChance === undefined) return result
    looks = (await queue.waitsApart?.(lastChance)) === true ? looks + 1 : 0
    // Its finder makes room for it, and others if that one is gone.
    if (looks > 0) options.waitsApart(lastChances || looks > MAX_LOOKS)
    return result
  }
  const watchLeases = async (): Promise<void> => {
    while (!closing.aborted) {
      await runtime.sleep((leaseMs / 3) * spread(), closing)
      try {
        await recover()
        failing = false
      } catch (error) {
        failing = true
        onError(error, {})
      }
    }
  }
  /** Processes search at different times. */
  const spread = (): number => 0.8 + 0.2 * ((runtime.randomBytes(1)[0] ?? 0) / 255)
  /** Requeues jobs whose sleep is over or whose question has expired. */
  const watchDue = async (): Promise<void> => {
    let isAway = false
    while (!closing.aborted) {
      const woken = await queue.due(runtime.now()).catch((error: unknown) => {
        if (!isAway) onError(error, {})
        isAway = true
        return null
      })
      if (woken !== null) isAway = false
      await options.startScheduled().catch((error: unknown) => onError(error, {}))
      if (woken !== null && woken.length > 0) options.woken()
      await runtime.sleep(dueEveryMs, closing, { background: true })
    }
  }
  const begin = (): Promise<Recovery> => {
    started ??= options.clock
      .measure()
      .then(() => (options.works ? recover() : { requeued: [], interrupted: [] }))
      .then(
        (result) => {
          options.clock.follow(closing).catch(() => undefined)
          options.begun()
          if (!options.works) return result
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
      return queue.shared && options.works ? recover() : { requeued: [], interrupted: [] }
    },
  }
}
