import { longestText } from './event-size.ts'
import { TokenData, TokenEvent as JoinedTokens, type RunEvent } from './run-event.ts'
import { createPooledArray } from '../values/create-pooled-array.ts'

export interface RunLogOptions {
  /** Unread tokens of one reader before adjacent ones are merged. */
  readonly bufferedTokens: number
  /** Maximum size of merged tokens. Default: unlimited. */
  readonly eventBytes?: number
  /** `seq` of the first event. Default 0. */
  readonly firstSeq?: number
  /** Called with each event when it is sent. */
  readonly onPush?: (event: RunEvent) => void
}

/** The events of one run and their readers. Every reader sees all events and none slows the run. */
export interface RunLog {
  /** `seq` of the next event. */
  readonly nextSeq: number
  push(event: RunEvent): void
  /** Ends the log and all waiting readers. */
  close(): void
  read(): AsyncIterator<RunEvent>
}

type TokenEvent = Extract<RunEvent, { readonly event: 'token' }>

interface Reader {
  /** Index of the next event in the log. */
  at: number
  tokensRead: number
  /** Pending `next()` calls. */
  readonly waiting: ((result: IteratorResult<RunEvent>) => void)[]
}

const DONE: IteratorResult<RunEvent> = { done: true, value: undefined }

export function createRunLog(options: RunLogOptions): RunLog {
  return new RunEventLog(options)
}

class RunEventLog implements RunLog {
  readonly #bufferedTokens: number
  /** Maximum number of characters of merged tokens. */
  readonly #longest: number
  readonly #onPush: RunLogOptions['onPush']
  #events: RunEvent[] = createPooledArray()
  #nextSeq: number
  #tokens = 0
  /** Tokens added since the last compaction. */
  #loose = 0
  #closed = false
  #readers: Set<Reader> | undefined

  constructor(options: RunLogOptions) {
    const { bufferedTokens, eventBytes = Number.POSITIVE_INFINITY, firstSeq = 0, onPush } = options
    this.#bufferedTokens = bufferedTokens
    this.#longest = longestText(eventBytes)
    this.#onPush = onPush
    this.#nextSeq = firstSeq
  }

  get nextSeq(): number {
    return this.#nextSeq
  }

  push(event: RunEvent): void {
    if (this.#closed) return
    this.#events.push(event)
    this.#nextSeq += 1
    if (event.event === 'token') {
      this.#tokens += 1
      this.#loose += 1
      if (this.#loose >= 4 * this.#bufferedTokens + 64) this.#compact()
    }
    this.#onPush?.(event)
    if (this.#readers !== undefined) this.#wakeAll(this.#readers)
  }

  close(): void {
    this.#closed = true
    if (this.#readers !== undefined) this.#wakeAll(this.#readers)
  }

  read(): AsyncIterator<RunEvent> {
    const reader: Reader = { at: 0, tokensRead: 0, waiting: [] }
    this.#readers ??= new Set()
    const readers = this.#readers.add(reader)
    return {
      next: () => {
        const event = this.#take(reader)
        if (event !== undefined) return Promise.resolve({ done: false, value: event })
        if (this.#closed || !readers.has(reader)) {
          readers.delete(reader)
          return Promise.resolve(DONE)
        }
        // Tokens merged in the log were already counted.
        reader.tokensRead = this.#tokens
        return new Promise((resolve) => void reader.waiting.push(resolve))
      },
      return: () => {
        readers.delete(reader)
        for (const resolve of reader.waiting.splice(0)) resolve(DONE)
        return Promise.resolve(DONE)
      },
    }
  }

  #wakeAll(readers: ReadonlySet<Reader>): void {
    for (const reader of readers) {
      while (reader.waiting.length > 0) {
        const event = this.#take(reader)
        if (event === undefined && !this.#closed) break
        reader.waiting.shift()?.(event === undefined ? DONE : { done: false, value: event })
      }
    }
  }

  /** The next event for a reader; adjacent tokens are merged if the reader is far behind. */
  #take(reader: Reader): RunEvent | undefined {
    const events = this.#events
    const first = events[reader.at]
    if (first === undefined) return undefined
    reader.at += 1
    if (first.event !== 'token') return first
    const behind = this.#tokens - reader.tokensRead
    reader.tokensRead += 1
    if (behind <= this.#bufferedTokens) return first
    const run = this.#neighbours(first, reader.at, events.length)
    reader.at += run.length - 1
    reader.tokensRead += run.length - 1
    return joinTokens(run)
  }

  /** A token and the adjacent ones before `end` that can be merged with it. */
  #neighbours(first: TokenEvent, next: number, end: number): TokenEvent[] {
    const run = [first]
    let length = first.data.chunk.length
    for (let at = next; at < end; at += 1) {
      const event = this.#events[at]
      if (event?.event !== 'token' || event.data.id !== first.data.id) break
      length += event.data.chunk.length
      if (length > this.#longest) break
      run.push(event)
    }
    return run
  }

  /**
   * Merges old tokens, so that a run without readers retains one string instead of thousands of events. No
   * reader has passed the event that was just pushed.
   */
  #compact(): void {
    const events = this.#events
    const borders = new Set<number>()
    for (const reader of this.#readers ?? []) borders.add(reader.at)
    const moved = new Map<number, number>()
    const kept: RunEvent[] = []
    const end = events.length - this.#bufferedTokens
    for (let at = 0; at < events.length; at += 1) {
      if (borders.has(at)) moved.set(at, kept.length)
      const first = events[at]
      if (first === undefined) break
      if (at + 1 >= end || first.event !== 'token') {
        kept.push(first)
        continue
      }
      const run = this.#neighbours(first, at + 1, Math.min(end, nextBorder(borders, at)))
      at += run.length - 1
      kept.push(run.length === 1 ? first : joinTokens(run))
    }
    for (const reader of this.#readers ?? []) reader.at = moved.get(reader.at) ?? reader.at
    this.#events = kept
    this.#loose = 0
  }
}

/** Concatenates the chunks and takes the last `seq`. */
function joinTokens(run: readonly TokenEvent[]): RunEvent {
  const chunk = run.map(({ data }) => data.chunk).join('')
  const last = run.at(-1)
  const { seq = 0, vertexId } = last ?? {}
  return new JoinedTokens(seq, new TokenData(chunk, last?.data.id ?? ''), vertexId)
}

/** The nearest reader position after an index. */
function nextBorder(borders: ReadonlySet<number>, at: number): number {
  let nearest = Number.POSITIVE_INFINITY
  for (const border of borders) if (border > at && border < nearest) nearest = border
  return nearest
}
