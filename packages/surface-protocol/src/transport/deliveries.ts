import { eventLoopTurn } from '@x/wire'
import type { HistoryEntry } from './channel-history.ts'

/** Subscribers that receive a message before other work gets a turn. */
const AT_ONCE = 200

/** Delivers messages to many subscribers, in order. */
export interface Deliveries<Subscription> {
  /**
   * Delivers a message to every subscriber; resolves when all of them have room for the next one. A few get
   * it synchronously; with many, the event loop gets turns in between, so that one message to thousands
   * does not delay everything else.
   */
  add(entry: HistoryEntry, subscriptions: Iterable<Subscription>): Promise<void>
  /** Delivers everything pending without turns in between. */
  flush(): void
}

interface Delivery<Subscription> {
  readonly entry: HistoryEntry
  readonly subscriptions: Iterable<Subscription>
  readonly room: Promise<void>[]
  readonly handedOut: () => void
  readonly failed: (error: unknown) => void
}

/**
 * @param give delivers a message to one subscriber, or null if it has it already; its result
 * resolves when the subscriber has room for the next one
 */
export function createDeliveries<Subscription>(
  give: (entry: HistoryEntry, subscription: Subscription) => Promise<void> | null,
): Deliveries<Subscription> {
  const waiting: Delivery<Subscription>[] = []
  let isRunning = false
  let given = 0

  const giveTo = (delivery: Delivery<Subscription>, subscription: Subscription): boolean => {
    const room = give(delivery.entry, subscription)
    if (room !== null) delivery.room.push(room)
    return room !== null
  }

  const handOut = async (delivery: Delivery<Subscription>): Promise<void> => {
    for (const subscription of delivery.subscriptions) {
      if (giveTo(delivery, subscription)) given += 1
      if (given < AT_ONCE) continue
      given = 0
      await eventLoopTurn()
    }
  }

  const run = async (): Promise<void> => {
    isRunning = true
    for (let delivery = waiting[0]; delivery !== undefined; delivery = waiting[0]) {
      await handOut(delivery).then(delivery.handedOut, delivery.failed)
      waiting.shift()
    }
    isRunning = false
  }

  return {
    async add(entry, subscriptions) {
      const room: Promise<void>[] = []
      await new Promise<void>((resolve, reject) => {
        waiting.push({ entry, subscriptions, room, handedOut: resolve, failed: reject })
        if (!isRunning) void run()
      })
      await Promise.all(room)
    },
    flush() {
      for (const delivery of waiting) {
        for (const subscription of delivery.subscriptions) giveTo(delivery, subscription)
      }
    },
  }
}
