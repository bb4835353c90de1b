import type { FlowError } from '../errors.ts'
import { longestText } from '../graph/events/event-size.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { StoredEvent } from '../store/job-store.ts'
import { firstAfter, joinStoredTokens, type JobEvent } from './job-event.ts'

/** Maximum number of events a reader takes at once. */
const PIECE = 512
/** Characters of logged events retained in memory; beyond that they are read from the log. */
const MAX_LOGGED = 16 * 1024 * 1024
/** Overhead of an event besides its text. */
const EVENT_SIZE = 64

export interface LiveJobOptions {
  readonly jobId: string
  /** Default 0. */
  readonly firstSeq?: number
  readonly limits: Pick<RunLimits, 'bufferedTokens' | 'eventBytes'>
}

/**
 * The events of a job running in this process, for any number of readers at any pace. A class: a literal with
 * getters would get a separate hidden class that outlives the job.
 */
export class LiveJob {
  readonly jobId: string
  #firstSeq: number
  /** Sizes of the first events, which are already in the log. */
  readonly #logged: number[] = []
  #loggedSize = 0
  readonly #limits: LiveJobOptions['limits']
  readonly #events: JobEvent[] = []
  #closed = false
  #cancelled: FlowError | undefined = undefined
  #tell: ((reason: FlowError) => void) | undefined = undefined
  #waiting: { readonly promise: Promise<void>; readonly wake: () => void } | undefined = undefined

  constructor({ jobId, firstSeq = 0, limits }: LiveJobOptions) {
    this.jobId = jobId
    this.#firstSeq = firstSeq
    this.#limits = limits
  }

  /** `seq` of the first event retained here; earlier ones are only in the log. */
  get firstSeq(): number {
    return this.#firstSeq
  }

  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? this.#firstSeq - 1
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The first reason wins. */
  cancel(reason: FlowError): void {
    if (this.#cancelled !== undefined) return
    this.#cancelled = reason
    this.#tell?.(reason)
  }

  /** Notifies the run of a cancel, including one requested before it started. */
  onCancel(listener: (reason: FlowError) => void): void {
    this.#tell = listener
    if (this.#cancelled !== undefined) listener(this.#cancelled)
  }

  readonly publish = (event: JobEvent): void => {
    this.#events.push(event)
    this.#wake()
  }

  /** The log has stored the next published events; old ones are released if there are many. */
  logged(events: readonly JobEvent[]): void {
    for (const event of events) {
      const size = event.size + EVENT_SIZE
      this.#logged.push(size)
      this.#loggedSize += size
    }
    if (this.#loggedSize > MAX_LOGGED) this.#forget(MAX_LOGGED / 2)
  }

  /** Releases the run that the events came from. */
  seal(): void {
    for (const event of this.#events) event.seal()
  }

  /** No more events will come from this process. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** The events published after `after`; tokens are merged if there are many. */
  take(after: number): StoredEvent[] {
    const events = this.#events
    const { bufferedTokens, eventBytes } = this.#limits
    const start = firstAfter(events, after)
    if (start === events.length) return []
    if (events.length - start > bufferedTokens) {
      return joinStoredTokens(events.slice(start), longestText(eventBytes))
    }
    return events.slice(start, start + PIECE)
  }

  /** Resolves when an event after `after` is published, or no more will be. */
  changed(after: number): Promise<void> {
    if (this.#closed || this.lastSeq > after) return Promise.resolve()
    this.#waiting ??= createWaiting()
    return this.#waiting.promise
  }

  #forget(left: number): void {
    let count = 0
    while (this.#loggedSize > left) this.#loggedSize -= this.#logged[count++] ?? 0
    this.#logged.splice(0, count)
    const last = this.#events.splice(0, count).at(-1)
    if (last !== undefined) this.#firstSeq = last.seq + 1
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
