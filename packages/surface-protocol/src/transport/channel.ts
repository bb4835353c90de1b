import { createSystemRuntime, type Runtime } from '@x/wire'
import { SurfaceError } from '../diagnostics/errors.ts'
import { defaultLimits } from '../diagnostics/limits.ts'
import type { ServerMessage } from '../message/v08/messages.ts'
import { createOpenStore, type SurfaceStore } from '../store/store.ts'
import { ChannelHistory, type HistoryEntry } from './channel-history.ts'
import { createChannelReader, type ChannelReader, type SlowRules } from './channel-reader.ts'

/** A message with its position in a channel. */
export interface ChannelItem {
  /**
   * `<channel>.<number>`; the first message has number 1. An item behind which nothing can be
   * resumed, as those of a snapshot before the last, has the id that the subscriber had before.
   */
  readonly id: string
  readonly message: ServerMessage
}

/** What a channel keeps and how far it runs ahead. */
export interface SurfaceChannelOptions {
  /** Messages kept for subscribers that come late or come back. Default: 1000. */
  readonly history?: number
  /** Bytes of these messages, encoded. Default: 67,108,864. */
  readonly historyBytes?: number
  /** Messages that wait for one subscriber before `send` waits. Default: 64. */
  readonly highWaterMark?: number
  /** The state that a subscriber gets when the history is not enough. Default: a mirror. */
  readonly store?: SurfaceStore
  /**
   * Whether a channel without `store` follows its own messages, so that it always has a state for
   * new subscribers. Default: true. With false, they get `resume_gap` once the history is full.
   */
  readonly mirror?: boolean
  /**
   * What happens to a subscriber that stops reading: it is ended with `too_slow`, or `send` waits
   * for it. Default: disconnect.
   */
  readonly onSlow?: 'disconnect' | 'wait'
  /** Milliseconds without a message taken that end a subscription. Default: 5000. */
  readonly slowMs?: number
  /** Gives the channel its name and times. Default: the system's. */
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
   * Numbers a message and resolves when every subscriber has room for the next one, or was ended
   * because it stopped reading.
   * @throws SurfaceError `channel_closed`
   */
  send(message: ServerMessage): Promise<void>
  /** Ends all subscriptions, with the error if one is given, after what was sent. */
  close(error?: unknown): void
  /**
   * @throws SurfaceError from the iteration: `resume_gap` when messages are missing and there is no
   * state to begin with, `too_slow` when the subscriber stopped reading
   */
  subscribe(options?: SubscribeOptions): AsyncIterable<ChannelItem>
  /** Of the last message sent. */
  readonly lastId: string | null
}

/** A channel without messages. @throws TypeError for wrong options */
export function createSurfaceChannel(options: SurfaceChannelOptions = {}): SurfaceChannel {
  return new Channel(options)
}

/** A class: V8 retains the closures of an object literal with a getter until a full collection. */
class Channel implements SurfaceChannel {
  readonly #name: string
  readonly #store: SurfaceStore | undefined
  readonly #mirrors: boolean
  readonly #highWaterMark: number
  readonly #slow: SlowRules | null
  readonly #history: ChannelHistory
  readonly #readers = new Set<ChannelReader>()
  readonly #mentioned = new Set<string>()
  /** What the messages so far amount to; made when the first one is dropped from the history. */
  #mirror: SurfaceStore | null = null
  #closed: { readonly error: unknown } | null = null

  constructor(options: SurfaceChannelOptions) {
    const { history = 1000, historyBytes = 67_108_864, highWaterMark = 64 } = options
    const { store, mirror = true, runtime = createSystemRuntime() } = options
    const { onSlow = 'disconnect', slowMs = 5000 } = options
    const messages = atLeast('history', history, 0)
    this.#history = new ChannelHistory({
      messages,
      bytes: atLeast('historyBytes', historyBytes, 0),
    })
    this.#highWaterMark = atLeast('highWaterMark', highWaterMark, 1)
    const ms = atLeast('slowMs', slowMs, 1)
    if (onSlow !== 'disconnect' && onSlow !== 'wait')
      throw new TypeError('onSlow: disconnect or wait')
    const lag = Math.max(messages, highWaterMark)
    this.#slow = onSlow === 'wait' ? null : { ms, lag, runtime }
    this.#store = store
    this.#mirrors = store === undefined && mirror
    this.#name = runtime.uuid()
  }

  get lastId(): string | null {
    return this.#history.count === 0 ? null : this.#idOf(this.#history.count)
  }

  async send(message: ServerMessage): Promise<void> {
    if (this.#closed !== null) {
      throw new SurfaceError({ code: 'channel_closed', detail: 'The channel is closed.' })
    }
    const { entry, dropped } = this.#history.add(message)
    noteSurface(message, this.#mentioned)
    if (this.#mirror !== null) this.#mirror.apply(message)
    else if (this.#mirrors && dropped.length > 0) this.#mirror = this.#mirrorOf(dropped)
    if (this.#readers.size === 0) return
    const items = [this.#itemOf(entry)]
    await Promise.all(Array.from(this.#readers, (reader) => reader.push(items)))
  }

  close(error?: unknown): void {
    if (this.#closed !== null) return
    this.#closed = { error }
    for (const reader of this.#readers) reader.finish(error)
  }

  subscribe(options: SubscribeOptions = {}): AsyncIterable<ChannelItem> {
    return { [Symbol.asyncIterator]: () => this.#read(options) }
  }

  #read({ after = '', signal }: SubscribeOptions): AsyncIterator<ChannelItem> {
    const reader = createChannelReader({
      waiting: this.#backlog(after),
      highWaterMark: this.#highWaterMark,
      slow: this.#slow,
      onLeave: (left) => this.#readers.delete(left),
      ...(signal === undefined ? {} : { signal }),
    })
    if (this.#closed !== null) reader.finish(this.#closed.error)
    else if (signal?.aborted !== true) this.#readers.add(reader)
    return reader.iterator
  }

  /** What a subscriber has missed. */
  #backlog(after: string): ChannelItem[] {
    const position = after === '' ? 0 : positionOf(after, this.#name)
    const missed = position === null ? null : this.#history.after(position)
    if (missed !== null) return missed.map((entry) => this.#itemOf(entry))
    // Ids of another channel are known only to a store that outlives this one.
    const isOwn = position !== null && position <= this.#history.count
    const store = this.#store ?? (isOwn ? this.#mirror : null)
    if (store !== null) return this.#snapshot(store, after)
    throw new SurfaceError({
      code: 'resume_gap',
      detail: 'The messages after this position are no longer available.',
    })
  }

  #mirrorOf(dropped: readonly HistoryEntry[]): SurfaceStore {
    const mirror = createOpenStore()
    const kept = this.#history.after(this.#history.first) ?? []
    for (const { message } of [...dropped, ...kept]) mirror.apply(message)
    return mirror
  }

  /**
   * Clears what a subscriber may know and gives it the current state. Only the last item has an id
   * of its own, so that a subscriber that breaks off before it gets all of them again (AB-6).
   */
  #snapshot(store: SurfaceStore, after: string): ChannelItem[] {
    const surfaceIds = new Set([...this.#mentioned, ...store.surfaceIds()])
    const cleared = Array.from(surfaceIds, (surfaceId) => ({ deleteSurface: { surfaceId } }))
    const items = [...cleared, ...store.snapshot()].map((message) => ({ id: after, message }))
    const last = items.at(-1)
    if (last !== undefined) last.id = this.#idOf(this.#history.count)
    return items
  }

  #itemOf({ number, message }: HistoryEntry): ChannelItem {
    return { id: this.#idOf(number), message }
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

/** Notes a surface that a subscriber may know; the latest ones are kept. */
function noteSurface(message: ServerMessage, seen: Set<string>): void {
  for (const payload of Object.values(message)) {
    const { surfaceId } = payload
    seen.delete(surfaceId)
    seen.add(surfaceId)
  }
  const [oldest] = seen
  if (seen.size > defaultLimits.surfaces && oldest !== undefined) seen.delete(oldest)
}
