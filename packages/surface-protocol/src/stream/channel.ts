import { createSystemRuntime, type Runtime } from '@x/wire'
import { SurfaceError } from '../errors.ts'
import type { ServerMessage } from '../message/messages.ts'
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
  const { highWaterMark = 64, store } = options
  const capacity = atLeast('history', options.history ?? 1000, 0)
  atLeast('highWaterMark', highWaterMark, 1)
  const name = (options.runtime ?? createSystemRuntime()).uuid()
  const history: ChannelItem[] = []
  const readers = new Set<ChannelReader>()
  const mentioned = new Set<string>()
  let count = 0
  let closed: { readonly error: unknown } | null = null

  const idOf = (number: number): string => `${name}.${number}`

  /** What a subscriber has missed. */
  const backlog = (after: string | undefined): ChannelItem[] => {
    const seen = after === undefined || after === '' ? 0 : positionOf(after, name)
    const first = count - history.length
    if (seen !== null && seen >= first && seen <= count) return history.slice(seen - first)
    if (store === undefined) {
      throw new SurfaceError({
        code: 'resume_gap',
        detail: 'The messages after this position are no longer available.',
      })
    }
    return stateItems(store, mentioned, idOf(count))
  }

  return {
    get lastId() {
      return count === 0 ? null : idOf(count)
    },
    async send(message) {
      if (closed !== null) {
        throw new SurfaceError({ code: 'channel_closed', detail: 'The channel is closed.' })
      }
      count += 1
      const item = { id: idOf(count), message }
      if (store !== undefined) noteSurface(message, mentioned)
      history.push(item)
      if (history.length > capacity) history.shift()
      await Promise.all(Array.from(readers, (reader) => reader.push(item)))
    },
    close(error) {
      if (closed !== null) return
      closed = { error }
      for (const reader of readers) reader.finish(error)
    },
    subscribe({ after, signal } = {}) {
      return {
        [Symbol.asyncIterator]() {
          const reader = createChannelReader({
            waiting: backlog(after),
            highWaterMark,
            onLeave: () => readers.delete(reader),
            ...(signal === undefined ? {} : { signal }),
          })
          readers.add(reader)
          if (closed !== null) reader.finish(closed.error)
          if (signal?.aborted === true) readers.delete(reader)
          return reader.iterator
        },
      }
    },
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
