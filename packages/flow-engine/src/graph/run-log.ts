import type { RunEvent } from './run-event.ts'

export interface RunLogOptions {
  /** Unread tokens of one reader before neighbours are joined (FE-68). */
  readonly bufferedTokens: number
  /** Number of the first event; default 0. */
  readonly firstSeq?: number
  /** Told of each event when it is sent. */
  readonly onPush?: (event: RunEvent) => void
}

/** Events of one run and their readers: each sees all of them, none slows the run (FE-68). */
export interface RunLog {
  /** Number of the next event. */
  readonly nextSeq: number
  push(event: RunEvent): void
  /** No more events come; waiting readers end. */
  close(): void
  read(): AsyncIterator<RunEvent>
}

interface Reader {
  /** Position of the next event in the log. */
  at: number
  tokensRead: number
  wake: (() => void) | undefined
}

const DONE: IteratorResult<RunEvent> = { done: true, value: undefined }

export function createRunLog({ bufferedTokens, firstSeq = 0, onPush }: RunLogOptions): RunLog {
  let events: RunEvent[] = []
  let nextSeq = firstSeq
  let tokens = 0
  let loose = 0
  let closed = false
  const readers = new Set<Reader>()

  function wakeAll(): void {
    for (const reader of readers) {
      const { wake } = reader
      reader.wake = undefined
      wake?.()
    }
  }

  /** The next event of a reader; neighbouring tokens as one when it is far behind. */
  function take(reader: Reader): RunEvent | undefined {
    const first = events[reader.at]
    if (first === undefined) return undefined
    reader.at += 1
    if (first.event !== 'token') return first
    const behind = tokens - reader.tokensRead
    reader.tokensRead += 1
    if (behind <= bufferedTokens) return first
    const run: RunEvent[] = [first]
    for (let next = events[reader.at]; isSameToken(first, next); next = events[reader.at]) {
      run.push(next)
      reader.at += 1
      reader.tokensRead += 1
    }
    return joinTokens(run)
  }

  /** Joins old tokens, so that a run nobody reads keeps one text instead of thousands of events. */
  function compact(): void {
    const borders = new Set([...readers].map((reader) => reader.at))
    const moved = new Map<number, number>()
    const kept: RunEvent[] = []
    const end = events.length - bufferedTokens
    for (let at = 0; at < events.length; at += 1) {
      if (borders.has(at)) moved.set(at, kept.length)
      const first = events[at]
      if (first === undefined) break
      const run: RunEvent[] = [first]
      while (at + 1 < end && !borders.has(at + 1) && isSameToken(first, events[at + 1])) {
        at += 1
        const next = events[at]
        if (next !== undefined) run.push(next)
      }
      kept.push(run.length === 1 ? first : joinTokens(run))
    }
    if (borders.has(events.length)) moved.set(events.length, kept.length)
    for (const reader of readers) reader.at = moved.get(reader.at) ?? reader.at
    events = kept
    loose = 0
  }

  return {
    get nextSeq() {
      return nextSeq
    },
    push(event) {
      if (closed) return
      events.push(event)
      nextSeq += 1
      if (event.event === 'token') {
        tokens += 1
        loose += 1
        if (loose >= 4 * bufferedTokens + 64) compact()
      }
      onPush?.(event)
      if (readers.size > 0) wakeAll()
    },
    close() {
      closed = true
      wakeAll()
    },
    read() {
      const reader: Reader = { at: 0, tokensRead: 0, wake: undefined }
      readers.add(reader)
      const woken = (): Promise<void> =>
        new Promise((resolve) => {
          const before = reader.wake
          reader.wake = () => {
            before?.()
            resolve()
          }
        })
      const later = async (): Promise<IteratorResult<RunEvent>> => {
        for (;;) {
          await woken()
          const event = take(reader)
          if (event !== undefined) return { done: false, value: event }
          if (closed || !readers.has(reader)) return DONE
        }
      }
      const next = (): Promise<IteratorResult<RunEvent>> => {
        const event = take(reader)
        if (event !== undefined) return Promise.resolve({ done: false, value: event })
        if (!closed && readers.has(reader)) return later()
        readers.delete(reader)
        return Promise.resolve(DONE)
      }
      return {
        next,
        return: () => {
          readers.delete(reader)
          reader.wake?.()
          return Promise.resolve(DONE)
        },
      }
    },
  }
}

function isSameToken(first: RunEvent, next: RunEvent | undefined): next is RunEvent {
  if (first.event !== 'token' || next?.event !== 'token') return false
  return first.data.id === next.data.id
}

/** Chunks joined, `seq` of the last. */
function joinTokens(run: readonly RunEvent[]): RunEvent {
  const chunks: string[] = []
  let id = ''
  for (const event of run) {
    if (event.event !== 'token') continue
    chunks.push(event.data.chunk)
    id = event.data.id
  }
  return { seq: run.at(-1)?.seq ?? 0, event: 'token', data: { chunk: chunks.join(''), id } }
}
