import type { Runtime } from '@x/wire'
import type { JobStore } from '../store/job-store.ts'

/** Finished jobs stay readable for this long, however many there are. */
const SPARE_MS = 5 * 60_000
/** Checked again after this many ends, or this much time. */
const EVERY_JOBS = 100
const EVERY_MS = 60_000
/** Removed at once; while there are more, each end removes as many again, so that nothing waits for long. */
const SLICE = 500
/** Jobs that a repeated request may ask for stay for this long. */
const ONCE_MS = 24 * 3_600_000

export interface RetentionOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly maxAgeMs: number
  readonly maxJobs: number
}

/** Removes finished jobs that are too old or too many; called after each end. */
export function createRetention({ store, runtime, maxAgeMs, maxJobs }: RetentionOptions) {
  let ends = 0
  let last = runtime.now().getTime()
  return async (): Promise<void> => {
    ends += 1
    const now = runtime.now().getTime()
    if (ends < EVERY_JOBS && now - last < EVERY_MS) return
    ends = 0
    last = now
    const ids = await store.queue.trim({
      before: new Date(now - Math.max(maxAgeMs, SPARE_MS)),
      keep: maxJobs,
      spare: new Date(now - SPARE_MS),
      once: new Date(now - ONCE_MS),
      most: SLICE,
    })
    if (ids.length === 0) return
    if (ids.length >= SLICE) ends = EVERY_JOBS
    const { log, checkpoints } = store
    await log.remove(ids)
    if (checkpoints.removeAll !== undefined) await checkpoints.removeAll(ids)
    else for (const id of ids) await checkpoints.remove(id)
  }
}
