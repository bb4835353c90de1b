import type { Version } from '../data/version.ts'
import { detectVersion } from '../interop/detect-version.ts'
import { isPlainObject } from '../json.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { decodeEntities } from './html-entities.ts'
import type { JsonResult } from './json-reader.ts'
import { LOOK_AHEAD, matchAt, messageAhead, messageKey, messagesAhead } from './json-tokens.ts'
import { describeFault, excerptOf, parseClean, readSurely } from './repair-json.ts'
import { PlaceTracker, type Place } from './text-place.ts'
import { unwrapMessages } from './unwrap-messages.ts'
import { truncated } from './validate-parts.ts'

/** The result of reading a chunk of a block. */
export interface BlockResult {
  readonly parts: ExtractedPart[]
  /** Text behind the block; null while it continues. */
  readonly rest: string | null
  /** Where the rest begins. */
  readonly place?: Place
  /** The whole block, if it holds no JSON and was never closed. */
  readonly asText: string | null
}

/** Reads the content of a block; each message is returned as soon as it is complete (SP-83). */
export interface BlockReader {
  read(piece: string, last: boolean): BlockResult
}

/** Callbacks and limits of a reader. */
export interface BlockReaderOptions {
  /** What ends the block; null: the end of the text. `bare`: anything that is neither message nor bracket. */
  readonly close: RegExp | 'bare' | null
  /** The text that opened the block. */
  readonly opening: string
  readonly version: Version
  /** Maximum characters of a message. */
  readonly maximum: number
  /** Maximum nesting of a message. */
  readonly depth: number
  readonly validate: (part: ExtractedPart, place: Place) => ExtractedPart
  /** Handling of a message truncated at the end of the text; null: it is repaired like any other. */
  readonly heal:
    ((found: Extract<JsonResult, { kind: 'value' }>, raw: string) => ExtractedPart) | null
  readonly refuseCuts: boolean
}

/** What to do next: read on, wait for text, or stop; `isText`: what was read is text. */
type Step =
  'on' | 'wait' | { readonly from: number; readonly end: number | null; readonly isText?: boolean }

/** Characters that a partial closing tag may have. */
const MAX_CLOSE = 40
const between = /[{\uff5b"'`\u201c\u201e&</#]/g
const strictOutside = /[\s{}[\]:,\d+\-.eEtrufalsn"]/
const encodedAhead = /["'`\u201c]\s*(?:\\[nrt]\s*)*(?:[[{]|\\+")/y
const entityAhead = /[{[]\s*(?:[{[]\s*)?&(?:quot|#34|#x22);/iy

/** Creates a reader for a block behind its opening. */
export function createBlockReader(options: BlockReaderOptions, start: Place): BlockReader {
  return new Reader(options, start)
}

class Reader implements BlockReader {
  readonly #options: BlockReaderOptions
  readonly #places: PlaceTracker
  #text = ''
  /** How far the text was looked at. */
  #at = 0
  /** Where the message begins; -1 between messages. */
  #start = -1
  #depth = 0
  #inString = false
  /** The message is not plain JSON: it is read again when the text has this length. */
  #again = -1
  #found = false
  #skipping = false
  /** Position of the text that the tracker stands at. */
  #tracked = 0
  /** Characters read behind quotation marks that may be text; bounded by what was read in all. */
  #spent = 0

  readonly #anywhere: RegExp | null
  #tag: { readonly index: number; readonly length: number } | null = null
  #searched = 0
  /** Up to here the text is not plain JSON; what begins before is read with repairs. */
  #vain = -1
  /** Comments that nothing closes; looked for once. */
  readonly #unclosed = new Set<string>()
  /** A message was too long: only the beginning of another is looked for. */
  #isLost = false

  constructor(options: BlockReaderOptions, start: Place) {
    this.#options = options
    const { close } = options
    this.#anywhere =
      close instanceof RegExp ? new RegExp(close.source, close.flags.replace('y', 'g')) : null
    this.#places = new PlaceTracker(start)
  }

  read(piece: string, last: boolean): BlockResult {
    this.#text += piece
    const parts: ExtractedPart[] = []
    for (;;) {
      const step = this.#start === -1 ? this.#between(last, parts) : this.#within(last, parts)
      if (step === 'on') continue
      if (step === 'wait') {
        this.#trim()
        return { parts, rest: null, asText: null }
      }
      if (step.end === null) {
        const isText = !this.#found && !this.#skipping && parts.length === 0
        const asText = isText ? this.#options.opening + this.#text : null
        return { parts, rest: asText === null ? '' : null, asText }
      }
      if (step.isText === true) return this.#giveBack(step.end, parts)
      if (!this.#found && !this.#skipping) this.#empty(step.from, parts)
      return {
        parts,
        rest: this.#text.slice(step.end),
        place: this.#placeAt(step.end),
        asText: null,
      }
    }
  }

  /** Drops what was read, unless the block may still be text. */
  #trim(): void {
    if (!this.#found && !this.#skipping) return
    const from = this.#start === -1 ? this.#at : this.#start
    this.#placeAt(from)
    this.#text = this.#text.slice(from)
    this.#tracked = 0
    this.#at -= from
    if (this.#again !== -1) this.#again -= from
    this.#searched = Math.max(0, this.#searched - from)
    this.#vain = Math.max(-1, this.#vain - from)
    if (this.#tag !== null) this.#tag = { ...this.#tag, index: this.#tag.index - from }
    if (this.#start !== -1) this.#start = 0
  }

  #placeAt(at: number): Place {
    if (at > this.#tracked) {
      this.#places.advance(this.#text, this.#tracked, at)
      this.#tracked = at
    }
    return this.#places.place
  }

  /** Looks for the next message or the end of the block. */
  #between(last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text
    const { close } = this.#options
    if (close === 'bare') return this.#bare(last)
    between.lastIndex = this.#at
    const found = between.exec(text)
    if (found === null) {
      this.#at = text.length
      return last ? { from: this.#at, end: null } : 'wait'
    }
    const at = found.index
    this.#at = at
    const [char] = found
    if (!last && text.length - at < MAX_CLOSE && !'{\uff5b'.includes(char)) {
      if (text.indexOf('>', at) === -1 || char !== '<') return 'wait'
    }
    if (char === '<') {
      const closing = close === null ? null : matchAt(close, text, at)
      if (closing !== null) return { from: at, end: at + closing.length }
      return this.#skip(/<!--[^]*?-->/y, '<!--', last)
    }
    if (char === '/') {
      return text[at + 1] === '*'
        ? this.#skip(/\/\*[^]*?\*\//y, '/*', last)
        : this.#skip(/\/\/[^\n<]*/y, '', last)
    }
    if (char === '#') return this.#skip(/#[^\n<]*/y, '', last)
    if (char === '&') {
      this.#at += 1
      return 'on'
    }
    if ('{\uff5b'.includes(char)) {
      if (!last && text.length - at < MAX_CLOSE) {
        const ahead = matchAt(/[{\uff5b]\s*["\w$'`}{]/y, text, at)
        if (ahead === null) return 'wait'
      }
      if (this.#isLost) {
        if (!last && text.length - at < 2 * LOOK_AHEAD && this.#closing(at) === null) return 'wait'
        if (matchAt(messageAhead, text, at) === null) {
          this.#at += 1
          return 'on'
        }
        this.#isLost = false
      }
      if (matchAt(entityAhead, text, at) !== null) return this.#entities(last, parts)
      this.#start = at
      return 'on'
    }
    if (matchAt(encodedAhead, text, at) === null) this.#at += 1
    else {
      this.#start = at
      this.#again = 0
    }
    return 'on'
  }

  /** Passes over a comment. */
  #skip(pattern: RegExp, open: string, last: boolean): 'on' | 'wait' {
    const found = this.#unclosed.has(open) ? null : matchAt(pattern, this.#text, this.#at)
    if (found === null && last && this.#text.startsWith(open, this.#at)) this.#unclosed.add(open)
    if (found === null && !last && open !== '' && this.#text.startsWith(open, this.#at)) {
      if (this.#text.length - this.#at < this.#options.maximum) return 'wait'
    }
    this.#at += found?.length ?? 1
    return 'on'
  }

  /** Between bare messages only brackets and commas may stand. */
  #bare(last: boolean): Step {
    const text = this.#text
    const gap = matchAt(/[\s,[\];]*/y, text, this.#at) ?? ''
    const next = this.#at + gap.length
    if (next === text.length && !last) return 'wait'
    if (matchAt(messagesAhead, text, next) !== null) {
      this.#at = next
      this.#start = next
      return 'on'
    }
    const mayBegin = '{\uff5b'.includes(text.charAt(next)) && text.length - next < 200
    if (next < text.length && mayBegin && !last) return 'wait'
    const closing = matchAt(/\s*\][\s\];]*/y, text, this.#at) ?? ''
    return { from: this.#at, end: this.#at + closing.length }
  }

  /** A block whose quotation marks are entities is decoded as a whole. */
  #entities(last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text
    const { maximum, opening } = this.#options
    const end = this.#closing(this.#at)
    if (end === null && !last) {
      if (text.length - this.#at <= maximum) return 'wait'
      this.#tooLong(parts)
      return 'wait'
    }
    const place = this.#placeAt(this.#at)
    const decoded = decodeEntities(text.slice(this.#at, end?.index))
    const inner = createBlockReader({ ...this.#options, close: null, opening }, place)
    for (const part of inner.read(decoded, true).parts) {
      if (part.kind === 'message') part.repairs.push('html entity')
      parts.push(part)
    }
    this.#found = true
    this.#at = end?.index ?? text.length
    return end === null
      ? { from: text.length, end: null }
      : { from: end.index, end: end.index + end.length }
  }

  /** Reads on in a message: quickly while it is plain JSON. */
  #within(last: boolean, parts: ExtractedPart[]): Step {
    if (this.#again === -1) {
      const step = this.#start < this.#vain ? null : this.#scan(parts)
      if (step !== null) return step
      if (this.#again === -1 && this.#start >= this.#vain) {
        if (this.#text.length - this.#start > this.#options.maximum) return this.#tooLong(parts)
        if (!last) return 'wait'
        this.#vain = this.#text.length
      }
      this.#again = 0
    }
    return this.#readAgain(last, parts)
  }

  /** Looks for the end of a message in plain JSON; null if it was not read. */
  #scan(parts: ExtractedPart[]): Step | null {
    const text = this.#text
    let at = this.#at
    for (; at < text.length; at += 1) {
      const char = text.charAt(at)
      if (this.#inString) {
        if (char === '\\') {
          if (at + 1 === text.length) break
          at += 1
        } else if (char === '"') this.#inString = false
        else if (char === '\n') {
          this.#again = 0
          this.#vain = at
          return null
        }
      } else if (char === '"') this.#inString = true
      else if (char === '{' || char === '[') this.#depth += 1
      else if (char === '}' || char === ']') {
        this.#depth -= 1
        if (this.#depth > 0) continue
        const raw = text.slice(this.#start, at + 1)
        const value = char === '}' ? parseClean(raw) : undefined
        if (value === undefined) {
          this.#again = 0
          this.#vain = at
          return null
        }
        if (raw.length > this.#options.maximum) return this.#tooLong(parts)
        return this.#take({ value, repairs: [], raw }, at + 1, parts)
      } else if (!strictOutside.test(char)) {
        this.#again = 0
        this.#vain = at
        return null
      }
    }
    this.#at = at
    return null
  }

  /** The first closing tag from a position on; the text is searched once. */
  #closing(from: number): { readonly index: number; readonly length: number } | null {
    const known = this.#tag
    if (known !== null && known.index >= from) return known
    const pattern = this.#anywhere
    if (pattern === null) return null
    pattern.lastIndex = Math.max(from, this.#searched)
    const found = pattern.exec(this.#text)
    this.#searched = found === null ? Math.max(0, this.#text.length - MAX_CLOSE) : found.index
    this.#tag = found === null ? null : { index: found.index, length: found[0].length }
    return this.#tag
  }

  /** Reads a message as models write it. */
  #readAgain(last: boolean, parts: ExtractedPart[]): Step {
    const text = this.#text
    const { maximum, depth, refuseCuts, heal } = this.#options
    const tag = this.#closing(this.#start)
    if (!last && tag === null && text.length < this.#again) return 'wait'
    const isOver = tag !== null || last
    const held = isOver ? 0 : Math.min(MAX_CLOSE, text.length - this.#start)
    const content = text.slice(this.#start, (tag?.index ?? text.length) - held)
    const begun = this.#placeAt(this.#start)
    const inner = Math.max(0, Math.min(10_000, 20_000 + 8 * begun.offset - this.#spent))
    const isCut = last && tag === null && heal !== null
    const isString = !'{\uff5b'.includes(content.charAt(0))
    const reading = { final: isOver, cut: isCut, depth, isMessage: !isString, inner }
    const found = readSurely(content, reading)
    if (found.kind === 'more' || (!isOver && found.end === content.length)) {
      if (content.length > maximum + 2 * LOOK_AHEAD) return this.#tooLong(parts)
      this.#again = this.#start + Math.ceil((text.length - this.#start) * 1.5) + 1
      return 'wait'
    }
    const end = this.#start + found.end
    const raw = content.slice(0, found.end)
    if (raw.length > maximum) return this.#tooLong(parts)
    if (found.kind === 'error') {
      this.#spent += inner
      if (!isCut || !refuseCuts) return this.#fault(content, { ...found, raw }, parts, end)
      this.#report(truncated(raw), end, parts)
      return 'on'
    }
    if (found.inner.length > 0) this.#spent += inner
    const hasEnded = isCut && found.end === content.length && found.repairs.has('missing bracket')
    if (isCut && heal !== null && hasEnded) {
      this.#report(refuseCuts ? truncated(raw) : heal(found, raw), end, parts)
      return 'on'
    }
    return this.#take({ value: found.value, repairs: [...found.repairs], raw }, end, parts)
  }

  #report(part: ExtractedPart, end: number, parts: ExtractedPart[]): void {
    parts.push(this.#options.validate(part, this.#placeAt(this.#start)))
    this.#leave(end)
  }

  #fault(
    text: string,
    found: { at: number; expected: string; isTooDeep: boolean; raw: string },
    parts: ExtractedPart[],
    end: number,
  ): Step {
    const { at, expected, isTooDeep, raw } = found
    if (this.#options.close === 'bare' && !messageKey.test(raw)) {
      return { from: end, end, isText: true }
    }
    const place = this.#placeAt(this.#start + at)
    parts.push({
      kind: 'error',
      code: isTooDeep ? 'limit_exceeded' : 'malformed_json',
      message: describeFault(text, { at, expected, place }),
      raw,
      ...place,
      excerpt: excerptOf(text, at),
    })
    this.#leave(end)
    return 'on'
  }

  /** What stood bare and is no message is text. */
  #giveBack(end: number, parts: ExtractedPart[]): BlockResult {
    const from = this.#found ? this.#start : end
    const asText = this.#found ? null : this.#text.slice(0, end)
    return { parts, rest: this.#text.slice(from), place: this.#placeAt(from), asText }
  }

  #take(
    { value, repairs, raw }: { value: unknown; repairs: string[]; raw: string },
    end: number,
    parts: ExtractedPart[],
  ): Step {
    const { version, close, validate } = this.#options
    const place = this.#placeAt(this.#start)
    const found = unwrapMessages(value, { repairs, version })
    const isMessage = found.every(({ message }) => isPlainObject(message) && detectVersion(message))
    if (close === 'bare' && !isMessage) return { from: end, end, isText: true }
    const isString = typeof value === 'string'
    for (const { message, repairs: made } of found) {
      if (isString && typeof message === 'string') {
        const error = 'The block contains no message.'
        parts.push({ kind: 'error', code: 'malformed_json', message: error, raw, ...place })
      } else parts.push(validate({ kind: 'message', message, repairs: made }, place))
    }
    this.#leave(end)
    return 'on'
  }

  #leave(end: number): void {
    this.#found = true
    this.#at = Math.max(end, this.#start + 1)
    this.#start = -1
    this.#depth = 0
    this.#inString = false
    this.#again = -1
  }

  #tooLong(parts: ExtractedPart[]): 'on' {
    const { maximum } = this.#options
    const from = this.#start === -1 ? this.#at : this.#start
    const raw = this.#text.slice(from, from + 200)
    const message = `A message may have ${maximum} bytes.`
    const place = this.#placeAt(from)
    parts.push({ kind: 'error', code: 'limit_exceeded', message, raw, ...place })
    this.#skipping = true
    this.#start = from
    this.#leave(Math.min(this.#text.length, from + maximum))
    this.#isLost = true
    return 'on'
  }

  /** A closed block without an object. */
  #empty(until: number, parts: ExtractedPart[]): void {
    const raw = this.#text.slice(0, until)
    if (raw.trim() === '' || /^\s*\[[\s,]*\]\s*$/.test(raw)) return
    const place = this.#placeAt(0)
    const message = 'The block contains no message.'
    parts.push({ kind: 'error', code: 'malformed_json', message, raw, ...place })
  }
}
