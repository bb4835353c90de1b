import type { FlowError } from '../errors.ts'
import { longestText } from '../graph/event-size.ts'
import type { RunLimits } from '../graph/limits.ts'
import type { StoredEvent } from '../store/job-store.ts'
import { firstAfter, joinTokens, type JobEvent } from './job-event.ts'

/** Tokens that a reader may be behind before they are joined. */
const PIECE = 512

/** The events of a job that runs in this process, for any number of readers at any pace. */
export interface LiveJob {
  readonly jobId: string
  /** What lies before it was run by another process, and is in the log only. */
  readonly firstSeq: number
  readonly lastSeq: number
  /** Of several reasons the first counts. */
  cancel(reason: FlowError): void
  /** Tells the run of a cancel, also of one that was asked for before it began. */
  onCancel(told: (reason: FlowError) => void): void
  readonly publish: (event: JobEvent) => void
  /** No more events come from this process. */
  close(): void
  /** What has been published behind `after`; tokens are joined when there are many. */
  take(after: number): StoredEvent[]
  readonly closed: boolean
  /** Resolves when something is published behind `after`, or nothing more will be. */
  changed(after: number): Promise<void>
}

export interface LiveJobOptions {
  readonly jobId: string
  /** Default 0. */
  readonly firstSeq?: number
  readonly limits: Pick<RunLimits, 'bufferedTokens' | 'eventBytes'>
}

export function createLiveJob({ jobId, firstSeq = 0, limits }: LiveJobOptions): LiveJob {
  const { bufferedTokens, eventBytes } = limits
  const events: JobEvent[] = []
  let closed = false
  let cancelled: FlowError | undefined
  let tell: ((reason: FlowError) => void) | undefined
  let waiting: { readonly promise: Promise<void>; readonly wake: () => void } | undefined

  const wake = (): void => {
    waiting?.wake()
    waiting = undefined
  }

  const live: LiveJob = {
    jobId,
    firstSeq,
    cancel(reason) {
      if (cancelled !== undefined) return
      cancelled = reason
      tell?.(reason)
    },
    onCancel(told) {
      tell = told
      if (cancelled !== undefined) told(cancelled)
    },
    get lastSeq() {
      return events.at(-1)?.seq ?? firstSeq - 1
    },
    get closed() {
      return closed
    },
    publish(event) {
      events.push(event)
      wake()
    },
    close() {
      closed = true
      wake()
    },
    take(after) {
      const start = firstAfter(events, after)
      if (start === events.length) return []
      if (events.length - start > bufferedTokens) {
        return joinTokens(events.slice(start), longestText(eventBytes))
      }
      return events.slice(start, start + PIECE)
    },
    changed(after) {
      if (closed || live.lastSeq > after) return Promise.resolve()
      waiting ??= createWaiting()
      return waiting.promise
    },
  }
  return live
}

function createWaiting() {
  let wake = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    wake = resolve
  })
  return { promise, wake }
}
