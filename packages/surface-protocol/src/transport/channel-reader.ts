import type { Runtime } from '@x/wire'
import { SurfaceError } from '../diagnostics/errors.ts'
import type { ChannelItem } from './channel-item.ts'
import { createStallTimer, type StallTimer } from './stall-timer.ts'

/** A subscription as seen by its channel. */
export interface ChannelReader {
  readonly iterator: AsyncIterator<ChannelItem>
  /** Resolves when there is room for the next items; not called after `onLeave`. */
  push(items: readonly ChannelItem[]): Promise<void>
  /** Ends the subscription after the queued items. */
  finish(error: unknown): void
}

/** Limits for slow subscribers of a channel. */
export interface SlowRules {
  /** Milliseconds without a consumed item, while the queue is full, after which a subscription is ended. */
  readonly ms: number
  /** Items that may be queued for a subscriber that is no longer waited for. */
  readonly lag: number
  readonly runtime: Runtime
}

/** Options of a reader. */
export interface ChannelReaderOptions {
  /** Items from before the subscription; they do not count towards the limit. */
  readonly waiting: ChannelItem[]
  readonly highWaterMark: number
  /** Null: the channel waits without limit. */
  readonly slow: SlowRules | null
  /** Also called during creation if the signal is already aborted. */
  readonly onLeave: (reader: ChannelReader) => void
  /** Called when the subscription is ended because it does not read. */
  readonly onSlow?: () => void
  readonly signal?: AbortSignal
}

type Next = IteratorResult<ChannelItem>

interface Waiter {
  readonly resolve: (next: Next) => void
  readonly reject: (error: unknown) => void
}

/** A subscription: a bounded queue between the channel and its iterator. */
export function createChannelReader(options: ChannelReaderOptions): ChannelReader {
  return new Reader(options).reader
}

const READY: Promise<void> = Promise.resolve()

class Reader {
  readonly reader: ChannelReader
  readonly #options: ChannelReaderOptions
  readonly #stall: StallTimer | null
  readonly #asked: Waiter[] = []
  #queue: (ChannelItem | undefined)[]
  #head = 0
  /** Queued items from before the subscription. */
  #backlog: number
  #ended: { readonly error: unknown } | null = null
  #senders: (() => void)[] = []

  constructor(options: ChannelReaderOptions) {
    const { waiting, slow, signal, highWaterMark } = options
    this.#options = options
    this.#queue = waiting
    this.#backlog = waiting.length
    this.#stall =
      slow &&
      createStallTimer({
        ...slow,
        highWaterMark,
        isFull: () => this.#ended === null && !this.#hasRoom,
        release: () => this.#wakeSenders(),
        expire: () => this.#fail(),
      })
    this.reader = {
      push: (items) => this.#push(items),
      finish: (error) => this.#finish(error),
      iterator: {
        next: () => this.#next(),
        return: () => {
          this.#leave()
          return Promise.resolve({ done: true, value: undefined })
        },
      },
    }
    if (signal?.aborted === true) this.#leave()
    else signal?.addEventListener('abort', this.#leave, { once: true })
  }

  get #waiting(): number {
    return this.#queue.length - this.#head - this.#backlog
  }

  get #hasRoom(): boolean {
    return this.#waiting < this.#options.highWaterMark
  }

  #push(items: readonly ChannelItem[]): Promise<void> {
    for (const item of items) {
      const waiter = this.#asked.shift()
      if (waiter === undefined) this.#queue.push(item)
      else waiter.resolve({ done: false, value: item })
    }
    if (this.#hasRoom) return READY
    if (this.#stall?.isOver === true) {
      if (this.#waiting > (this.#options.slow?.lag ?? 0)) this.#fail()
      return READY
    }
    this.#stall?.begin()
    return new Promise((resolve) => this.#senders.push(resolve))
  }

  #next(): Promise<Next> {
    const item = this.#take()
    if (item !== undefined) return Promise.resolve({ done: false, value: item })
    return new Promise((resolve, reject) => {
      if (this.#ended === null) this.#asked.push({ resolve, reject })
      else this.#end({ resolve, reject })
    })
  }

  #take(): ChannelItem | undefined {
    const item = this.#queue[this.#head]
    if (item === undefined) return undefined
    this.#queue[this.#head] = undefined
    this.#head += 1
    if (this.#backlog > 0) this.#backlog -= 1
    if (this.#head > 1024 || this.#head === this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    this.#stall?.taken(this.#hasRoom)
    if (this.#hasRoom) this.#wakeSenders()
    return item
  }

  #wakeSenders(): void {
    const woken = this.#senders
    this.#senders = []
    for (const wake of woken) wake()
  }

  /** Ends a subscription that does not read; it can resume from its last id. */
  #fail(): void {
    if (this.#ended === null) this.#options.onSlow?.()
    this.#drop()
    this.#finish(
      new SurfaceError({
        code: 'too_slow',
        detail: 'The subscriber stopped reading. Subscribe again after the last id.',
      }),
    )
  }

  #finish(error: unknown): void {
    if (this.#ended !== null) return
    this.#close(error)
    for (const waiter of this.#asked.splice(0)) this.#end(waiter)
  }

  readonly #leave = (): void => {
    this.#options.signal?.removeEventListener('abort', this.#leave)
    this.#drop()
    this.#close(undefined)
    for (const { resolve } of this.#asked.splice(0)) resolve({ done: true, value: undefined })
  }

  #drop(): void {
    this.#queue = []
    this.#head = 0
    this.#backlog = 0
  }

  #close(error: unknown): void {
    this.#ended = { error }
    this.#stall?.end()
    this.#options.onLeave(this.reader)
    this.#wakeSenders()
  }

  /** Signals the end of the subscription; an error is thrown once. */
  #end({ resolve, reject }: Waiter): void {
    this.#options.signal?.removeEventListener('abort', this.#leave)
    const error = this.#ended?.error
    this.#ended = { error: undefined }
    if (error === undefined) resolve({ done: true, value: undefined })
    else reject(error instanceof Error ? error : new Error('closed', { cause: error }))
  }
}
