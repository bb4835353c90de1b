import { valueBytes } from '../values/value-size.ts'

/** A log entry of a component, stored for the output being computed. */
export interface LogEntry {
  readonly name: string
  readonly value: unknown
}

const MAX_ENTRIES = 10_000
const MAX_BYTES = 1024 * 1024

/**
 * The log of one build of a vertex, by output: up to 10,000 entries and 1 MiB, appended in constant
 * time. Further entries are only counted; the last entry states how many.
 */
export class VertexLogs {
  readonly entries = new Map<string, LogEntry[]>()
  #count = 0
  #bytes = 0
  #more = 0
  #last: LogEntry[] | undefined

  add(output: string, name: string, value: unknown): void {
    const entries = this.#of(output)
    if (this.#more === 0 && this.#hasRoom(value)) {
      this.#count += 1
      entries.push({ name: name === '' ? `Log ${entries.length + 1}` : name, value })
      return
    }
    this.#last ??= entries
    if (this.#more > 0) this.#last.pop()
    this.#more += 1
    this.#last.push({ name: 'Log', value: `${this.#more} more` })
  }

  #of(output: string): LogEntry[] {
    const known = this.entries.get(output)
    if (known !== undefined) return known
    const entries: LogEntry[] = []
    this.entries.set(output, entries)
    return entries
  }

  #hasRoom(value: unknown): boolean {
    if (this.#count >= MAX_ENTRIES) return false
    const bytes = valueBytes(value, MAX_BYTES)
    if (this.#bytes + bytes > MAX_BYTES) return false
    this.#bytes += bytes
    return true
  }
}
