import type { FlowError } from '../errors.ts'
import { longestText } from '../graph/events/event-size.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { StoredEvent } from '../store/job-store.ts'
import { firstAfter, joinTokens, type JobEvent } from './job-event.ts'

/** Tokens that a reader may be behind before they are joined. */
const PIECE = 512

export interface LiveJobOptions {
  readonly jobId: string
  /** Default 0. */
  readonly firstSeq?: number
  readonly limits: Pick<RunLimits, 'bufferedTokens' | 'eventBytes'>
}

/**
 * The events of a job that runs in this process, for any number of readers at any pace. A class: a
 * literal with getters would get a hidden class of its own, which outlives the job.
 */
export class LiveJob {
  readonly jobId: string
  /** What lies before it was run by another process, and is in the log only. */
  readonly firstSeq: number
  readonly #limits: LiveJobOptions['limits']
  readonly #events: JobEvent[] = []
  #closed = false
  #cancelled: FlowError | undefined = undefined
  #tell: ((reason: FlowError) => void) | undefined = undefined
  #waiting: { readonly promise: Promise<void>; readonly wake: () => void } | undefined = undefined

  constructor({ jobId, firstSeq = 0, limits }: LiveJobOptions) {
    this.jobId = jobId
    this.firstSeq = firstSeq
    this.#limits = limits
  }

  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? this.firstSeq - 1
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Of several reasons the first counts. */
  cancel(reason: FlowError): void {
    if (this.#cancelled !== undefined) return
    this.#cancelled = reason
    this.#tell?.(reason)
  }

  /** Tells the run of a cancel, also of one that was asked for before it began. */
  onCancel(told: (reason: FlowError) => void): void {
    this.#tell = told
    if (this.#cancelled !== undefined) told(this.#cancelled)
  }

  readonly publish = (event: JobEvent): void => {
    this.#events.push(event)
    this.#wake()
  }

  /** No more events come from this process. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** What has been published behind `after`; tokens are joined when there are many. */
  take(after: number): StoredEvent[] {
    const events = this.#events
    const { bufferedTokens, eventBytes } = this.#limits
    const start = firstAfter(events, after)
    if (start === events.length) return []
    if (events.length - start > bufferedTokens) {
      return joinTokens(events.slice(start), longestText(eventBytes))
    }
    return events.slice(start, start + PIECE)
  }

  /** Resolves when something is published behind `after`, or nothing more will be. */
  changed(after: number): Promise<void> {
    if (this.#closed || this.lastSeq > after) return Promise.resolve()
    this.#waiting ??= createWaiting()
    return this.#waiting.promise
  }

  #wake(): void {
    this.#waiting?.wake()
    this.#waiting = undefined
  }
}

function createWaiting() {
  let wake = (): void => undefined
  const promise = new Promise<void>((resolve) => {
    wake = resolve
  })
  return { promise, wake }
}
