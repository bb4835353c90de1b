import type { RunEvent } from '../graph/events/run-event.ts'
import type { StoredEvent } from '../store/job-store.ts'

/**
 * An event of a job, encoded at most once and only on first access. `seal` releases the run it came from.
 * Tokens, which can be very numerous, retain only their text and message id.
 */
export class JobEvent implements StoredEvent {
  readonly seq: number
  readonly event: RunEvent['event']
  /** For a token: its text. */
  #source: RunEvent | string | undefined
  readonly #messageId: string | undefined
  #data: string | undefined

  constructor(source: RunEvent, seq = source.seq) {
    const isToken = source.event === 'token'
    this.seq = seq
    this.event = source.event
    this.#source = isToken ? source.data.chunk : source
    this.#messageId = isToken ? source.data.id : undefined
  }

  get data(): string {
    this.#data ??= JSON.stringify(this.#value)
    return this.#data
  }

  /** Characters of its text; for a token, of the chunk. */
  get size(): number {
    const source = this.#source
    return typeof source === 'string' ? source.length : this.data.length
  }

  seal(): void {
    void this.data
    this.#source = undefined
  }

  toRunEvent(): RunEvent {
    const { seq, event } = this
    const data = this.#source === undefined ? (JSON.parse(this.data) as unknown) : this.#value
    return { seq, event, data } as RunEvent
  }

  get #value(): RunEvent['data'] | undefined {
    const source = this.#source
    return typeof source === 'string' ? { chunk: source, id: this.#messageId ?? '' } : source?.data
  }
}

/** Decodes a stored event. */
export function decodeEvent(stored: StoredEvent): RunEvent {
  if (stored instanceof JobEvent) return stored.toRunEvent()
  const { seq, event, data } = stored
  return { seq, event, data: JSON.parse(data) as unknown } as RunEvent
}

/**
 * Merges adjacent tokens of one message into one event with the `seq` of the last.
 * @param longest maximum number of characters of merged tokens
 */
export function joinStoredTokens(events: readonly StoredEvent[], longest: number): StoredEvent[] {
  const joined: StoredEvent[] = []
  let open: { readonly id: string; chunks: string[]; length: number; seq: number } | undefined
  const close = (): void => {
    if (open === undefined) return
    const data = JSON.stringify({ chunk: open.chunks.join(''), id: open.id })
    joined.push({ seq: open.seq, event: 'token', data })
    open = undefined
  }
  for (const stored of events) {
    if (stored.event !== 'token') {
      close()
      joined.push(stored)
      continue
    }
    const { chunk, id } = decodeEvent(stored).data as { chunk: string; id: string }
    if (open?.id !== id || open.length + chunk.length > longest) {
      close()
      open = { id, chunks: [], length: 0, seq: stored.seq }
    }
    open.chunks.push(chunk)
    open.length += chunk.length
    open.seq = stored.seq
  }
  close()
  return joined
}

/** Index of the first event with a `seq` above `after`; events are sorted by it. */
export function firstAfter(events: readonly StoredEvent[], after: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.seq ?? 0) > after) high = middle
    else low = middle + 1
  }
  return low
}
