import { append } from '@x/wire'
import { FlowError } from '../errors.ts'
import type { RunResult } from '../graph/context/run-options.ts'
import type { StoredEvent } from '../store/job-store.ts'
import type { JobLookup } from './job-lookup.ts'
import { orAbort } from '@x/wire'
import { readEvents, type ReaderContext } from './read-events.ts'
import { rebuildResult } from './rebuild-result.ts'
import type { JobRunner } from './run-job.ts'

export interface JobResultOptions {
  readonly runner: JobRunner
  readonly readers: ReaderContext
  readonly lookup: JobLookup
}

/**
 * Waits for the end of a job: in this process for its own result, elsewhere for the end of its log, from
 * which the result is rebuilt (DR-3).
 * @throws FlowError `not_found`; `store_unavailable` if this process closes first
 */
export async function jobResult(
  { runner, readers, lookup }: JobResultOptions,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  const job = await lookup.find(jobId, undefined)
  const own = await orAbort(runner.result(jobId), signal)
  if (own !== undefined) return own
  const seen: StoredEvent[] = []
  for await (const found of readEvents(readers, { jobId, after: -1, signal })) append(seen, found)
  const ended = await orAbort(runner.result(jobId), signal)
  if (ended === undefined && readers.closed.aborted && seen.at(-1)?.event !== 'end')
    throw new FlowError('store_unavailable', `Job ${jobId} continues in another process`)
  return ended ?? rebuildResult(await lookup.find(job.id, undefined), seen)
}
