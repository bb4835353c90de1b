import { append } from '@x/wire'
import { FlowError } from '../errors.ts'
import type { RunResult } from '../graph/context/run-options.ts'
import type { JobQueue, StoredEvent } from '../store/job-store.ts'
import type { JobQueries } from './job-queries.ts'
import { orAbort } from '@x/wire'
import { readEvents, type ReaderContext } from './read-events.ts'
import type { JobSeal } from './job-seal.ts'
import { rebuildResult } from './rebuild-result.ts'
import type { JobRunner } from './run-job.ts'
import { readStoredResult, type StoredResult } from './stored-result.ts'

export interface JobResultOptions {
  readonly runner: JobRunner
  readonly readers: ReaderContext
  readonly lookup: JobQueries
  readonly seal: JobSeal
}

/**
 * Waits for the end of a job: in this process for its own result, elsewhere for the end of its log and its
 * record, from which the same result is rebuilt.
 * @throws FlowError `not_found`; `store_unavailable` if this process closes first
 */
export async function jobResult(
  { runner, readers, lookup, seal }: JobResultOptions,
  jobId: string,
  signal: AbortSignal | undefined,
): Promise<RunResult> {
  await lookup.check(jobId, undefined)
  const own = await orAbort(runner.result(jobId), signal)
  if (own !== undefined) return own
  const seen: StoredEvent[] = []
  for await (const found of readEvents(readers, { jobId, after: -1, signal })) append(seen, found)
  const ended = await orAbort(runner.result(jobId), signal)
  if (ended === undefined && readers.closed.aborted && seen.at(-1)?.event !== 'end')
    throw new FlowError('store_unavailable', `Job ${jobId} continues in another process`)
  if (ended !== undefined) return ended
  const stored = await storedResultOf({ queue: readers.store.queue, seal }, jobId)
  return rebuildResult(await lookup.find(jobId, undefined), seen, stored)
}

/** What was stored with the end of a job. */
export async function storedResultOf(
  { queue, seal }: { readonly queue: JobQueue; readonly seal: JobSeal },
  jobId: string,
): Promise<StoredResult | undefined> {
  const text = await queue.readResult?.(jobId)
  const stored = text === undefined || text === null ? undefined : JSON.parse(text)
  return readStoredResult(await seal.open(jobId, stored))
}
