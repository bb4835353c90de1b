import type { JsonValue } from '../json.ts'
import { parseClean } from './repair-json.ts'

/** What a scan found: a message, or that the text is not plain JSON from a position on. */
export type PlainResult =
  | {
      readonly kind: 'message'
      readonly value: JsonValue
      readonly raw: string
      readonly end: number
    }
  | { readonly kind: 'other'; readonly at: number }

const outside = /[\s{}[\]:,\d+\-.eEtrufalsn"]/

/** Looks for the end of a message in plain JSON; each character is looked at once. */
export class PlainScanner {
  #start = 0
  #at = 0
  #depth = 0
  #inString = false

  /** Goes to the beginning of a message. */
  begin(at: number): void {
    this.#start = at
    this.#at = at
    this.#depth = 0
    this.#inString = false
  }

  /** The beginning of the text was dropped. */
  moveBack(by: number): void {
    this.#start -= by
    this.#at -= by
  }

  /** @returns null if the text has to go on first */
  scan(text: string): PlainResult | null {
    let at = this.#at
    for (; at < text.length; at += 1) {
      const char = text.charAt(at)
      if (this.#inString) {
        if (char === '\\') {
          if (at + 1 === text.length) break
          at += 1
        } else if (char === '"') this.#inString = false
        else if (char === '\n') return { kind: 'other', at }
      } else if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') this.#depth += 1
      else if (char === '}' || char === ']') {
        this.#depth -= 1
        if (this.#depth > 0) continue
        const raw = text.slice(this.#start, at + 1)
        const value = char === '}' ? parseClean(raw) : undefined
        if (value === undefined) return { kind: 'other', at }
        return { kind: 'message', value, raw, end: at + 1 }
      } else if (!outside.test(char)) return { kind: 'other', at }
    }
    this.#at = at
    return null
  }
}
