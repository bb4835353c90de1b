import type { Runtime } from '@x/wire'
import { eventLoopTurn } from '@x/wire'
import type { JobStore, StoredEvent } from '../store/job-store.ts'
import type { LiveJob } from './live-job.ts'
import type { SharedReads } from './shared-reads.ts'
import { orAbort } from '@x/wire'

const CHUNK = 500

export interface ReaderContext extends SharedReads {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly live: (jobId: string) => LiveJob | undefined
  /** Queued here, and it may run here. */
  readonly expects: (jobId: string) => boolean
  /** How long, in milliseconds, a reader relies on notifications alone. */
  readonly patienceMs: number
  /** Aborted when this process has stopped its work; unfinished jobs continue elsewhere. */
  readonly closed: AbortSignal
}

/** A job that was queued here is claimed here within this time, or more likely elsewhere. */
const CLAIM_MS = 250

/** The channel on which processes announce that a job's log has grown. */
export const jobChannel = (jobId: string): string => `job:${jobId}`

/**
 * The events after `after`, from this process's own run of the job or from the log. Waits for the first one;
 * an empty list means that the job is over (or unknown).
 */
export async function nextEvents(
  context: ReaderContext,
  { jobId, after, signal }: { jobId: string; after: number; signal?: AbortSignal | undefined },
): Promise<StoredEvent[]> {
  if (after === -1 && context.live(jobId) === undefined && context.expects(jobId))
    await untilNews(context, { jobId, signal, patienceMs: CLAIM_MS }, async () => false)
  for (;;) {
    signal?.throwIfAborted()
    const live = context.live(jobId)
    const found = await eventsAtHand(context, { jobId, after })
    if (found.length > 0) return found
    if (context.closed.aborted) return []
    if (live !== undefined && !live.closed) {
      await orAbort(live.changed(after), signal)
      // Events of the same turn are read together, as a write to the client costs more than an event.
      if (live.lastSeq > after) await eventLoopTurn()
      // Also used if the run has ended meanwhile, which avoids reading the log.
      if (after >= live.firstSeq - 1) {
        const news = live.take(after)
        if (news.length > 0) return news
      }
    } else if (await waitForNews(context, { jobId, after, signal })) return []
  }
}

/** The events after `after` that are available without waiting. */
export async function eventsAtHand(
  { live, read, get }: Pick<ReaderContext, 'live' | 'read' | 'get'>,
  { jobId, after }: { readonly jobId: string; readonly after: number },
): Promise<StoredEvent[]> {
  const own = live(jobId)
  if (own !== undefined && after >= own.firstSeq - 1) return own.take(after)
  const events = await read(jobId, after, CHUNK)
  const isEnd = events.at(-1)?.event === 'end'
  return isEnd && !(await isRecorded(get, jobId)) ? events.slice(0, -1) : events
}

/** False while the log has the end of a job that is not recorded yet: readers wait for both. */
async function isRecorded(get: ReaderContext['get'], jobId: string): Promise<boolean> {
  const job = await get(jobId)
  return job === null || job.finishedAt !== null
}

/** Returns true if no more events will come: the job has ended and its log was read to the end. */
async function waitForNews(
  context: ReaderContext,
  { jobId, after, signal }: { jobId: string; after: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const { runtime, live, read, get, patienceMs } = context
  let isOver = false
  await untilNews(context, { jobId, signal, patienceMs }, async () => {
    const job = await get(jobId)
    if (job === null) return (isOver = true)
    const near = await read(jobId, after - 1, 2)
    const isHeldBack = job.finishedAt === null
    const more = near.some(({ seq, event }) => seq > after && !(isHeldBack && event === 'end'))
    if (more || live(jobId)?.closed === false) return true
    if (near[0]?.event === 'end') return (isOver = true)
    // The process that ends an orphaned job writes its end after the job is marked as finished.
    const { finishedAt } = job
    if (finishedAt !== null && runtime.now().getTime() - finishedAt.getTime() >= patienceMs)
      isOver = true
    return isOver
  })
  return isOver
}

/**
 * Waits until the log of a job is announced to have grown, for a time at most.
 * @param isThere asked once announcements are heard: there is nothing to wait for
 */
async function untilNews(
  { store, runtime, closed }: ReaderContext,
  {
    jobId,
    signal,
    patienceMs,
  }: { jobId: string; signal: AbortSignal | undefined; patienceMs: number },
  isThere: () => Promise<boolean>,
): Promise<void> {
  const done = new AbortController()
  const stops = [done.signal, closed, ...(signal === undefined ? [] : [signal])]
  const stop = AbortSignal.any(stops)
  let wake = (): void => undefined
  const news = new Promise<void>((resolve) => {
    wake = resolve
  })
  const leave = store.bus.subscribe(jobChannel(jobId), () => wake())
  try {
    if (await isThere()) return
    await Promise.race([news, runtime.sleep(patienceMs, stop).catch(() => undefined)])
  } finally {
    leave()
    done.abort()
  }
}

/** All events after `after` until `end`, in batches of available events. */
export async function* readEvents(
  context: ReaderContext,
  { jobId, after, signal }: { jobId: string; after: number; signal?: AbortSignal | undefined },
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let last = after
  for (;;) {
    const events = await nextEvents(context, { jobId, after: last, signal })
    const end = events.at(-1)
    if (end === undefined) return
    yield events
    if (end.event === 'end') return
    last = end.seq
  }
}
