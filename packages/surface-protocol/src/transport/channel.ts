import { createSystemRuntime, type Runtime } from '@x/wire'
import { SurfaceError } from '../diagnostics/errors.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import type { SurfaceStore } from '../store/store.ts'
import { createChannelReader, type ChannelReader } from './channel-reader.ts'

/** A message with its position in a channel. */
export interface ChannelItem {
  /** `<channel>.<number>`; the first message has number 1. */
  readonly id: string
  readonly message: ServerMessage
}

/** What a channel keeps and how far it runs ahead. */
export interface SurfaceChannelOptions {
  /** Messages kept for subscribers that come late or come back. Default: 1000. */
  readonly history?: number
  /** Messages that wait for one subscriber before `send` waits. Default: 64. */
  readonly highWaterMark?: number
  /** The mirror from which a subscriber gets the current state when the history is not enough. */
  readonly store?: SurfaceStore
  /** Gives the channel its name. Default: the system's. */
  readonly runtime?: Runtime
}

/** Where a subscriber begins. */
export interface SubscribeOptions {
  /** Continue behind this id. Default, also when empty: from the first message. */
  readonly after?: string
  /** Ends the subscription; the iteration ends. */
  readonly signal?: AbortSignal
}

/** Messages from one sender to any number of subscribers (SP-74). */
export interface SurfaceChannel {
  /**
   * Numbers a message and resolves when every subscriber has room for the next one.
   * @throws SurfaceError `channel_closed`
   */
  send(message: ServerMessage): Promise<void>
  /** Ends all subscriptions, with the error if one is given, after what was sent. */
  close(error?: unknown): void
  /** @throws SurfaceError `resume_gap` from the iteration when messages are missing and there is no store */
  subscribe(options?: SubscribeOptions): AsyncIterable<ChannelItem>
  /** Of the last message sent. */
  readonly lastId: string | null
}

/** A channel without messages. */
export function createSurfaceChannel(options: SurfaceChannelOptions = {}): SurfaceChannel {
  return new Channel(options)
}

/** A class: an object literal with a getter keeps what the getter sees until a full collection. */
class Channel implements SurfaceChannel {
  readonly #name: string
  readonly #store: SurfaceStore | undefined
  readonly #capacity: number
  readonly #highWaterMark: number
  readonly #history: ChannelItem[] = []
  readonly #readers = new Set<ChannelReader>()
  readonly #mentioned = new Set<string>()
  #count = 0
  #closed: { readonly error: unknown } | null = null

  constructor({ history = 1000, highWaterMark = 64, store, runtime }: SurfaceChannelOptions) {
    this.#capacity = atLeast('history', history, 0)
    this.#highWaterMark = atLeast('highWaterMark', highWaterMark, 1)
    this.#store = store
    this.#name = (runtime ?? createSystemRuntime()).uuid()
  }

  get lastId(): string | null {
    return this.#count === 0 ? null : this.#idOf(this.#count)
  }

  async send(message: ServerMessage): Promise<void> {
    if (this.#closed !== null) {
      throw new SurfaceError({ code: 'channel_closed', detail: 'The channel is closed.' })
    }
    this.#count += 1
    const item = { id: this.#idOf(this.#count), message }
    if (this.#store !== undefined) noteSurface(message, this.#mentioned)
    this.#history.push(item)
    if (this.#history.length > this.#capacity) this.#history.shift()
    await Promise.all(Array.from(this.#readers, (reader) => reader.push(item)))
  }

  close(error?: unknown): void {
    if (this.#closed !== null) return
    this.#closed = { error }
    for (const reader of this.#readers) reader.finish(error)
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<ChannelItem> {
    return { [Symbol.asyncIterator]: () => this.#read(options) }
  }

  #read({ after, signal }: SubscribeOptions): AsyncIterator<ChannelItem> {
    const reader = createChannelReader({
      waiting: this.#backlog(after),
      highWaterMark: this.#highWaterMark,
      onLeave: (left) => this.#readers.delete(left),
      ...(signal === undefined ? {} : { signal }),
    })
    if (this.#closed !== null) reader.finish(this.#closed.error)
    else if (signal?.aborted !== true) this.#readers.add(reader)
    return reader.iterator
  }

  /** What a subscriber has missed. */
  #backlog(after: string | undefined): ChannelItem[] {
    const seen = after === undefined || after === '' ? 0 : positionOf(after, this.#name)
    const first = this.#count - this.#history.length
    if (seen !== null && seen >= first && seen <= this.#count) {
      return this.#history.slice(seen - first)
    }
    if (this.#store === undefined) {
      throw new SurfaceError({
        code: 'resume_gap',
        detail: 'The messages after this position are no longer available.',
      })
    }
    return stateItems(this.#store, this.#mentioned, this.#idOf(this.#count))
  }

  #idOf(number: number): string {
    return `${this.#name}.${number}`
  }
}

function atLeast(name: string, value: number, minimum: number): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value
  throw new TypeError(`${name} is a whole number of at least ${minimum}`)
}

/** The number of an id of this channel; null for any other id. */
function positionOf(id: string, name: string): number | null {
  if (!id.startsWith(`${name}.`)) return null
  const digits = id.slice(name.length + 1)
  return /^[1-9]\d{0,15}$/.test(digits) ? Number(digits) : null
}

/** Surfaces a subscriber may know that comes back after a long time; the latest ones are kept. */
const MAXIMUM_MENTIONED = 10_000

function noteSurface(message: ServerMessage, seen: Set<string>): void {
  for (const { surfaceId } of Object.values(message)) {
    seen.delete(surfaceId)
    seen.add(surfaceId)
  }
  const [oldest] = seen
  if (seen.size > MAXIMUM_MENTIONED && oldest !== undefined) seen.delete(oldest)
}

/** Clears what a subscriber may know and gives it the current state (SP-74). */
function stateItems(store: SurfaceStore, seen: Iterable<string>, id: string): ChannelItem[] {
  const surfaceIds = new Set([...seen, ...store.surfaceIds()])
  const cleared = Array.from(surfaceIds, (surfaceId) => ({ deleteSurface: { surfaceId } }))
  return [...cleared, ...store.snapshot()].map((message) => ({ id, message }))
}
