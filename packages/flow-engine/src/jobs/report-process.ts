import type { Runtime } from '@x/wire'
import type { FleetProcess } from '../store/fleet.ts'
import type { JobQueue } from '../store/job-store.ts'

/** How long a process that only queues waits for one that works before it says so. */
const ALONE_MS = 60_000

export interface ReportProcessOptions {
  readonly queue: Pick<JobQueue, 'seen' | 'gone' | 'fleet'>
  readonly runtime: Runtime
  readonly everyMs: number
  readonly closing: AbortSignal
  readonly state: () => FleetProcess
  /** False: jobs that wait need another process. */
  readonly works: boolean
  readonly onError: (error: unknown) => void
}

/** Says from time to time that this process lives, until `closing`. Only the first failure is reported. */
export async function reportProcess(options: ReportProcessOptions): Promise<void> {
  const { queue, runtime, everyMs, closing, state, works, onError } = options
  let looked = runtime.now().getTime()
  const lookForWorkers = async (): Promise<void> => {
    const now = runtime.now().getTime()
    if (works || now - looked < ALONE_MS) return
    looked = now
    const fleet = await queue.fleet?.()
    if (fleet === undefined || fleet.queued === 0) return
    const since = fleet.at.getTime() - ALONE_MS
    if (fleet.processes.some(({ role, seenAt }) => role !== 'web' && seenAt.getTime() > since))
      return
    onError(new Error(`No worker for ${ALONE_MS / 1000} s; ${fleet.queued} jobs wait`))
  }
  let isAway = false
  while (!closing.aborted) {
    try {
      await queue.seen?.(state())
      await lookForWorkers()
      isAway = false
    } catch (error) {
      if (!isAway) onError(error)
      isAway = true
    }
    await runtime.sleep(everyMs, closing, { background: true }).catch(() => undefined)
  }
  await queue.gone?.(state().name).catch(() => undefined)
}
