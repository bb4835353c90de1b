import { escapeSegment, setOwn, type JsonObject, type JsonValue } from '../json.ts'

/** A truncated object that was closed, and the discarded text. */
export interface HealedJson {
  value: JsonObject
  /** JSON Pointer to the deepest truncated value. */
  path: string
  /** The discarded text. */
  dropped: string
}

/**
 * Parses a truncated object (SN-65): open strings, arrays and objects are closed; a key without value, an
 * incomplete number or literal, and everything from the first invalid character on are dropped.
 * @param limit maximum nesting depth
 * @returns null if the text does not begin with an object
 */
export function healJson(text: string, limit: number): HealedJson | null {
  const reader = new Reader(text, limit)
  const value = reader.value('', 0)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { path, from } = reader.cut ?? { path: '', from: text.length }
  return { value, path, dropped: text.slice(from) }
}

/** Returned if there is no complete value. */
const NOTHING = Symbol('nothing')

class Reader {
  /** Where the text became invalid; everything is closed from there on. */
  cut: { readonly path: string; readonly from: number } | null = null
  readonly #text: string
  readonly #limit: number
  #at = 0

  constructor(text: string, limit: number) {
    this.#text = text
    this.#limit = limit
  }

  value(path: string, depth: number): JsonValue | typeof NOTHING {
    const char = this.#next()
    if (depth > this.#limit) return this.#stop(path)
    if (char === '{') return this.#object(path, depth)
    if (char === '[') return this.#array(path, depth)
    if (char === '"') return this.#string(path)
    return this.#scalar(path)
  }

  #stop(path: string, from = this.#at): typeof NOTHING {
    this.cut ??= { path, from }
    return NOTHING
  }

  /** The next character that is neither white space nor part of a comment. */
  #next(): string {
    const space = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y
    space.lastIndex = this.#at
    this.#at += space.exec(this.#text)?.[0].length ?? 0
    return this.#text.charAt(this.#at)
  }

  #object(path: string, depth: number): JsonObject {
    const object: JsonObject = {}
    this.#at += 1
    for (;;) {
      const begin = this.#at
      const char = this.#next()
      if (char === '}') break
      if (char === ',') {
        this.#at += 1
        continue
      }
      if (char !== '"') {
        this.#stop(path, begin)
        return object
      }
      const keyAt = this.#at
      const key = this.#string(path)
      if (this.cut !== null) {
        // An incomplete key is dropped.
        this.cut = { path, from: keyAt }
        return object
      }
      const place = `${path}/${escapeSegment(key)}`
      if (this.#next() !== ':') {
        this.#stop(place, keyAt)
        return object
      }
      this.#at += 1
      const value = this.value(place, depth + 1)
      if (value !== NOTHING) setOwn(object, key, value)
      if (this.cut !== null) return object
    }
    this.#at += 1
    return object
  }

  #array(path: string, depth: number): JsonValue[] {
    const array: JsonValue[] = []
    this.#at += 1
    for (;;) {
      const begin = this.#at
      const char = this.#next()
      if (char === ']') break
      if (char === ',') {
        this.#at += 1
        continue
      }
      if (char === '') {
        this.#stop(path, begin)
        return array
      }
      const value = this.value(`${path}/${array.length}`, depth + 1)
      if (value !== NOTHING) array.push(value)
      if (this.cut !== null) return array
    }
    this.#at += 1
    return array
  }

  #string(path: string): string {
    const begin = this.#at
    const whole = /"(?:[^"\\]|\\[^])*"/y
    whole.lastIndex = begin
    const found = whole.exec(this.#text)?.[0]
    if (found !== undefined) {
      const value = parseString(found)
      if (value !== null) {
        this.#at += found.length
        return value
      }
    }
    // An incomplete escape or character at the end is dropped.
    const rest =
      /(?:[^"\\\ud800-\udbff]|[\ud800-\udbff][\udc00-\udfff]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*/y
    rest.lastIndex = begin + 1
    const kept = rest.exec(this.#text)?.[0] ?? ''
    this.#at = begin + 1 + kept.length
    this.#stop(path)
    return parseString(`"${kept}"`) ?? ''
  }

  #scalar(path: string): JsonValue | typeof NOTHING {
    const begin = this.#at
    const word = /[-+\w.]+/y
    word.lastIndex = begin
    const text = word.exec(this.#text)?.[0] ?? ''
    this.#at += text.length
    if (text === 'true' || text === 'false') return text === 'true'
    if (text === 'null') return null
    // Further digits may be missing.
    const isWhole = this.#at < this.#text.length && /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)
    return isWhole ? Number(text) : this.#stop(path, begin)
  }
}

function parseString(text: string): string | null {
  try {
    return JSON.parse(text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')) as string
  } catch {
    return null
  }
}
