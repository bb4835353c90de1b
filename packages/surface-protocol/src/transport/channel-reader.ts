import type { ChannelItem } from './channel.ts'

/** The side of a subscription that its channel sees. */
export interface ChannelReader {
  readonly iterator: AsyncIterator<ChannelItem>
  /** Resolves when there is room for the next item; not called any more after `onLeave`. */
  push(item: ChannelItem): Promise<void>
  /** Ends the subscription after what waits. */
  finish(error: unknown): void
}

/** What a reader begins with. */
export interface ChannelReaderOptions {
  /** Items from before the subscription; they do not count as waiting. */
  readonly waiting: ChannelItem[]
  readonly highWaterMark: number
  /** Also called while the reader is made, when the signal was aborted before. */
  readonly onLeave: (reader: ChannelReader) => void
  readonly signal?: AbortSignal
}

type Next = IteratorResult<ChannelItem>

interface Waiter {
  readonly resolve: (next: Next) => void
  readonly reject: (error: unknown) => void
}

/** One subscription: a bounded queue between the channel and whoever iterates. */
export function createChannelReader(options: ChannelReaderOptions): ChannelReader {
  const { highWaterMark, onLeave, signal } = options
  let queue = options.waiting
  let head = 0
  let ended: { readonly error: unknown } | null = null
  const asked: Waiter[] = []
  let senders: (() => void)[] = []

  const wakeSenders = (): void => {
    const woken = senders
    senders = []
    for (const wake of woken) wake()
  }

  const leave = (): void => {
    signal?.removeEventListener('abort', leave)
    ended = { error: undefined }
    queue = []
    head = 0
    onLeave(reader)
    wakeSenders()
    for (const { resolve } of asked.splice(0)) resolve({ done: true, value: undefined })
  }

  const take = (): ChannelItem | undefined => {
    const item = queue[head]
    if (item === undefined) return undefined
    head += 1
    if (head > 1024 || head === queue.length) {
      queue = queue.slice(head)
      head = 0
    }
    if (queue.length - head < highWaterMark) wakeSenders()
    return item
  }

  /** Answers with the end of the subscription; an error is told once. */
  const end = ({ resolve, reject }: Waiter): void => {
    signal?.removeEventListener('abort', leave)
    const error = ended?.error
    ended = { error: undefined }
    if (error === undefined) resolve({ done: true, value: undefined })
    else reject(error instanceof Error ? error : new Error('closed', { cause: error }))
  }

  const reader: ChannelReader = {
    push(item) {
      const waiter = asked.shift()
      if (waiter !== undefined) {
        waiter.resolve({ done: false, value: item })
        return Promise.resolve()
      }
      queue.push(item)
      if (queue.length - head < highWaterMark) return Promise.resolve()
      return new Promise((resolve) => senders.push(resolve))
    },
    finish(error) {
      if (ended !== null) return
      ended = { error }
      onLeave(reader)
      wakeSenders()
      for (const waiter of asked.splice(0)) end(waiter)
    },
    iterator: {
      next() {
        const item = take()
        if (item !== undefined) return Promise.resolve({ done: false, value: item })
        return new Promise((resolve, reject) => {
          if (ended === null) asked.push({ resolve, reject })
          else end({ resolve, reject })
        })
      },
      return() {
        leave()
        return Promise.resolve({ done: true, value: undefined })
      },
    },
  }
  if (signal?.aborted === true) leave()
  else signal?.addEventListener('abort', leave, { once: true })
  return reader
}
