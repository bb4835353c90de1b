import type { Runtime } from '@x/wire'
import type { BuildJobs, PendingQuestion } from './build-jobs.ts'

/** Milliseconds between looks at a job that is about to be suspended. */
const REST_MS = 5

/**
 * The question that the `suspended` event with this `seq` announced. A job is suspended shortly after it; one
 * that has ended, or has further events, was answered: undefined.
 * @throws the reason of the signal
 */
export async function questionAfter(
  {
    jobs,
    runtime,
  }: { readonly jobs: Pick<BuildJobs, 'get'>; readonly runtime: Pick<Runtime, 'sleep'> },
  jobId: string,
  { seq, signal }: { readonly seq: number; readonly signal: AbortSignal },
): Promise<PendingQuestion | undefined> {
  for (;;) {
    const job = await jobs.get(jobId)
    if (job === null || job.finishedAt !== null || job.lastSeq > seq) return undefined
    if (job.question !== undefined) return job.question
    await runtime.sleep(REST_MS, signal)
  }
}
