import type { Version } from '../data/version.ts'
import { formatLine } from '../message/format-message.ts'
import type { AnyServerMessage } from '../message/any-message.ts'

/** A message with its number in a channel. */
export interface HistoryEntry {
  readonly number: number
  readonly message: AnyServerMessage
  /** The message in other versions. */
  readonly converted: Converted
  /** Encoded bytes in all versions. */
  readonly bytes: number
}

/** A message in other versions, by version. */
export type Converted = ReadonlyMap<Version, readonly AnyServerMessage[]>

/** Limits of a channel's history. */
export interface HistoryLimits {
  readonly messages: number
  readonly bytes: number
}

const encoder = new TextEncoder()

function bytesOf(message: AnyServerMessage): number {
  return encoder.encode(formatLine(message)).length
}

/** The latest messages of a channel; the oldest are dropped when either limit is reached. */
export class ChannelHistory {
  readonly #limits: HistoryLimits
  /** Places before the head are empty, so that what was dropped can be collected. */
  #entries: (HistoryEntry | undefined)[] = []
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

  /** Number of the message before the first retained one. */
  get first(): number {
    return this.#count - (this.#entries.length - this.#head)
  }

  /** Numbers and stores a message; returns the entries dropped for it. */
  add(
    message: AnyServerMessage,
    converted: Converted,
  ): { entry: HistoryEntry; dropped: readonly HistoryEntry[] } {
    this.#count += 1
    let bytes = bytesOf(message)
    for (const list of converted.values()) for (const one of list) bytes += bytesOf(one)
    const entry = { number: this.#count, message, converted, bytes }
    this.#entries.push(entry)
    this.#bytes += bytes
    return { entry, dropped: this.#drop() }
  }

  /** The messages after a number; null if one of them was dropped, or for a future number. */
  after(number: number): readonly HistoryEntry[] | null {
    const { first } = this
    if (number < first || number > this.#count) return null
    return this.#entries.slice(this.#head + number - first).filter((one) => one !== undefined)
  }

  #drop(): readonly HistoryEntry[] {
    const { messages, bytes } = this.#limits
    const dropped: HistoryEntry[] = []
    while (this.#entries.length - this.#head > messages || this.#bytes > bytes) {
      const entry = this.#entries[this.#head]
      if (entry !== undefined) dropped.push(entry)
      this.#bytes -= entry?.bytes ?? 0
      this.#entries[this.#head] = undefined
      this.#head += 1
    }
    if (dropped.length === 0) return []
    if (this.#head > messages || this.#head > 1024) {
      this.#entries = this.#entries.slice(this.#head)
      this.#head = 0
    }
    return dropped
  }
}
