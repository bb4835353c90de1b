import type { Runtime } from '@x/wire'
import type { JobStore } from '@x/flow-engine/store'

const CHANNEL = 'turn-readers'
/** How long, in milliseconds, other processes have to say that they read a turn. */
const ASK_MS = 500
/** How long, in milliseconds, a reader that has closed its connection may take to be noticed. */
const LEAVE_MS = 500

export interface TurnReadersOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  /** Milliseconds after which a turn that nobody reads is given up; null: never. */
  readonly unreadMs: number | null
  /** Called for a turn that nobody reads in any process. */
  readonly unread: (turnId: string) => Promise<void>
}

/** Counts the readers of turns; other processes are asked when it matters. */
export class TurnReaders {
  readonly #options: TurnReadersOptions
  readonly #counts = new Map<string, number>()
  readonly #waits = new Map<string, AbortController>()
  readonly #asked = new Map<string, Set<() => void>>()
  readonly #leaving = new Map<string, AbortController>()
  readonly #unsubscribe: () => void

  constructor(options: TurnReadersOptions) {
    this.#options = options
    const { bus } = options.store
    this.#unsubscribe = bus.subscribe(CHANNEL, (payload) => {
      const turnId = payload.slice(1)
      if (payload.startsWith('!')) for (const tell of this.#asked.get(turnId) ?? []) tell()
      else if (this.count(turnId) > 0) bus.publish(CHANNEL, `!${turnId}`)
    })
  }

  /** Readers in this process. */
  count(turnId: string): number {
    return this.#counts.get(turnId) ?? 0
  }

  /** Somebody begins to read; the returned function says that they stopped. */
  enter(turnId: string): () => void {
    this.#counts.set(turnId, this.count(turnId) + 1)
    this.#waits.get(turnId)?.abort()
    let left = false
    return () => {
      if (left) return
      left = true
      const count = this.count(turnId) - 1
      if (count > 0) this.#counts.set(turnId, count)
      else {
        this.#counts.delete(turnId)
        this.#leaving.get(turnId)?.abort()
        void this.#giveUp(turnId)
      }
    }
  }

  /** Like `any`, for a page that sends again as soon as it has stopped: it is about to be noticed as gone. */
  async stay(turnId: string): Promise<boolean> {
    if (this.count(turnId) > 0) {
      const gone = this.#leaving.get(turnId) ?? new AbortController()
      this.#leaving.set(turnId, gone)
      await this.#options.runtime.sleep(LEAVE_MS, gone.signal).catch(() => undefined)
      this.#leaving.delete(turnId)
    }
    return await this.any(turnId)
  }

  /** True if anybody reads the turn, in any process. */
  async any(turnId: string): Promise<boolean> {
    if (this.count(turnId) > 0) return true
    const { store, runtime } = this.#options
    if (!store.queue.shared) return false
    const over = new AbortController()
    let found = false
    const tell = (): void => {
      found = true
      over.abort()
    }
    const waiting = this.#asked.get(turnId) ?? new Set()
    this.#asked.set(turnId, waiting.add(tell))
    store.bus.publish(CHANNEL, `?${turnId}`)
    await runtime.sleep(ASK_MS, over.signal).catch(() => undefined)
    waiting.delete(tell)
    if (waiting.size === 0) this.#asked.delete(turnId)
    return found
  }

  close(): void {
    this.#unsubscribe()
    for (const wait of this.#waits.values()) wait.abort()
  }

  async #giveUp(turnId: string): Promise<void> {
    const { unreadMs, runtime, unread } = this.#options
    if (unreadMs === null) return
    const wait = new AbortController()
    this.#waits.set(turnId, wait)
    try {
      if (unreadMs > 0) await runtime.sleep(unreadMs, wait.signal)
      if (!wait.signal.aborted && !(await this.any(turnId))) await unread(turnId)
    } catch {
      // Somebody reads again, or the process stops.
    } finally {
      if (this.#waits.get(turnId) === wait) this.#waits.delete(turnId)
    }
  }
}
