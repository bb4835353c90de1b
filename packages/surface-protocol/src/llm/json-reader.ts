import { endOfFaulty } from './end-of-faulty.ts'
import { JsonFrames, type JsonFrame } from './json-frames.ts'
import type { JsonReading, JsonResult } from './json-reading.ts'
import { opensString, readString, type StringResult } from './json-string.ts'
import { readTriple } from './triple-quotes.ts'
import {
  keyAhead,
  matchAt,
  messageAhead,
  oddSpace,
  spaces,
  type StringPlace,
} from './json-tokens.ts'
import { isLiteral, readScalar } from './read-scalar.ts'

/** Thrown to leave the reader; its state says why. */
const HALT = new Error('halted')

const comment = /\/\/[^\n]*|\/\*[^]*?\*\/|#[^\n]*|<!--[^]*?-->/y
const word = /[\p{L}\p{N}_$.+-]+/uy
const bareKey = /[\p{L}\p{N}_$]+/uy
const plain = ['{', '[', '}', ']', ',', ':'] as const
const wide = '\uff5b\uff3b\uff5d\uff3d\uff0c\uff1a'

/** Reads a value as models write JSON. Never throws; time is linear in the text. */
export function readJson(text: string, reading: JsonReading): JsonResult {
  return new JsonReader(text, reading).read()
}

class JsonReader {
  readonly #text: string
  readonly #reading: JsonReading
  readonly #frames = new JsonFrames()
  readonly #repairs = new Set<string>()
  readonly #inner: StringResult[] = []
  #at: number
  #cut: { path: string; from: number } | null = null
  #failure: { at: number; expected: string; isTooDeep: boolean } | null = null

  constructor(text: string, reading: JsonReading) {
    this.#text = text
    this.#reading = reading
    this.#at = reading.from ?? 0
  }

  read(): JsonResult {
    try {
      this.#value('top')
      while (this.#frames.length > 0) this.#advance()
    } catch (error) {
      if (error !== HALT) throw error
      const failure = this.#failure
      if (failure === null) return { kind: 'more' }
      const depth = this.#frames.length
      const { final } = this.#reading
      const end = endOfFaulty(this.#text, { ...failure, depth, final })
      return end === null ? { kind: 'more' } : { kind: 'error', ...failure, end }
    }
    const [value, repairs, cut, inner] = [this.#frames.root, this.#repairs, this.#cut, this.#inner]
    return { kind: 'value', value, end: this.#at, repairs, cut, inner }
  }

  #fail(expected: string, at = this.#at, isTooDeep = false): never {
    this.#failure = { at, expected, isTooDeep }
    throw HALT
  }

  /** The next character that is no space or comment, in its usual form. */
  #next(): string {
    const text = this.#text
    for (;;) {
      const space = matchAt(spaces, text, this.#at) ?? ''
      if (space !== '' && oddSpace.test(space)) this.#repairs.add('space character')
      this.#at += space.length
      const char = text.charAt(this.#at)
      if (char === '' && !this.#reading.final) throw HALT
      if (char !== '/' && char !== '#' && char !== '<') {
        const at = char === '' ? -1 : wide.indexOf(char)
        if (at === -1) return char
        this.#repairs.add('full-width punctuation')
        return plain[at] ?? char
      }
      const found = matchAt(comment, text, this.#at)
      if (found === null) {
        if (!this.#reading.final && text.length - this.#at < 4) throw HALT
        const isOpen = text.startsWith('/*', this.#at) || text.startsWith('<!--', this.#at)
        if (!isOpen) return char
        if (!this.#reading.final) throw HALT
        this.#at = text.length
      } else {
        this.#at += found.length
        if (this.#at === text.length && !this.#reading.final) throw HALT
      }
      const isLost = this.#reading.cut === true && this.#at === text.length
      if (!isLost) this.#repairs.add('comment')
    }
  }

  /** The text ended within containers, which are closed. */
  #ended(path: string, from: number): void {
    if (this.#reading.cut === true) this.#cut ??= { path, from }
    this.#repairs.add('missing bracket')
    this.#frames.clear()
    this.#at = this.#text.length
  }

  #advance(): void {
    const top = this.#frames.top
    if (top === undefined) return
    const begin = this.#at
    const char = this.#next()
    if (char === '') {
      this.#ended(this.#frames.containerPath(), begin)
      return
    }
    if (char === '}' || char === ']') {
      this.#close(char, top)
      return
    }
    if (char === ',') {
      this.#at += 1
      if (!top.isBehind) this.#repairs.add('duplicate comma')
      top.isBehind = false
      top.comma = true
      return
    }
    const isList = Array.isArray(top.container)
    if (this.#reading.isMessage === true && char === '{' && this.#beginsMessage(isList)) {
      this.#repairs.add('missing bracket')
      this.#frames.clear()
      return
    }
    if (top.isBehind) {
      const isItem = isList
        ? opensString(char) || '{[-.'.includes(char) || /[\p{L}\p{N}]/u.test(char)
        : matchAt(keyAhead, this.#text, this.#at) !== null
      if (!isItem) this.#fail(isList ? "',' or ']' expected" : "',' or '}' expected")
      this.#repairs.add('missing comma')
    }
    top.comma = false
    top.isBehind = true
    if (isList) this.#value('element')
    else this.#member(top, begin)
  }

  #beginsMessage(isList: boolean): boolean {
    if (matchAt(messageAhead, this.#text, this.#at) === null) return false
    // In a list only what names its version is certain not to be an element.
    return !isList || /^.{0,20}version/s.test(this.#text.slice(this.#at, this.#at + 30))
  }

  #close(char: '}' | ']', top: JsonFrame): void {
    const isList = Array.isArray(top.container)
    if (isList === (char === ']')) {
      if (top.comma) this.#repairs.add('trailing comma')
      this.#frames.pop()
      this.#at += 1
      return
    }
    if (this.#frames.holds(char)) {
      this.#repairs.add('missing bracket')
      if (top.comma) this.#repairs.add('trailing comma')
      this.#frames.pop()
      return
    }
    const begin = this.#at
    this.#at += 1
    const next = this.#next()
    if (next !== '' && next !== '}' && next !== ']') {
      this.#fail(isList ? "',' or ']' expected" : "',' or '}' expected", begin)
    }
    this.#repairs.add('extra bracket')
  }

  #member(top: JsonFrame, begin: number): void {
    const char = this.#text.charAt(this.#at)
    const keyAt = this.#at
    let key: string
    if (opensString(char)) {
      const read = this.#string('key')
      if (read.cutAt !== null) {
        if (this.#reading.cut !== true) this.#fail('the end of the string expected', keyAt)
        this.#ended(this.#frames.containerPath(), keyAt)
        return
      }
      key = read.value
    } else {
      key = matchAt(bareKey, this.#text, this.#at) ?? ''
      if (key === '') this.#fail('a property name expected', Math.max(begin, this.#at))
      this.#at += key.length
      this.#repairs.add('unquoted key')
    }
    top.key = key
    const behind = this.#next()
    if (behind !== ':') {
      if (behind !== '' || this.#reading.cut !== true) this.#fail("':' expected")
      this.#ended(this.#frames.memberPath(key), keyAt)
      return
    }
    this.#at += 1
    this.#value('member')
  }

  #value(place: StringPlace): void {
    const begin = this.#at
    const char = this.#next()
    if (char === '') {
      if (this.#reading.cut !== true || this.#frames.length === 0) this.#fail('a value expected')
      const from = begin === this.#at ? this.#at : begin
      this.#ended(this.#frames.valuePath(), from)
      return
    }
    if (char === '{' || char === '[') this.#open(char)
    else if (opensString(char)) this.#joined(place)
    else this.#scalar()
  }

  #open(char: '{' | '['): void {
    if (this.#frames.length >= (this.#reading.depth ?? Infinity)) {
      this.#fail('too deeply nested', this.#at, true)
    }
    this.#frames.open(char === '{' ? {} : [])
    this.#at += 1
  }

  #string(place: StringPlace): StringResult {
    const { final, inner = 10_000, not = -1 } = this.#reading
    const triple = readTriple(this.#text, this.#at, final)
    const read =
      triple === 'none' ? readString(this.#text, this.#at, { place, final, inner, not }) : triple
    if (read === null) throw HALT
    for (const repair of read.repairs) this.#repairs.add(repair)
    if (read.inner.length > 0) this.#inner.push(read)
    this.#at = read.end
    return read
  }

  /** A string, or several joined by `+`. */
  #joined(place: StringPlace): void {
    let value = ''
    for (;;) {
      const begin = this.#at
      const path = this.#reading.cut === true ? this.#frames.valuePath() : ''
      const read = this.#string(place)
      value += read.value
      if (read.cutAt !== null) {
        if (this.#reading.cut !== true) this.#fail('the end of the string expected', begin)
        this.#frames.put(value)
        this.#ended(path, read.cutAt)
        return
      }
      const behind = this.#at
      if (matchAt(spaces, this.#text, behind) !== null && this.#peekIs('+')) {
        this.#at += 1
        if (!opensString(this.#next())) this.#fail('a string expected')
        this.#repairs.add('string concatenation')
      } else {
        this.#at = behind
        this.#frames.put(value)
        return
      }
    }
  }

  #peekIs(char: string): boolean {
    this.#at += matchAt(spaces, this.#text, this.#at)?.length ?? 0
    if (this.#at === this.#text.length && !this.#reading.final && this.#frames.length > 0) {
      throw HALT
    }
    return this.#text.charAt(this.#at) === char
  }

  #scalar(): void {
    const begin = this.#at
    const found = matchAt(word, this.#text, begin) ?? ''
    const end = begin + found.length
    if (end === this.#text.length && !this.#reading.final) throw HALT
    if (end === this.#text.length && this.#reading.cut === true && !isLiteral(found)) {
      this.#ended(this.#frames.valuePath(), begin)
      return
    }
    const scalar = readScalar(found)
    if (scalar === null) this.#fail('a value expected', begin)
    if (scalar.repair !== '') this.#repairs.add(scalar.repair)
    this.#frames.put(scalar.value)
    this.#at = end
  }
}
