import type { FlowError } from '../errors.ts'
import { longestText } from '../graph/events/event-size.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { StoredEvent } from '../store/job-store.ts'
import { firstAfter, joinStoredTokens, type JobEvent } from './job-event.ts'

/** Events that a reader takes at once. */
const PIECE = 512
/** Characters of events that the log has, too: those beyond it are read from the log (DR-19). */
const MOST_LOGGED = 16 * 1024 * 1024
/** Of an event, besides its text. */
const EVENT_SIZE = 64

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
  #firstSeq: number
  /** Sizes of the first events, which the log has, too. */
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

  /** Number of the first event that is held here; earlier ones are only in the log. */
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

  /** Tells the run of a cancel, also of one that was asked for before it began. */
  onCancel(told: (reason: FlowError) => void): void {
    this.#tell = told
    if (this.#cancelled !== undefined) told(this.#cancelled)
  }

  readonly publish = (event: JobEvent): void => {
    this.#events.push(event)
    this.#wake()
  }

  /** The log has these events, the next ones published: old ones are forgotten if they are many. */
  logged(events: readonly JobEvent[]): void {
    for (const event of events) {
      const size = event.size + EVENT_SIZE
      this.#logged.push(size)
      this.#loggedSize += size
    }
    if (this.#loggedSize > MOST_LOGGED) this.#forget(MOST_LOGGED / 2)
  }

  /** Releases the run that the events came from. */
  seal(): void {
    for (const event of this.#events) event.seal()
  }

  /** No more events come from this process. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** The events published after `after`; tokens are joined if there are many. */
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

  /** Resolves when something is published behind `after`, or nothing more will be. */
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
