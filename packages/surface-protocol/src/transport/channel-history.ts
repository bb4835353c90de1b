import { formatLine } from '../message/format-message.ts'
import type { ServerMessage } from '../message/v08/messages.ts'

/** A message with its number in a channel. */
export interface HistoryEntry {
  readonly number: number
  readonly message: ServerMessage
  /** Bytes of the message as a line. */
  readonly bytes: number
}

/** How much a channel keeps. */
export interface HistoryLimits {
  readonly messages: number
  readonly bytes: number
}

const encoder = new TextEncoder()

/** The latest messages of a channel; whichever limit is reached first drops the oldest (AB-4). */
export class ChannelHistory {
  readonly #limits: HistoryLimits
  #entries: HistoryEntry[] = []
  #head = 0
  #bytes = 0
  #count = 0

  constructor(limits: HistoryLimits) {
    this.#limits = limits
  }

  /** Number of the latest message; 0 before the first. */
  get count(): number {
    return this.#count
  }

  /** Number of the message before the first one that is kept. */
  get first(): number {
    return this.#count - (this.#entries.length - this.#head)
  }

  /** Numbers a message and keeps it; gives the entries that are dropped for it. */
  add(message: ServerMessage): { entry: HistoryEntry; dropped: readonly HistoryEntry[] } {
    this.#count += 1
    const bytes = encoder.encode(formatLine(message)).length
    const entry = { number: this.#count, message, bytes }
    this.#entries.push(entry)
    this.#bytes += bytes
    return { entry, dropped: this.#drop() }
  }

  /** The messages behind a number; null when one of them was dropped, or for a number to come. */
  after(number: number): readonly HistoryEntry[] | null {
    const { first } = this
    if (number < first || number > this.#count) return null
    return this.#entries.slice(this.#head + number - first)
  }

  #drop(): readonly HistoryEntry[] {
    const { messages, bytes } = this.#limits
    const from = this.#head
    while (this.#entries.length - this.#head > messages || this.#bytes > bytes) {
      this.#bytes -= this.#entries[this.#head]?.bytes ?? 0
      this.#head += 1
    }
    if (this.#head === from) return []
    const dropped = this.#entries.slice(from, this.#head)
    if (this.#head > messages || this.#head > 1024) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return dropped
  }
}
