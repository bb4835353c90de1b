import type { Runtime } from '@x/wire'
import { eventLoopTurn } from '@x/wire'
import type { JobStore, StoredEvent } from '../store/job-store.ts'
import type { LiveJob } from './live-job.ts'
import { orAbort } from '@x/wire'

const CHUNK = 500

export interface ReaderContext {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly live: (jobId: string) => LiveJob | undefined
  /** How long, in milliseconds, a reader relies on notifications alone. */
  readonly patienceMs: number
  /** Aborted when this process has stopped its work; unfinished jobs continue elsewhere. */
  readonly closed: AbortSignal
}

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
  { live, store }: ReaderContext,
  { jobId, after }: { readonly jobId: string; readonly after: number },
): Promise<StoredEvent[]> {
  const own = live(jobId)
  if (own !== undefined && after >= own.firstSeq - 1) return own.take(after)
  const events = await store.log.read(jobId, after, CHUNK)
  const isEnd = events.at(-1)?.event === 'end'
  return isEnd && !(await isRecorded(store, jobId)) ? events.slice(0, -1) : events
}

/** False while the log has the end of a job that is not recorded yet: readers wait for both. */
async function isRecorded({ queue }: JobStore, jobId: string): Promise<boolean> {
  const job = await queue.get(jobId)
  return job === null || job.finishedAt !== null
}

/** Returns true if no more events will come: the job has ended and its log was read to the end. */
async function waitForNews(
  { store, runtime, live, patienceMs, closed }: ReaderContext,
  { jobId, after, signal }: { jobId: string; after: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const done = new AbortController()
  const stops = [done.signal, closed, ...(signal === undefined ? [] : [signal])]
  const stop = AbortSignal.any(stops)
  let wake = (): void => undefined
  const news = new Promise<void>((resolve) => {
    wake = resolve
  })
  const leave = store.bus.subscribe(jobChannel(jobId), () => wake())
  try {
    const job = await store.queue.get(jobId)
    if (job === null) return true
    const near = await store.log.read(jobId, after - 1, 2)
    const isHeldBack = job.finishedAt === null
    const more = near.some(({ seq, event }) => seq > after && !(isHeldBack && event === 'end'))
    if (more || live(jobId)?.closed === false) return false
    if (near[0]?.event === 'end') return true
    // The process that ends an orphaned job writes its end after the job is marked as finished.
    const { finishedAt } = job
    if (finishedAt !== null && runtime.now().getTime() - finishedAt.getTime() >= patienceMs)
      return true
    await Promise.race([news, runtime.sleep(patienceMs, stop).catch(() => undefined)])
    return false
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
