import { append } from '@x/wire'
import type { StoredEvent } from '../store/job-store.ts'
import type { Poll } from './build-jobs.ts'
import { eventsAtHand, nextEvents, type ReaderContext } from './read-events.ts'

export interface PollRequest {
  readonly jobId: string
  readonly after: number
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/** The events after `after`. Waits up to `waitMs` for the first one, then returns an empty list. */
export async function pollEvents(
  context: ReaderContext,
  { jobId, after, waitMs, signal }: PollRequest,
): Promise<Poll<StoredEvent>> {
  const over = new AbortController()
  const outer = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
  const wait = new AbortController()
  context.runtime.sleep(waitMs, wait.signal).then(
    () => over.abort(),
    () => undefined,
  )
  const events: StoredEvent[] = []
  let cursor = after
  try {
    for (;;) {
      // After the first batch only events that are already available are added.
      const more =
        events.length === 0
          ? await nextEvents(context, { jobId, after: cursor, signal: outer })
          : await eventsAtHand(context, { jobId, after: cursor })
      append(events, more)
      cursor = events.at(-1)?.seq ?? cursor
      const done = events.at(-1)?.event === 'end' || (events.length === 0 && more.length === 0)
      if (done || more.length === 0) return { events, cursor, done }
    }
  } catch (error) {
    if (over.signal.aborted && signal?.aborted !== true) return { events, cursor, done: false }
    throw error
  } finally {
    wait.abort()
  }
}
