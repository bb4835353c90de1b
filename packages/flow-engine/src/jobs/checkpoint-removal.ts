import type { Runtime } from '@x/wire'
import type { JobStore } from '../store/job-store.ts'

/** Jobs whose checkpoints are removed together, or after this time. */
const TOGETHER = 50
const TOGETHER_MS = 200

/** Removes the checkpoints of jobs that have ended. Those that a process leaves behind go with their jobs. */
export interface CheckpointRemoval {
  readonly remove: (jobId: string) => Promise<void>
  /** Removes what waits to be removed together. */
  readonly flush: () => Promise<void>
}

export interface CheckpointRemovalOptions {
  readonly store: Pick<JobStore, 'checkpoints' | 'queue'>
  readonly runtime: Runtime
  readonly onError: (error: unknown, info: { jobId?: string }) => void
}

export function createCheckpointRemoval({
  store: { checkpoints, queue },
  runtime,
  onError,
}: CheckpointRemovalOptions): CheckpointRemoval {
  const isTogether = queue.shared && checkpoints.removeAll !== undefined
  let ended: string[] = []
  const flush = async (): Promise<void> => {
    const ids = ended
    ended = []
    if (ids.length > 0)
      await checkpoints.removeAll?.(ids).catch((error: unknown) => onError(error, {}))
  }
  return {
    flush,
    async remove(jobId) {
      if (!isTogether) {
        await checkpoints.remove(jobId)
        return
      }
      ended.push(jobId)
      if (ended.length >= TOGETHER) await flush()
      else if (ended.length === 1)
        runtime.sleep(TOGETHER_MS, undefined, { background: true }).then(flush, () => undefined)
    },
  }
}
